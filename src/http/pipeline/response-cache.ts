import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Representation } from '../server/compression.ts';
import type { HttpMetrics } from '../server/metrics.ts';
import type { Caller } from './caller.ts';
import type { ImageRequest } from './images.ts';
import { isNotModified, notModifiedHeaders, type RenderedResponse } from './response.ts';

/** The headers of a representation as a list of names and values in turn, which `node:http` writes fastest. */
interface HeaderList {
  list: readonly string[];
  /** The index from which on the list has the headers of a 304. */
  notModifiedFrom: number;
}

const headerLists = new WeakMap<Representation, HeaderList>();

/** The time, in ms, for which cached public responses are still served after the last contact with the database. */
const servedAfterContactMs = 60_000;

/**
 * The cached responses that may be served. `public`: those to requests without a token, even expired ones, because the
 * database is unavailable and no new response can be made.
 */
export type UsableResponses = 'all' | 'public' | 'none';

/** Returns the cached responses that may be served, by the state of the connection that receives changes. */
export function usableResponses(listener: {
  isConnected: () => boolean;
  sinceContactMs: () => number;
}): UsableResponses {
  if (listener.isConnected()) return 'all';
  return listener.sinceContactMs() < servedAfterContactMs ? 'public' : 'none';
}

/**
 * Returns the cache key of a response. No URL holds a space, so one caller's response is never sent to another caller.
 */
export function cacheKey(address: string, caller: Caller | null): string {
  return caller === null ? address : `${caller.accountId} ${address}`;
}

/** Returns the cache key of a page in a language. It is unlike all other keys, because those do not end in a locale. */
export function pageKey(address: string, locale: string): string {
  return `${address} ${locale}`;
}

/** Returns the cache key of a card, by its account and its canonical request. No URL begins with an account id. */
export function imageKey(accountId: string, { key }: ImageRequest, caller: Caller | null): string {
  return cacheKey(`${accountId}:${key}`, caller);
}

/** The estimated memory of an entry without its key and its response, in bytes. */
const overheadBytes = 1000;
const maxRememberedInvalidations = 10_000;

/** A response, or a URL that leads to the response of another key. */
type Entry = { response: RenderedResponse } | { name: string };

/**
 * Caches rendered responses by URL, and by caller for requests with a token, until their data changes. The bytes of
 * responses, keys and aliases together are bounded; the least recently used entry is dropped first.
 */
export class ResponseCache {
  readonly #entries: LRUCache<string, Entry>;
  /**
   * The aliases of each key. They are removed with its response, because the URL may belong to another account later.
   */
  readonly #aliases = new Map<string, Set<string>>();
  readonly #addresses = new Map<string, Set<string>>();
  readonly #invalidated = new Map<string, number>();
  #sequence = 0;
  /** A response whose start sequence is lower may lack a change that is no longer remembered; it is not cached. */
  #floor = 0;

  constructor(maxBytes: number) {
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (entry, address) => countBytes(entry) + 2 * address.length + overheadBytes,
      disposeAfter: (entry, address, reason) => {
        if (reason === 'set' && this.#isGrown(entry, address)) return;
        if ('response' in entry) this.#deleteAddress(entry.response.accountId, address);
        else this.#deleteAlias(entry.name, address);
      },
    });
  }

  /** The bytes of all entries. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  get(address: string, now: number): RenderedResponse | undefined {
    const entry = this.#entries.get(address);
    const found = entry !== undefined && 'name' in entry ? this.#entries.get(entry.name) : entry;
    if (found === undefined || !('response' in found)) return undefined;
    return found.response.expiresAt > now ? found.response : undefined;
  }

  /** Serves the response of a key at another URL too: equivalent URLs share one response. */
  alias(address: string, name: string): void {
    if (!this.#entries.has(name)) return;
    this.#entries.set(address, { name });
    // The response may have been dropped to make room for its alias.
    if (!this.#entries.has(name)) this.#entries.delete(address);
    else if (this.#entries.has(address)) {
      this.#aliases.set(name, (this.#aliases.get(name) ?? new Set()).add(address));
    }
  }

  /** Returns the number of changes up to now. Take it before reading the data of a response: `put` requires it. */
  begin(): number {
    return this.#sequence;
  }

  /** Returns a number that grows with each change of an account. */
  findVersion(accountId: string): number {
    return Math.max(this.#floor, this.#invalidated.get(accountId) ?? 0);
  }

  /**
   * Caches a response, unless its account has changed since its data was read.
   * @param startSequence the result of `begin` before the data was read.
   */
  put(address: string, response: RenderedResponse, startSequence: number): void {
    if (startSequence < this.findVersion(response.accountId)) return;
    this.#entries.set(address, { response });
    if (response.compressed !== undefined) response.compressed.onMade = () => this.#grow(address, response);
    const addresses = this.#addresses.get(response.accountId) ?? new Set();
    if (this.#entries.has(address)) this.#addresses.set(response.accountId, addresses.add(address));
  }

  /** Drops every response about an account. */
  invalidate(accountId: string): void {
    this.#sequence += 1;
    if (this.#invalidated.size >= maxRememberedInvalidations) {
      this.#invalidated.clear();
      this.#floor = this.#sequence;
    }
    this.#invalidated.set(accountId, this.#sequence);
    for (const address of this.#addresses.get(accountId) ?? []) this.#entries.delete(address);
  }

  /** Drops everything, because changes may have been missed. */
  clear(): void {
    this.#sequence += 1;
    this.#floor = this.#sequence;
    this.#entries.clear();
  }

  /** Counts the bytes of a response again, after a compressed representation was added to it. */
  #grow(address: string, response: RenderedResponse): void {
    const entry = this.#entries.peek(address);
    if (entry !== undefined && 'response' in entry && entry.response === response) {
      this.#entries.set(address, { response });
    }
  }

  /** Returns whether an entry was replaced by one with the same response. */
  #isGrown(entry: Entry, address: string): boolean {
    const present = this.#entries.peek(address);
    return present !== undefined && 'response' in present && 'response' in entry && present.response === entry.response;
  }

  #deleteAlias(name: string, alias: string): void {
    const aliases = this.#aliases.get(name);
    aliases?.delete(alias);
    if (aliases?.size === 0) this.#aliases.delete(name);
  }

  #deleteAddress(accountId: string, address: string): void {
    for (const alias of this.#aliases.get(address) ?? []) this.#entries.delete(alias);
    const addresses = this.#addresses.get(accountId);
    addresses?.delete(address);
    if (addresses?.size === 0) this.#addresses.delete(accountId);
  }
}

function countBytes(entry: Entry): number {
  if ('name' in entry) return 2 * entry.name.length;
  const { body, compressed } = entry.response;
  return body.length + (compressed?.bytes ?? 0);
}

/**
 * Sends a cached response without the framework.
 * @param ownHeaders the headers that differ each time the response is sent, names and values in turn.
 */
export function sendCached(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  representation: Representation,
  { metrics, ownHeaders }: { metrics: HttpMetrics; ownHeaders: readonly string[] },
): void {
  const { list, notModifiedFrom } = toHeaderList(representation);
  const isUnchanged = isNotModified(headers, representation);
  const status = isUnchanged ? 304 : 200;
  metrics.countWarm(status);
  const sent = list.slice(isUnchanged ? notModifiedFrom : 0);
  sent.push(...ownHeaders);
  response.writeHead(status, sent);
  if (isUnchanged || method === 'HEAD') response.end();
  else response.end(representation.body, 'latin1');
}

/** Returns the headers as a list, which is made once for each representation. */
function toHeaderList(representation: Representation): HeaderList {
  const known = headerLists.get(representation);
  if (known !== undefined) return known;
  const notModified = notModifiedHeaders(representation);
  const ofBody = Object.entries(representation.headers).filter(([name]) => !(name in notModified));
  const made = { list: [...ofBody, ...Object.entries(notModified)].flat(), notModifiedFrom: 2 * ofBody.length };
  headerLists.set(representation, made);
  return made;
}

import { LRUCache } from 'lru-cache';
import type { Caller } from './caller.ts';
import type { ImageRequest } from './images.ts';
import type { RenderedResponse } from './response.ts';

/** The time, in ms, for which public responses are still served after the last contact with the database. */
const servedAfterContactMs = 60_000;

/**
 * The cached responses that may be served. `public`: the public ones, also those that are older than they should be,
 * because the database is unavailable and cannot be read again.
 */
export type UsableResponses = 'all' | 'public' | 'none';

/** Returns the cached responses that may be served while changes reach this node, or since they do not. */
export function usableResponses(listener: { isConnected: boolean; sinceContactMs: number }): UsableResponses {
  if (listener.isConnected) return 'all';
  return listener.sinceContactMs < servedAfterContactMs ? 'public' : 'none';
}

/**
 * Returns the cache key of a response. No URL holds a space, so one caller's response is never sent to another caller.
 */
export function cacheKey(address: string, caller: Caller | null): string {
  return caller === null ? address : `${caller.accountId} ${address}`;
}

/** Returns the cache key of a page in a language; the key of no other response ends like it. */
export function pageKey(address: string, locale: string): string {
  return `${address} ${locale}`;
}

/** Returns the cache key of a card, by its contents; no URL begins like it. */
export function imageKey(accountId: string, { key }: ImageRequest, caller: Caller | null): string {
  return cacheKey(`${accountId}:${key}`, caller);
}

/** The memory of an entry of the cache without its key and its response, in bytes. */
const overheadBytes = 600;
const maxRememberedInvalidations = 10_000;

/** A response, or a URL that leads to the response of another key. */
type Entry = { response: RenderedResponse } | { name: string };

/**
 * Caches rendered responses by URL, and by caller if there was one, until the data behind them changes. Bounded by the
 * bytes of responses, keys and aliases together; the entry that was not used for the longest time is dropped first.
 */
export class ResponseCache {
  readonly #entries: LRUCache<string, Entry>;
  /** Aliases are removed with their response: by then the URL may belong to another account. */
  readonly #aliasesOf = new Map<string, Set<string>>();
  readonly #addresses = new Map<string, Set<string>>();
  readonly #invalidated = new Map<string, number>();
  #sequence = 0;
  /** A response begun before this number may hold data from before a change that is no longer remembered. */
  #floor = 0;

  constructor(maxBytes: number) {
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (entry, address) => bytesOf(entry) + 2 * address.length + overheadBytes,
      disposeAfter: (entry, address, reason) => {
        if (reason === 'set' && this.#isGrown(entry, address)) return;
        if ('response' in entry) this.#forgetAddress(entry.response.accountId, address);
        else this.#forgetAlias(entry.name, address);
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
    // Room for the alias may have been made at the expense of its response.
    if (!this.#entries.has(name)) this.#entries.delete(address);
    else if (this.#entries.has(address)) {
      this.#aliasesOf.set(name, (this.#aliasesOf.get(name) ?? new Set()).add(address));
    }
  }

  /** Returns a mark to take before reading the data for a response; `put` requires it. */
  begin(): number {
    return this.#sequence;
  }

  /** Returns a number that is larger after each change of an account. */
  versionOf(accountId: string): number {
    return Math.max(this.#floor, this.#invalidated.get(accountId) ?? 0);
  }

  /** Caches a response, unless its data changed since it was begun. */
  put(address: string, response: RenderedResponse, begun: number): void {
    if (begun < this.versionOf(response.accountId)) return;
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

  /** Counts the bytes of a response again, to which a compressed representation was added. */
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

  #forgetAlias(name: string, alias: string): void {
    const aliases = this.#aliasesOf.get(name);
    aliases?.delete(alias);
    if (aliases?.size === 0) this.#aliasesOf.delete(name);
  }

  #forgetAddress(accountId: string, address: string): void {
    for (const alias of this.#aliasesOf.get(address) ?? []) this.#entries.delete(alias);
    const addresses = this.#addresses.get(accountId);
    addresses?.delete(address);
    if (addresses?.size === 0) this.#addresses.delete(accountId);
  }
}

function bytesOf(entry: Entry): number {
  if ('name' in entry) return 2 * entry.name.length;
  const { body, compressed } = entry.response;
  return body.length + (compressed?.bytes ?? 0);
}

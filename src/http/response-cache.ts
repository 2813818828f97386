import { LRUCache } from 'lru-cache';
import type { Caller } from './caller.ts';
import type { ImageRequest } from './images.ts';
import type { RenderedResponse } from './response.ts';

/**
 * Returns the cache key of a response. No URL holds a space, so one caller's response is never sent to another caller.
 */
export function cacheKey(address: string, caller: Caller | null): string {
  return caller === null ? address : `${caller.accountId} ${address}`;
}

/** Returns the cache key of a card, by its contents; no URL begins like it. */
export function imageKey(accountId: string, { key }: ImageRequest, caller: Caller | null): string {
  return cacheKey(`${accountId}:${key}`, caller);
}

/** The memory of a cached response without its body and URL, in bytes. */
const overheadBytes = 600;
const maxRememberedInvalidations = 10_000;
/** The largest number of URLs that lead to responses cached under another key. */
const maxAliases = 20_000;

/**
 * Caches rendered responses by URL, and by caller if there was one, until the data behind them changes. Bounded by
 * bytes; the response that was not used for the longest time is dropped first.
 */
export class ResponseCache {
  readonly #responses: LRUCache<string, RenderedResponse>;
  readonly #aliases = new LRUCache<string, string>({
    max: maxAliases,
    dispose: (name, alias) => this.#forgetAlias(name, alias),
  });
  /** Aliases are removed with their response: by then the URL may belong to another account. */
  readonly #aliasesOf = new Map<string, Set<string>>();
  readonly #addresses = new Map<string, Set<string>>();
  readonly #invalidated = new Map<string, number>();
  #sequence = 0;
  /** A response begun before this number may hold data from before a change that is no longer remembered. */
  #floor = 0;

  constructor(maxBytes: number) {
    this.#responses = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (response, address) => bytesOf(response) + 2 * address.length + overheadBytes,
      dispose: ({ accountId }, address) => this.#forgetAddress(accountId, address),
    });
  }

  get(address: string, now: number): RenderedResponse | undefined {
    const name = this.#aliases.get(address);
    const response = this.#responses.get(name ?? address);
    return response !== undefined && response.expiresAt > now ? response : undefined;
  }

  /** Serves the response of a key at another URL too: equivalent URLs share one response. */
  alias(address: string, name: string): void {
    if (!this.#responses.has(name)) return;
    this.#aliases.set(address, name);
    this.#aliasesOf.set(name, (this.#aliasesOf.get(name) ?? new Set()).add(address));
  }

  /** Returns a mark to take before reading the data for a response; `put` requires it. */
  begin(): number {
    return this.#sequence;
  }

  /** Caches a response, unless its data changed since it was begun. */
  put(address: string, response: RenderedResponse, begun: number): void {
    const changedAt = this.#invalidated.get(response.accountId) ?? 0;
    if (begun < this.#floor || begun < changedAt) return;
    this.#responses.set(address, response);
    const addresses = this.#addresses.get(response.accountId) ?? new Set();
    if (this.#responses.has(address)) this.#addresses.set(response.accountId, addresses.add(address));
  }

  /** Drops every response about an account. */
  invalidate(accountId: string): void {
    this.#sequence += 1;
    if (this.#invalidated.size >= maxRememberedInvalidations) {
      this.#invalidated.clear();
      this.#floor = this.#sequence;
    }
    this.#invalidated.set(accountId, this.#sequence);
    for (const address of this.#addresses.get(accountId) ?? []) this.#responses.delete(address);
  }

  /** Drops everything, because changes may have been missed. */
  clear(): void {
    this.#sequence += 1;
    this.#floor = this.#sequence;
    this.#responses.clear();
  }

  #forgetAlias(name: string, alias: string): void {
    const aliases = this.#aliasesOf.get(name);
    aliases?.delete(alias);
    if (aliases?.size === 0) this.#aliasesOf.delete(name);
  }

  #forgetAddress(accountId: string, address: string): void {
    for (const alias of this.#aliasesOf.get(address) ?? []) this.#aliases.delete(alias);
    const addresses = this.#addresses.get(accountId);
    addresses?.delete(address);
    if (addresses?.size === 0) this.#addresses.delete(accountId);
  }
}

function bytesOf({ body, compressed }: RenderedResponse): number {
  return body.length + (compressed === undefined ? 0 : compressed.br.body.length + compressed.gzip.body.length);
}

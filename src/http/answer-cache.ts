import { LRUCache } from 'lru-cache';
import type { Answer } from './answer.ts';
import type { Caller } from './caller.ts';

/** What an answer is kept under. No address holds a space, so that no caller's answer is ever somebody else's. */
export function cacheKey(address: string, caller: Caller | null): string {
  return caller === null ? address : `${caller.accountId} ${address}`;
}

/** What a cached answer costs in memory besides its body and address. */
const overheadBytes = 600;
const maxRememberedInvalidations = 10_000;
/** Addresses that lead to answers kept under another name. */
const maxAliases = 20_000;

/**
 * Keeps rendered answers by their address, and the caller if there was one, until the data behind them changes.
 * Bounded by bytes; what was used least recently goes first.
 */
export class AnswerCache {
  readonly #answers: LRUCache<string, Answer>;
  readonly #aliases = new LRUCache<string, string>({
    max: maxAliases,
    dispose: (name, alias) => this.#forgetAlias(name, alias),
  });
  /** Aliases go with what they lead to: by then the address may be somebody else's. */
  readonly #aliasesOf = new Map<string, Set<string>>();
  readonly #addresses = new Map<string, Set<string>>();
  readonly #invalidated = new Map<string, number>();
  #sequence = 0;
  /** What was begun before this was possibly read before a change that nobody remembers. */
  #floor = 0;

  constructor(maxBytes: number) {
    this.#answers = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (answer, address) => bytesOf(answer) + 2 * address.length + overheadBytes,
      dispose: ({ accountId }, address) => this.#forgetAddress(accountId, address),
    });
  }

  get(address: string, now: number): Answer | undefined {
    const name = this.#aliases.get(address);
    const answer = this.#answers.get(name ?? address);
    return answer !== undefined && answer.expiresAt > now ? answer : undefined;
  }

  /** Answers at an address with what is kept under a name: addresses that mean the same have one answer. */
  alias(address: string, name: string): void {
    if (!this.#answers.has(name)) return;
    this.#aliases.set(address, name);
    this.#aliasesOf.set(name, (this.#aliasesOf.get(name) ?? new Set()).add(address));
  }

  /** To be called before reading the data for an answer; `put` wants it back. */
  begin(): number {
    return this.#sequence;
  }

  /** Keeps an answer, unless its data changed since it was begun. */
  put(address: string, answer: Answer, begun: number): void {
    const changedAt = this.#invalidated.get(answer.accountId) ?? 0;
    if (begun < this.#floor || begun < changedAt) return;
    this.#answers.set(address, answer);
    const addresses = this.#addresses.get(answer.accountId) ?? new Set();
    if (this.#answers.has(address)) this.#addresses.set(answer.accountId, addresses.add(address));
  }

  /** Drops every answer about an account. */
  invalidate(accountId: string): void {
    this.#sequence += 1;
    if (this.#invalidated.size >= maxRememberedInvalidations) {
      this.#invalidated.clear();
      this.#floor = this.#sequence;
    }
    this.#invalidated.set(accountId, this.#sequence);
    for (const address of this.#addresses.get(accountId) ?? []) this.#answers.delete(address);
  }

  /** Drops everything: changes may have been missed. */
  clear(): void {
    this.#sequence += 1;
    this.#floor = this.#sequence;
    this.#answers.clear();
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

function bytesOf({ body, compressed }: Answer): number {
  return body.length + (compressed === undefined ? 0 : compressed.br.body.length + compressed.gzip.body.length);
}

import { LRUCache } from 'lru-cache';
import type { Connection } from '../../../database/connections/connection.ts';
import { countHolders } from './holders-store.ts';

/** The greatest number of holders that is counted: one more than the greatest that cards show. */
const maxHolders = 101;
/** The time for which a number is shown as it was counted, in ms. */
const keptForMs = 60_000;
const maxKept = 10_000;

/**
 * Counts the accounts that hold an achievement and that everyone may see: cards and pages show how rare it is. A count
 * reads each holder, and the cards and pages of all holders show the same one, so each process keeps it for a minute.
 */
export class HolderCounts {
  readonly #connection: Connection;
  readonly #kept: LRUCache<string, number>;

  constructor(connection: Connection, now: () => Date) {
    this.#connection = connection;
    const perf = { now: () => now().getTime() };
    this.#kept = new LRUCache({ max: maxKept, ttl: keptForMs, ttlResolution: 0, perf });
  }

  /** Returns the numbers of holders by the ids of achievements; 101 stands for all greater numbers. */
  async find(ids: readonly string[]): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    const missing: string[] = [];
    for (const id of new Set(ids)) {
      const kept = this.#kept.get(id);
      if (kept === undefined) missing.push(id);
      else found.set(id, kept);
    }
    if (missing.length === 0) return found;
    for (const { id, holders } of await countHolders(this.#connection, { ids: missing, upTo: maxHolders })) {
      this.#kept.set(id, holders);
      found.set(id, holders);
    }
    return found;
  }
}

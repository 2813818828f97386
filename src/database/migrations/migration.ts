import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Kysely, RawBuilder } from 'kysely';

/** The statements that make the tables of an empty database. */
export interface Baseline {
  /** Names the statements: databases with another baseline have other tables. */
  name: string;
  statements: string;
}

const prefix = 'baseline-';
const hashDigits = 12;

/** The baseline of this release. */
export const baseline = toBaseline(readFileSync(new URL('../baseline.sql', import.meta.url), 'utf8'));

/** A transaction of the migrating session. */
export type MigratingTransaction = Kysely<unknown>;

/**
 * A change of the tables: one transaction, or parts that are applied one after the other. A node that is killed between
 * two parts leaves the rest to the next start. Large tables need parts, because a transaction holds its locks until its
 * end.
 */
export type Migration = { up: (transaction: MigratingTransaction) => Promise<void> } | { parts: readonly Part[] };

export type Part =
  /** Statements of one transaction. They should only change definitions, because they lock whole tables. */
  { sql: readonly RawBuilder<unknown>[] } | { concurrently: ConcurrentIndex } | { backfill: Backfill };

/** An index that is built while others read and write the table, which takes more time but no lock that they notice. */
export interface ConcurrentIndex {
  name: string;
  isUnique?: boolean;
  /** The rest of the statement: the table, the columns and maybe a condition. */
  on: RawBuilder<unknown>;
}

/** A change of many rows, a batch in each transaction. */
export interface Backfill {
  /** The changed table, for the log. */
  table: string;
  /**
   * Changes the next rows. Runs again after a failure, in a new transaction.
   * @param after the position that the last batch returned; null at the start.
   */
  batch: (transaction: MigratingTransaction, after: string | null) => Promise<Batch>;
}

interface Batch {
  /** The position after the batch; null when no rows are left. */
  next: string | null;
  /** The number of changed rows, for the log. */
  rows: number;
}

/**
 * The migrations since the baseline by their names, which begin with four digits and are applied in their order. They only
 * go forward: a released one is never changed, and none has a way down. None before 1.0.
 */
export const migrations: Readonly<Record<string, Migration>> = {};

/** Returns the baseline with these statements. */
export function toBaseline(statements: string): Baseline {
  const hash = createHash('sha256').update(statements).digest('hex').slice(0, hashDigits);
  return { name: `${prefix}${hash}`, statements };
}

export function isBaseline(name: string): boolean {
  return name.startsWith(prefix);
}

import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { AppError } from '../../model/errors.ts';
import { type StoredCounter, storedCounters } from '../../model/kinds.ts';
import { type Affected, notePeople, peopleInSql, toAffected } from '../totals/affected-store.ts';
import { type CountedEntry, type CountedItem, logChanges, logRemoved } from '../totals/change-log-store.ts';
import { countedInSql } from '../totals/column-store.ts';

/**
 * Changes of stored contributions. Each transaction also updates totals and days, and records the people whose reported
 * totals, achievements and points depend on the change. No other module writes to the table, except
 * `contribution-store.ts`, which uses this one, and `erase-store.ts`.
 */

/** Contributions that count for the same people on the same days. */
interface Counted {
  /** The counters, days and accounts, as the SQL of `countedInSql` writes them. */
  counted: string;
  /** The number of contributions. */
  items: number;
}

/** Stored contributions before or after a change. */
export interface State extends Counted {
  kind: string;
  /** Ids of accounts, as the SQL of `peopleInSql` writes them. */
  people: string;
}

/** SQL for the id of an issue or pull request `c` with labels; null for another one. */
const labelledInSql = sql<string | null>`
  case when c.kind in ('issue', 'pull_request') and c.labels <> '{}' then c.external_id end`;

/** A change of the contributions to one repository, which no other transaction changes meanwhile. */
export class ContributionChange {
  readonly transaction: Connection;
  readonly repositoryId: string;
  /** True when achievements of the repository are evaluated, or boards count it. */
  readonly isFollowed: boolean;
  /** SQL for the columns of a `State` of one contribution `c`. */
  readonly state: RawBuilder<unknown>;
  readonly #differences = new Map<string, number>();
  readonly #affected: Affected[] = [];
  /** Stored contributions that are replaced, by kind and id. */
  readonly #replaced = new Map<string, CountedItem>();

  constructor(
    transaction: Connection,
    repositoryId: string,
    { isFollowed, counters }: { isFollowed: boolean; counters: readonly StoredCounter[] },
  ) {
    this.transaction = transaction;
    this.repositoryId = repositoryId;
    this.isFollowed = isFollowed;
    this.state = sql`${countedInSql(counters)} as counted, 1 as items,
      ${isFollowed ? sql`c.kind, ${peopleInSql('c')}` : sql`'' as kind, ''`} as people`;
  }

  /** Adds stored contributions to the counted differences, or subtracts removed ones with -1. */
  count(states: readonly Counted[], sign: 1 | -1): void {
    for (const { counted, items } of states) {
      if (counted === '') continue;
      for (const entry of counted.split(',')) {
        this.#differences.set(entry, (this.#differences.get(entry) ?? 0) + sign * items);
      }
    }
  }

  /** Notes people whose achievements or points may have changed. */
  affect(states: readonly Pick<State, 'kind' | 'people'>[]): void {
    if (this.isFollowed) this.#affected.push(...states.flatMap(toAffected));
  }

  /**
   * Notes the commenters of issues and pull requests whose labels changed, because conditions apply the labels to
   * comments.
   */
  async affectCommenters(parents: readonly string[]): Promise<void> {
    if (!this.isFollowed || parents.length === 0) return;
    const { rows } = await sql<{ kind: string; people: string }>`
      select distinct c.kind, c.account_id as people from contributions c
      where c.repository_id = ${this.repositoryId} and c.parent_external_id = any(${[...parents]}::text[])
        and c.kind in ('issue_comment', 'pull_request_comment', 'review_comment')
          and c.account_id is not null`.execute(this.transaction);
    this.affect(rows);
  }

  /** Notes the stored state of a contribution that is replaced. */
  replace(item: Omit<CountedItem, 'present'>): void {
    this.#replaced.set(`${item.kind} ${item.externalId}`, { ...item, present: [] });
  }

  /** True when stored contributions are replaced, so that the caller notes their new states. */
  get replacesAny(): boolean {
    return this.#replaced.size > 0;
  }

  /** Notes what a contribution counts for now, if it replaces another state. */
  noteReplaced(key: string, present: readonly CountedEntry[]): void {
    const item = this.#replaced.get(key);
    if (item !== undefined) this.#replaced.set(key, { ...item, present });
  }

  /** Removes the contributions `c` of the repository that meet a condition. */
  async remove(condition: RawBuilder<boolean>): Promise<void> {
    const { rows } = await sql<State & { labelled: string[] }>`
      with removed as (
        delete from contributions c where c.repository_id = ${this.repositoryId} and ${condition} returning c.*),
      ${logRemoved}, states as (select ${this.state}, ${labelledInSql} as labelled from removed c)
      select counted, kind, people, count(*)::integer as items, array_remove(array_agg(labelled), null) as labelled
      from states group by counted, kind, people`.execute(this.transaction);
    this.count(rows, -1);
    this.affect(rows);
    await this.affectCommenters(rows.flatMap(({ labelled }) => labelled));
  }

  /**
   * Changes columns of the repository's contributions `c` on which no counter depends.
   * @param assignments the part of UPDATE from SET to its condition.
   */
  async setDetails(assignments: RawBuilder<unknown>, condition: RawBuilder<boolean>): Promise<void> {
    const change = sql<State>`
      update contributions c set ${assignments} where c.repository_id = ${this.repositoryId} and ${condition}`;
    // Citus evaluates only immutable functions where the row is changed, so its state is read from the result.
    const statement = this.isFollowed
      ? sql<State>`with changed as (${change} returning c.*) select ${this.state} from changed c`
      : change;
    const { rows } = await statement.execute(this.transaction);
    this.affect(rows);
  }

  /** Writes the differences of totals, the log of replaced contributions, and the noted people. */
  async end(): Promise<void> {
    const differences = [...this.#differences].filter(([, difference]) => difference !== 0);
    if (differences.length > 0) {
      const parts = differences.map(([counted]) => counted.split(' '));
      const added = differences.map(([, difference]) => difference);
      await sql`
        select count_changes(array_fill(${this.repositoryId}::uuid, array[${added.length}::integer]),
          ${parts.map(([, , account]) => account ?? null)}::uuid[], ${parts.map(([, day]) => day)}::date[],
          ${parts.map(([counter]) => counter)}::text[], ${added}::bigint[], ${added}::bigint[])`.execute(
        this.transaction,
      );
    }
    await logChanges(this.transaction, this.repositoryId, [...this.#replaced.values()]);
    await notePeople(this.transaction, this.repositoryId, this.#affected);
  }
}

interface ChangeOptions {
  counters?: readonly StoredCounter[];
  /** Accounts that contributions may name from now on. */
  accountIds?: readonly string[];
}

/**
 * Changes the contributions to a repository. Must run in a transaction.
 * @throws AppError `not_found` when the repository is not stored any more; `conflict` when an account is not.
 */
export async function changeContributions<Result>(
  transaction: Connection,
  repositoryId: string,
  work: (change: ContributionChange) => Promise<Result>,
  { counters = storedCounters, accountIds = [] }: ChangeOptions = {},
): Promise<Result> {
  const isFollowed = await lockTotals(transaction, repositoryId, accountIds);
  const change = new ContributionChange(transaction, repositoryId, { isFollowed, counters });
  const result = await work(change);
  await change.end();
  return result;
}

/**
 * Locks the totals of a repository until the transaction ends, so that no other one changes the counted contributions,
 * and keeps the given accounts from being erased.
 * @returns true when its people have to be noted, because its achievements are evaluated or boards count it.
 * @throws AppError `not_found` when the repository is not stored any more; `conflict` when an account is not.
 */
export async function lockTotals(
  transaction: Connection,
  repositoryId: string,
  accountIds: readonly string[] = [],
): Promise<boolean> {
  const ids = [...new Set(accountIds)];
  const held = ids.length === 0 ? sql`0` : sql`cardinality(hold_accounts(${ids}::uuid[]))`;
  const result = await sql<Held & { held: number }>`
    select lock_totals(${repositoryId}::uuid) as "isFollowed", ${held} as held`.execute(inside(transaction));
  const isFollowed = isStored(result);
  if (result.rows[0]?.held !== ids.length) throw new AppError('conflict', 'An account is not stored any more.');
  return isFollowed;
}

/**
 * Keeps accounts from being erased until the transaction ends.
 * @returns those of them that are still stored.
 */
export async function holdAccounts(transaction: Connection, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ held: string[] }>`select hold_accounts(${[...ids]}::uuid[]) as held`.execute(
    inside(transaction),
  );
  return new Set(rows[0]?.held);
}

/**
 * Keeps a repository and the accounts that are read from now on from being erased until the transaction ends.
 * @returns true when its people have to be noted, because its achievements are evaluated or boards count it.
 * @throws AppError `not_found` when the repository is not stored any more.
 */
export async function holdRepository(transaction: Connection, repositoryId: string): Promise<boolean> {
  return isStored(
    await sql<Held>`select hold_repository(${repositoryId}::uuid) as "isFollowed"`.execute(inside(transaction)),
  );
}

interface Held {
  isFollowed: boolean | null;
}

function isStored({ rows }: { rows: readonly Held[] }): boolean {
  const isFollowed = rows[0]?.isFollowed ?? null;
  if (isFollowed === null) throw new AppError('not_found', 'The repository is not stored any more.');
  return isFollowed;
}

/** @throws Error outside of a transaction, because a lock would end with its own statement and protect nothing. */
function inside(transaction: Connection): Connection {
  if (!transaction.isTransaction) throw new Error('contributions can only be changed in a transaction');
  return transaction;
}

import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { saveActors } from '../../../src/accounts/actor-store.ts';
import { findById } from '../../../src/accounts/store.ts';
import { beginErasure } from '../../../src/app/owners/erasure/store.ts';
import { saveAllCommits } from '../../../src/contributions/items/commit-store.ts';
import { saveContributions } from '../../../src/contributions/items/contribution-store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { dividedNames } from '../../../src/database/tables/divided-tables.ts';
import type { Account, Actor } from '../../../src/model/account.ts';
import { type Contribution, noDetails } from '../../../src/model/contribution.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { until } from '../../time.ts';
import { addRepository, makeContribution } from './stored-repository.ts';

/** The time of all changes. */
export const now = new Date('2026-05-02T00:00:00Z');

export const grace: Actor = {
  externalId: '7',
  handle: '7',
  type: 'user',
  name: 'grace',
  displayName: 'Grace',
  avatarUrl: 'https://x.org/7',
};

/** A pull request that names an account everywhere. */
export function pullBy(person: string, number: number): Contribution {
  return makeContribution({
    kind: 'pull_request',
    externalId: String(number),
    author: person,
    answeredBy: person,
    mergedAt: now,
    details: {
      ...noDetails,
      resolvedBy: person,
      mergedBy: person,
      assignees: [person],
      reviewers: [person],
      reactions: [{ emoji: 'heart', reactor: person }],
    },
  });
}

export function saveGrace(connection: Connection): Promise<string> {
  return inTransaction(connection, async (transaction) => {
    const ids = await saveActors(transaction, 'github', [grace], { mentionedAt: now, newId: uuidv7 });
    return ids.get(grace.externalId) ?? assert.fail();
  });
}

/** Stores a repository and a person in a new database. */
export async function prepare() {
  const opened = await reuseTestDatabase();
  const { connection, pool } = opened.database;
  const repositoryId = await addRepository(connection);
  const personId = await saveGrace(connection);
  const person = (await findById(connection, personId)) ?? assert.fail();
  const store = (transaction: Connection, number = 1): Promise<void> =>
    saveContributions(transaction, {
      repositoryId,
      contributions: [pullBy(personId, number)],
      accountIds: new Map([[personId, personId]]),
      wholeParents: [],
      seenAt: now,
    });
  return {
    database: opened.database,
    connection,
    pool,
    repositoryId,
    person,
    store,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

export type Prepared = Awaited<ReturnType<typeof prepare>>;

export function storePull({ connection, store }: Prepared): Promise<void> {
  return inTransaction(connection, store);
}

export function storeCommit({ connection, repositoryId }: Prepared): Promise<void> {
  async function* batches() {
    yield [{ oid: 'a'.repeat(40), authoredAt: now, committedAt: now, emails: ['a@x.org'] }];
  }
  return saveAllCommits(connection, batches(), { provider: 'github', repositoryId, scanNumber: 1, isCounted: true });
}

/** Begins an erasure. */
export function erase(transaction: Connection, account: Account): Promise<void> {
  return beginErasure(transaction, account, now);
}

export async function eraseRepository(transaction: Connection, id: string): Promise<void> {
  await sql`delete from repositories where id = ${id}`.execute(transaction);
}

/** Begins a transaction, and does the rest of its work when it may commit. */
export async function begin(
  connection: Connection,
  work: (transaction: Connection) => Promise<void>,
  rest: (transaction: Connection) => Promise<void> = async () => {},
) {
  const [begun, allowed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ended = connection.transaction().execute(async (transaction) => {
    await work(transaction);
    begun.resolve();
    await allowed.promise;
    await rest(transaction);
  });
  ended.catch(begun.reject);
  await begun.promise;
  return { commit: () => (allowed.resolve(), ended) };
}

/** Waits until a statement waits for a lock. */
export function untilWaiting({ pool }: Database): Promise<number> {
  return until(async () => {
    const { rows } = await pool.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0]?.pid;
  }, 'a statement waits for a lock');
}

export async function countRows({ pool }: Database): Promise<number> {
  const counts = dividedNames.map((table) => `(select count(*) from ${table})`);
  const { rows } = await pool.query<{ rows: number }>(`select (${counts.join(' + ')})::integer as rows`);
  return rows[0]?.rows ?? Number.NaN;
}

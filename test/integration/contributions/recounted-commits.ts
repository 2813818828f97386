import assert from 'node:assert/strict';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { currentRanking } from '../../../src/contributions/contributors/ranking.ts';
import { saveAllCommits } from '../../../src/contributions/items/commit-store.ts';
import { saveResolved } from '../../../src/contributions/items/identity-store.ts';
import { endRecount, recountNextDays } from '../../../src/contributions/totals/recount-commits-store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { Computations } from '../../../src/http/pipeline/computations.ts';
import { recountCommitsOnDay } from '../../../src/sync/totals/recount-large-day.ts';
import { addRepository } from './stored-repository.ts';

const now = new Date('2026-06-01T00:00:00Z');
const people = 4;

export interface Filled {
  repositoryId: string;
  /** The address of which another account is found. */
  address: number;
  /** The account that is found. */
  found: string;
  /** A further account. */
  other: string;
}

/** Stores commits of some people on as many days, all counted, and a list of the contributors. */
export async function fill({ connection, pool }: Database, commits: number): Promise<Filled> {
  const repositoryId = await addRepository(connection);
  await pool.query(`
    insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
    select gen_random_uuid(), 'github', 'p' || n, '', 'user', 'person-' || n, now(), now(), now()
    from generate_series(1, ${people}) n;
    insert into identities (provider, email, account_id)
    select 'github', external_id || '@x.org', id from accounts where external_id like 'p%'`);
  await pool.query(
    `with used as (
       insert into repository_identities (repository_id, identity_id, is_author) select $1, id, true from identities)
     insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
     select $1, decode(md5(n::text), 'hex'), at, at, 1, array[i.id]
     from generate_series(1, ${commits}) n
     cross join lateral (select '2026-05-01T12:00:00Z'::timestamptz - n / 2 * interval '1 day' as at) t
     join identities i on i.email = 'p' || (n % ${people} + 1) || '@x.org'`,
    [repositoryId],
  );
  await inTransaction(connection, (transaction) => recountRepository(transaction, repositoryId));
  const { rows } = await pool.query<{ id: string; owner: string }>(
    'select r.id, owner_id as owner from repositories r',
  );
  const computations = new Computations({ findVersion: () => 0 }, () => false);
  const scope = { accountId: rows[0]?.owner ?? '', repositoryId: null, includesPrivate: false };
  await currentRanking({ connection, computations, now: () => now }, scope);
  const { rows: found } = await pool.query<Omit<Filled, 'repositoryId'>>(
    `select i.id as address, a.id as found, o.id as other from identities i, accounts a, accounts o
     where i.email = 'p1@x.org' and a.external_id = 'p2' and o.external_id = 'p3'`,
  );
  return { repositoryId, ...(found[0] ?? assert.fail()) };
}

/** Stores that an address belongs to another account. */
export function findAccount(connection: Connection, { address, found }: Filled): Promise<void> {
  return inTransaction(connection, (to) => saveResolved(to, [{ id: address, accountId: found }], now));
}

export async function storeCommit({ connection }: Database, { repositoryId }: Filled, at: Date): Promise<void> {
  async function* batches() {
    yield [{ oid: 'a'.repeat(40), authoredAt: at, committedAt: at, emails: ['p4@x.org'] }];
  }
  await saveAllCommits(connection, batches(), { provider: 'github', repositoryId, scanNumber: 1, isCounted: false });
}

/** Counts part after part to the end. @param onPart called after each of them. */
export async function recount(
  connection: Connection,
  { repositoryId }: Filled,
  rows: number,
  onPart: () => Promise<void> = async () => {},
): Promise<void> {
  const { signal } = new AbortController();
  for (;;) {
    const next = await inTransaction(connection, (to) => recountNextDays(to, repositoryId, rows));
    if (next !== 'done' && next !== 'more')
      await recountCommitsOnDay(connection, { repositoryId, days: next, signal }, rows);
    await onPart();
    if (next === 'done') break;
  }
  await inTransaction(connection, (to) => endRecount(to, repositoryId));
}

/** All numbers, of which days, people, lists and sums of the owner must agree at any time. */
export async function findNumbers({ pool }: Database) {
  const { rows } = await pool.query<{
    days: unknown;
    people: unknown;
    listed: unknown;
    summed: unknown;
    whole: unknown;
  }>(`
    with d as materialized (select account_id, sum(commits) as commits from contribution_days group by account_id),
      t as materialized (select account_id, commits from contributor_totals)
    select
      (select json_object_agg(external_id, commits order by external_id) from d join accounts a on a.id = d.account_id) as days,
      (select json_object_agg(external_id, commits order by external_id) from t join accounts a on a.id = t.account_id) as people,
      (select json_object_agg(external_id, contributions order by external_id)
        from ranks k join accounts a on a.id = k.account_id where until_version is null) as listed,
      (select sum(commits)::integer from owner_sums) as summed,
      (select commits from repository_totals) as whole`);
  return rows[0] ?? assert.fail();
}

export async function assertAgree(database: Database): Promise<void> {
  const { days, people: each, listed, summed, whole: repositoryTotal } = await findNumbers(database);
  assert.deepEqual(each, days, 'the totals of people are the sums of their days');
  assert.deepEqual(listed, each, 'the list has the totals of people');
  assert.equal(summed, repositoryTotal);
}

/** Returns the numbers after a recount in one transaction. */
export async function findExpected(database: Database, filled: Filled): Promise<unknown> {
  await inTransaction(database.connection, (to) => recountRepository(to, filled.repositoryId));
  return findNumbers(database);
}

import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { findRepository } from '../src/accounts/repositories/store.ts';
import type { Database } from '../src/database/connections/connection.ts';
import { inTransaction } from '../src/database/connections/transaction.ts';
import type { SyncContext } from '../src/sync/context.ts';
import { ActorsOfScan, savePage } from '../src/sync/streams/read-stream.ts';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir } from './bench-service.ts';
import { median } from './load.ts';
import { newIssue } from './new-issue.ts';
import { sized } from './size.ts';

const people = 500;
const sizes = [
  { name: 'storing-issue', items: 1, rounds: sized(300, 3) },
  { name: 'storing-page', items: 100, rounds: sized(60, 3) },
];

/**
 * Measures how long the database works on new issues with all that follows from them, alternating with a transaction that
 * only stores the same rows and adds to the same totals.
 */
export async function run(): Promise<BenchResult[]> {
  await using place = await makeDataDir();
  const { database } = place;
  const repositoryId = await fill(database.pool);
  const results: BenchResult[] = [];
  for (const { name, items, rounds } of sizes) {
    const ratios: number[] = [];
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const numbers = Array.from({ length: items }, (_, index) => round * items + index);
      const stored = await findTime(() => storeIssues(database, repositoryId, `${name}-`, numbers));
      const bare = await findTime(() => storeBare(database.pool, repositoryId, `${name}-`, numbers));
      ratios.push(stored / bare);
      times.push(stored);
    }
    results.push({
      name,
      ratio: median(ratios),
      goal: '<=3.5',
      baseline: 'one statement each for the rows, and for the totals by repository, person and day, in one transaction',
      detail: `${median(times).toFixed(1)} ms`,
    });
  }
  return results;
}

async function findTime(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

async function fill(pool: Pool): Promise<string> {
  const [repositoryId, ownerId] = [uuidv7(), uuidv7()];
  await pool.query(
    `insert into accounts (id, provider, external_id, handle, type, name, named_at, fetched_at, created_at, updated_at)
     values ($1, 'github', 'owner', 'owner', 'organization', 'owner', now(), now(), now(), now())`,
    [ownerId],
  );
  await pool.query(
    `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
     select gen_random_uuid(), 'github', 'p' || n, 'p' || n, 'user', 'p' || n, now(), now(), now()
     from generate_series(0, $1) n`,
    [people - 1],
  );
  await pool.query(
    `insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
       listed_at, installed_at, created_at, updated_at)
     values ($1, 'github', '1', '1', $2, 'busy', false, false, now(), now(), now(), now(), now())`,
    [repositoryId, ownerId],
  );
  for (const table of ['contributions', 'repository_totals', 'contributor_totals', 'contribution_days'])
    await pool.query(`create table bare_${table} (like ${table} including defaults including indexes)`);
  await pool.query('analyze');
  return repositoryId;
}

function toAuthor(number: number): string {
  return `p${number % people}`;
}

async function storeIssues(
  { connection }: Database,
  repositoryId: string,
  prefix: string,
  numbers: readonly number[],
): Promise<void> {
  const repository = await findRepository(connection, repositoryId);
  if (repository === undefined) throw new Error('the repository is not stored');
  const context = { connection, newId: uuidv7, now: () => new Date() } as unknown as SyncContext;
  const now = new Date();
  const contributions = numbers.map((number) => newIssue(`${prefix}${number}`, toAuthor(number), now));
  const actors = [...new Set(numbers.map(toAuthor))].map((id) => ({
    externalId: id,
    handle: id,
    type: 'user' as const,
    name: id,
    displayName: '',
    avatarUrl: '',
  }));
  const page = { contributions, actors, wholeParents: [], nextCursor: null, total: null, pageSize: 100 };
  const read = { repository, page, requestedAt: new Date(0), seenAt: now, actors: new ActorsOfScan() };
  await inTransaction(connection, (transaction) => savePage(context, transaction, read));
}

async function storeBare(pool: Pool, repositoryId: string, prefix: string, numbers: readonly number[]): Promise<void> {
  const client = await pool.connect();
  const authors = numbers.map(toAuthor);
  const counted = `from unnest($2::text[]) p (external_id) join accounts a on a.provider = 'github' and a.external_id = p.external_id`;
  try {
    await client.query('begin');
    await client.query(
      `insert into bare_contributions (repository_id, kind, external_id, account_id, created_at, updated_at, seen_at)
       select $1, 'issue', e, a.id, now(), now(), now() from unnest($2::text[], $3::text[]) p (external_id, e)
       join accounts a on a.provider = 'github' and a.external_id = p.external_id`,
      [repositoryId, authors, numbers.map((number) => `${prefix}${number}`)],
    );
    await client.query(
      `insert into bare_repository_totals as t (repository_id, issues) values ($1, $2)
       on conflict (repository_id) do update set issues = t.issues + excluded.issues`,
      [repositoryId, numbers.length],
    );
    await client.query(
      `insert into bare_contributor_totals as t (repository_id, account_id, commits, issues, pull_requests, reviews, discussions)
       select $1, a.id, 0, count(*), 0, 0, 0 ${counted} group by a.id order by a.id
       on conflict (repository_id, account_id) do update set issues = t.issues + excluded.issues`,
      [repositoryId, authors],
    );
    await client.query(
      `insert into bare_contribution_days as t (account_id, repository_id, day, issues)
       select a.id, $1, current_date, count(*) ${counted} group by a.id order by a.id
       on conflict (account_id, repository_id, day) do update set issues = t.issues + excluded.issues`,
      [repositoryId, authors],
    );
    await client.query('commit');
  } finally {
    client.release();
  }
}

import assert from 'node:assert/strict';
import type { Database } from '../src/database/connections/connection.ts';
import { inTransaction } from '../src/database/connections/transaction.ts';
import { collectNamedRepository } from '../src/sync/streams/collect.ts';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir } from './bench-service.ts';
import { createIssueSource, unstoppedWork } from './issue-source.ts';
import { median } from './load.ts';
import { recountRepository } from './recount-repository.ts';
import { sized } from './size.ts';
import { toSyncContext } from './sync-context.ts';

const sizes = sized({ small: 1000, large: 1_000_000 }, { small: 100, large: 2000 });
const people = sized(20_000, 200);
const events = sized(300, 3);
const rounds = sized(5, 1);

/** Measures the cost of one known event, without the provider: with much data stored, against with little. */
export async function run(): Promise<BenchResult[]> {
  await using place = await makeDataDir();
  const { database } = place;
  await addPeople(database);
  const small = await makeRepository(database, 'small', sizes.small);
  const large = await makeRepository(database, 'large', sizes.large);
  await database.pool.query('vacuum analyze');
  const ratios: number[] = [];
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const one = await apply(database, small, round);
    const other = await apply(database, large, round);
    ratios.push(other / one);
    best = Math.min(best, other);
  }
  const { rows } = await database.pool.query('select count(*) from contributions');
  assert.deepEqual(rows, [{ count: sizes.small + sizes.large + 2 * rounds * events }]);
  return [
    {
      name: 'growth',
      ratio: median(ratios),
      goal: '<=1.5',
      baseline: `one event of a repository with ${sizes.small.toLocaleString('en')} stored contributions`,
      detail: `${best.toFixed(1)} ms with ${sizes.large.toLocaleString('en')}, at best`,
    },
  ];
}

interface Place {
  name: string;
  accountId: string;
  contributions: number;
}

async function addPeople({ pool }: Database): Promise<void> {
  await pool.query(
    `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
     select gen_random_uuid(), 'github', n::text, 'U_' || n, 'user', 'person-' || n, now(), now(), now()
     from generate_series(1, $1) n`,
    [people],
  );
}

/** Creates an organization with one repository, to which people contributed for ten years. */
async function makeRepository({ connection, pool }: Database, name: string, contributions: number): Promise<Place> {
  const { rows } = await pool.query<{ owner: string; repository: string }>(
    `with owner as (
       insert into accounts (id, provider, external_id, handle, type, name, named_at, fetched_at, listed_at, created_at,
         updated_at)
       values (gen_random_uuid(), 'github', $1, $1, 'organization', $1, now(), now(), now(), now(), now()) returning id),
     made as (
       insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
         listed_at, installed_at, created_at, updated_at)
       select gen_random_uuid(), 'github', $1, $1, id, $1, false, false, now(), now(), now(), now(), now() from owner
       returning id, owner_id)
     select owner_id as owner, id as repository from made`,
    [name],
  );
  const { owner, repository } = rows[0] ?? {};
  if (owner === undefined || repository === undefined) throw new Error('nothing was made');
  // Everything was read just now, so that the events are read as changes.
  await pool.query(
    `insert into streams (repository_id, name, covers, known_until, completed_at, full_scan_at, is_deep)
     values ($1, 'issues', '{issue}', now(), now(), now(), true)`,
    [repository],
  );
  await pool.query('alter table contributions disable trigger user');
  await pool.query(
    `insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, closed_at, seen_at)
     select $1, case n % 3 when 0 then 'issue' when 1 then 'pull_request' else 'review' end, n::text, a.id, at, at,
       case when n % 2 = 0 then at end, now()
     from generate_series(1, $2) n
     cross join lateral (select now() - (n % 3650) * interval '1 day' - interval '1 hour' as at) t
     join accounts a on a.provider = 'github' and a.external_id = ((n::bigint * 7919) % $3 + 1)::text`,
    [repository, contributions, people],
  );
  await pool.query('alter table contributions enable trigger user');
  await inTransaction(connection, (transaction) => recountRepository(transaction, repository));
  return { name, accountId: owner, contributions };
}

/** Returns the median time of an event, in ms. */
async function apply(
  { connection }: Database,
  { name, accountId, contributions }: Place,
  round: number,
): Promise<number> {
  let done = 0;
  const source = createIssueSource({ externalId: name, name }, () => ({
    id: `new ${round * events + done}`,
    author: String(((round * events + done) % people) + 1),
    total: contributions,
  }));
  const context = toSyncContext(connection, source);
  const times: number[] = [];
  for (; done < events; done += 1) {
    const begun = performance.now();
    await collectNamedRepository(context, { accountId, repository: name, withPrivate: false }, unstoppedWork);
    times.push(performance.now() - begun);
  }
  return median(times);
}

import type { Pool } from 'pg';
import { hideRepository } from '../src/accounts/repositories/hide-store.ts';
import type { Place, Version } from '../src/contributions/contributors/contributor.ts';
import { currentRanking } from '../src/contributions/contributors/ranking.ts';
import { findContributors } from '../src/contributions/contributors/store.ts';
import type { Database } from '../src/database/connections/connection.ts';
import { inTransaction } from '../src/database/connections/transaction.ts';
import { Computations } from '../src/http/pipeline/computations.ts';
import type { SyncContext } from '../src/sync/context.ts';
import { recordVisibility } from '../src/sync/lookups/record-state.ts';
import { collectNamedRepository } from '../src/sync/streams/collect.ts';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir } from './bench-service.ts';
import { createIssueSource, unstoppedWork } from './issue-source.ts';
import { sized } from './size.ts';
import { toSyncContext } from './sync-context.ts';

/** The organization with many repositories: of the people, a few contribute to most repositories, and most to a few. */
const large = sized({ repositories: 2000, people: 50_000 }, { repositories: 20, people: 200 });
/** People of each event's repository, which both organizations have. */
const peopleOfOne = sized(500, 20);
const events = sized(40, 2);
const pageSize = 30;

/** Measures the cost of one event for an owner with one repository, and one with thousands: blocks of the database. */
export async function run(): Promise<BenchResult[]> {
  await using place = await makeDataDir();
  const { database } = place;
  await addPeople(database.pool);
  const small = await addOwner(database.pool, 'small', 1);
  const big = await addOwner(database.pool, 'large', large.repositories);
  await database.pool.query('vacuum analyze');
  const costs = { small: await measure(database, small), large: await measure(database, big) };
  const baseline = 'the same for an owner with one repository';
  return (['event', 'list', 'page', 'hide'] as const).map((what) => ({
    name: `owners-${what}`,
    ratio: costs.large[what].blocks / costs.small[what].blocks,
    goal: what === 'hide' ? 'none' : '<=1.5',
    baseline,
    detail: `${costs.large[what].blocks.toFixed(0)} blocks, ${costs.large[what].ms.toFixed(1)} ms, for ${large.repositories.toLocaleString('en')} repositories and ${large.people.toLocaleString('en')} people`,
  }));
}

interface Owner {
  name: string;
  accountId: string;
}

async function addPeople(pool: Pool): Promise<void> {
  await pool.query(
    `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
     select gen_random_uuid(), 'github', n::text, 'U_' || n, 'user', 'person-' || n, now(), now(), now()
     from generate_series(1, $1) n`,
    [large.people],
  );
}

/** Creates an organization. The events happen in its first repository, which has its name. */
async function addOwner(pool: Pool, name: string, repositories: number): Promise<Owner> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into accounts (id, provider, external_id, handle, type, name, named_at, fetched_at, listed_at, created_at,
       updated_at)
     values (gen_random_uuid(), 'github', $1, $1, 'organization', $1, now(), now(), now(), now(), now()) returning id`,
    [name],
  );
  const accountId = rows[0]?.id ?? '';
  await pool.query(
    `insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
       listed_at, installed_at, stars, created_at, updated_at)
     select gen_random_uuid(), 'github', e, e, $2, e, false, false, now(), now(), now(), n, now(), now()
     from generate_series(1, $3) n cross join lateral (select $1 || case when n = 1 then '' else '-' || n end as e) named`,
    [name, accountId, repositories],
  );
  await pool.query(
    `insert into streams (repository_id, name, covers, known_until, completed_at, full_scan_at, is_deep)
     select id, 'issues', '{commit,issue,pull_request,review,discussion}', now(), now(), now(), true from repositories where owner_id = $1`,
    [accountId],
  );
  await pool.query(
    `with numbered as (select id, row_number() over (order by length(name), name) as n from repositories where owner_id = $1)
     insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, seen_at)
     select r.id, 'issue', p.n::text, a.id, now() - interval '1 day', now() - interval '1 day', now()
     from numbered r
     cross join lateral generate_series(1, case when r.n = 1 then $2 else 5 + ($3 * 0.9 / r.n)::integer end) p (n)
     join accounts a on a.provider = 'github'
       and a.external_id = ((case when r.n = 1 then p.n else p.n * p.n + r.n * 7919 end) % $3 + 1)::text
     on conflict do nothing`,
    [accountId, peopleOfOne, large.people],
  );
  return { name, accountId };
}

interface Cost {
  blocks: number;
  ms: number;
}

async function measure(database: Database, owner: Owner): Promise<Record<'event' | 'list' | 'page' | 'hide', Cost>> {
  const { connection, pool } = database;
  const services = {
    connection,
    computations: new Computations({ findVersion: () => 0 }, () => false),
    now: () => new Date(),
  };
  const scope = { accountId: owner.accountId, repositoryId: null, includesPrivate: false };
  const place = { withBots: true, viewerId: null };
  const context = toContext(database, owner);
  const requested = { accountId: owner.accountId, repository: owner.name, withPrivate: false };
  const apply = async (): Promise<void> => {
    await collectNamedRepository(context, requested, unstoppedWork);
  };
  await apply();
  await currentRanking(services, scope);
  const cost = { event: noCost(), list: noCost(), page: noCost(), hide: noCost() };
  for (let event = 0; event < events; event += 1) {
    add(cost.event, await findCost(pool, apply));
    let ranking: Version = { id: 0, version: 0 };
    let after: Place | undefined;
    const list = async (): Promise<void> => {
      ranking = await currentRanking(services, scope);
      const found = await findContributors(connection, ranking, { ...place, limit: pageSize });
      const last = found.at(-1);
      after = last && { ...last, accountId: last.id };
    };
    add(cost.list, await findCost(pool, list));
    const next = (): Promise<unknown> => findContributors(connection, ranking, { ...place, limit: pageSize, after });
    add(cost.page, await findCost(pool, next));
  }
  cost.hide = await findCost(pool, async () => {
    const { rows } = await pool.query<{ id: string }>(
      'select id from repositories where owner_id = $1 order by length(name) desc, name limit 1',
      [owner.accountId],
    );
    await inTransaction(connection, async (transaction) => {
      await hideRepository(transaction, rows[0]?.id ?? '', new Date());
      await recordVisibility(context, transaction, [owner.accountId]);
    });
  });
  return cost;
}

function noCost(): Cost {
  return { blocks: 0, ms: 0 };
}

function add(sum: Cost, { blocks, ms }: Cost): void {
  sum.blocks += blocks / events;
  sum.ms += ms / events;
}

async function findCost(pool: Pool, work: () => Promise<unknown>): Promise<Cost> {
  const before = await readBlocks(pool);
  const begun = performance.now();
  await work();
  const ms = performance.now() - begun;
  return { blocks: (await readBlocks(pool)) - before, ms };
}

/** Returns the number of blocks that this database has read so far, in its tables and indexes. */
async function readBlocks(pool: Pool): Promise<number> {
  // Each session keeps its numbers for a while.
  const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
  for (const client of clients) await client.query('select pg_stat_force_next_flush()');
  for (const client of clients) client.release();
  const { rows } = await pool.query<{ blocks: number }>(
    `select sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit + coalesce(toast_blks_read + toast_blks_hit
       + tidx_blks_read + tidx_blks_hit, 0))::integer as blocks from pg_statio_user_tables`,
  );
  return rows[0]?.blocks ?? Number.NaN;
}

function toContext({ connection }: Database, { name }: Owner): SyncContext {
  let number = 0;
  const provider = createIssueSource({ externalId: name, name }, () => {
    number += 1;
    return { id: `new ${number}`, author: String((number % peopleOfOne) + 1), total: number };
  });
  return toSyncContext(connection, provider);
}

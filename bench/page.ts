import assert from 'node:assert/strict';
import type { PoolClient } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { findRepository } from '../src/accounts/repositories/store.ts';
import { findById } from '../src/accounts/store.ts';
import type { Database } from '../src/database/connections/connection.ts';
import type { ContributionPage, Provider, Streams } from '../src/hosts/interface/provider.ts';
import type { Contribution } from '../src/model/contribution.ts';
import { newCost, type SyncContext } from '../src/sync/context.ts';
import { readStream } from '../src/sync/streams/read-stream.ts';
import { SkipCollector } from '../src/sync/streams/skips.ts';
import { findStreams } from '../src/sync/streams/stream-store.ts';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir } from './bench-service.ts';
import { median } from './load.ts';
import { sized } from './size.ts';

const pages = sized(200, 3);
const rowsPerPage = 100;
const people = 50;
const rounds = sized(7, 1);

/**
 * Measures the contributions that a scan stores in a second, page by page with actors and cursor, against a bare
 * upsert of the same rows and of their totals.
 */
export async function run(): Promise<BenchResult[]> {
  await using place = await makeDataDir();
  const { database } = place;
  const repositoryId = await addRepository(database);
  const ratios: number[] = [];
  let best = 0;
  for (let round = 0; round < rounds; round += 1) {
    const scanned = await rowsPerSecond(database, () => scan(database, repositoryId));
    const { rows } = await database.pool.query<{ id: string }>(
      "select id from accounts where name like 'person-%' order by name",
    );
    const upserted = await rowsPerSecond(database, () =>
      upsertBare(
        database,
        repositoryId,
        rows.map(({ id }) => id),
      ),
    );
    ratios.push(scanned / upserted);
    best = Math.max(best, scanned);
  }
  return [
    {
      name: 'page',
      ratio: median(ratios),
      goal: '>=0.5',
      baseline:
        'one statement each for the same rows in the same table, and for the totals by repository, person and day, one transaction for each page of 100',
      detail: `${Math.round(best).toLocaleString('en')} rows/s at best`,
    },
  ];
}

/** Measures storing all rows in an empty table. */
async function rowsPerSecond({ pool }: Database, store: () => Promise<void>): Promise<number> {
  await pool.query('truncate contributions');
  const begun = performance.now();
  await store();
  const ms = performance.now() - begun;
  const { rows } = await pool.query('select count(*) from contributions');
  assert.deepEqual(rows, [{ count: pages * rowsPerPage }]);
  return (pages * rowsPerPage * 1000) / ms;
}

function toPage(page: number): ContributionPage {
  const contributions = Array.from({ length: rowsPerPage }, (_, index): Contribution => {
    const number = page * rowsPerPage + index;
    const at = new Date(1_700_000_000_000 - number * 60_000);
    return {
      kind: 'issue',
      externalId: String(number),
      parentExternalId: null,
      author: String(number % people),
      createdAt: at,
      updatedAt: at,
      closedAt: number % 2 === 0 ? at : null,
      mergedAt: null,
      answered: false,
      answeredBy: null,
      details: null,
    };
  });
  const actors = Array.from({ length: people }, (_, index) => ({
    externalId: String(index),
    handle: `U_${index}`,
    type: 'user' as const,
    name: `person-${String(index).padStart(2, '0')}`,
    displayName: '',
    avatarUrl: '',
  }));
  const nextCursor = page + 1 < pages ? String(page + 1) : null;
  return { contributions, actors, wholeParents: [], nextCursor, total: null, pageSize: rowsPerPage };
}

/** Scans pages that come out of memory, so that only the work behind the provider is measured. */
async function scan(database: Database, repositoryId: string): Promise<void> {
  const { connection } = database;
  const repository = await findRepository(connection, repositoryId);
  const [stream] = await findStreams(connection, repositoryId);
  if (repository === undefined || stream === undefined) throw new Error('there is nothing to scan');
  const streams: Streams = {
    list: [],
    read: async (_stream, _repository, { cursor }) => toPage(Number(cursor ?? '0')),
  };
  const provider = { streams } as Provider;
  const context = { connection, now: () => new Date(), newId: uuidv7 } as SyncContext;
  const call = { urgency: 'background', signal: new AbortController().signal, cost: newCost() } as const;
  const account = await findById(connection, repository.ownerId);
  if (account === undefined) throw new Error('the repository is nobody’s');
  const known = { owner: 'bench', name: 'bench', handle: 'R_1', defaultBranch: 'main', credentialName: null };
  const subject = { account, repository, known, provider, call, skips: new SkipCollector(call) };
  await readStream(context, subject, stream, 'everything');
}

async function upsertBare({ pool }: Database, repositoryId: string, accountIds: string[]): Promise<void> {
  const client = await pool.connect();
  try {
    for (let page = 0; page < pages; page += 1) {
      const rows = toPage(page).contributions;
      await client.query('begin');
      await client.query(
        `insert into contributions (repository_id, kind, external_id, account_id, answered, created_at, updated_at, closed_at, seen_at)
         select $1, 'issue', e, a, false, c, c, l, now()
         from unnest($2::text[], $3::uuid[], $4::timestamptz[], $5::timestamptz[]) as u (e, a, c, l)
         on conflict (repository_id, kind, external_id) do update set updated_at = excluded.updated_at`,
        [
          repositoryId,
          rows.map((row) => row.externalId),
          rows.map((row) => accountIds[Number(row.author)]),
          rows.map((row) => row.createdAt),
          rows.map((row) => row.closedAt),
        ],
      );
      await countBare(client, repositoryId, rows, accountIds);
      await client.query('commit');
    }
  } finally {
    client.release();
  }
}

/** Adds the rows of a page to totals without a trigger, with one statement for each table. */
async function countBare(
  client: PoolClient,
  repositoryId: string,
  rows: readonly Contribution[],
  accountIds: readonly string[],
): Promise<void> {
  const counted = [repositoryId, rows.map((row) => accountIds[Number(row.author)]), rows.map((row) => row.createdAt)];
  await client.query(
    `insert into bare_repository_totals as t (repository_id, issues) values ($1, $2)
     on conflict (repository_id) do update set issues = t.issues + excluded.issues`,
    [repositoryId, rows.length],
  );
  await client.query(
    `insert into bare_contributor_totals as t (repository_id, account_id, commits, issues, pull_requests, reviews, discussions)
     select $1, a, 0, count(*), 0, 0, 0 from unnest($2::uuid[]) as u (a) group by a order by a
     on conflict (repository_id, account_id) do update set issues = t.issues + excluded.issues`,
    counted.slice(0, 2),
  );
  await client.query(
    `insert into bare_contribution_days as t (account_id, repository_id, day, issues)
     select a, $1, (c at time zone 'UTC')::date as day, count(*) from unnest($2::uuid[], $3::timestamptz[]) as u (a, c)
     group by a, day order by a, day
     on conflict (account_id, repository_id, day) do update set issues = t.issues + excluded.issues`,
    counted,
  );
}

async function addRepository({ pool }: Database): Promise<string> {
  for (const table of ['repository_totals', 'contributor_totals', 'contribution_days'])
    await pool.query(`create table bare_${table} (like ${table} including defaults including indexes)`);
  const { rows } = await pool.query<{ id: string }>(
    `with owner as (
       insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
       values (gen_random_uuid(), 'github', 'owner', 'O_1', 'organization', 'bench', now(), now(), now()) returning id
     ), repository as (
       insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
         listed_at, created_at, updated_at)
       select gen_random_uuid(), 'github', '1', 'R_1', id, 'bench', false, false, now(), now(), now(), now() from owner
       returning id)
     insert into streams (repository_id, name, covers) select id, 'issues', '{issue}' from repository
     returning repository_id as id`,
  );
  return rows[0]?.id ?? '';
}

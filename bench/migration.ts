import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import type { Database } from '../src/database/connection.ts';
import { migrate } from '../src/database/migrate.ts';
import { openDatabase } from '../src/database/open.ts';
import type { BenchResult } from './bench-result.ts';
import { sized } from './size.ts';

/** The newest migration of release 0.3. */
const before = '0014-icons';
/** BENCH_CONTRIBUTIONS sets the size: 10,000,000 is that of a large instance, which takes minutes. */
const contributions = Number(process.env['BENCH_CONTRIBUTIONS'] ?? sized(100_000, 2000));
const people = sized(20_000, 100);
const contributionsOfRepository = 10_000;
const rowsOfInsert = 500_000;
const probePauseMs = 5;
/** Filling a large database takes long statements. */
const statementTimeoutMs = 7_200_000;

/** Measures how long the upgrade of a database of release 0.3 takes, and how long it keeps writers waiting. */
export async function run(): Promise<BenchResult[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'plaudit-bench-'));
  const options = { databaseUrl: undefined, dataDir, log: () => {}, statementTimeoutMs };
  const database = await openDatabase({ ...options, upTo: before });
  try {
    await fill(database);
    const copyMs = await timed(() => database.pool.query('create table copied as select * from contributions'));
    await database.pool.query('drop table copied');
    const probe = startProbe(database);
    const migrationMs = await timed(() => migrate(database));
    const longestMs = await probe.stop();
    const size = `${contributions.toLocaleString('en')} contributions`;
    return [
      {
        name: 'migration',
        ratio: migrationMs / copyMs,
        goal: 'none',
        baseline: `a copy of the table of ${size}`,
        detail: `${(migrationMs / 1000).toFixed(1)} s from release 0.3; longest wait of a writer ${longestMs.toFixed(0)} ms`,
      },
      {
        name: 'migration-lock',
        ratio: longestMs / migrationMs,
        goal: 'none',
        baseline: 'the time of the whole migration',
        detail: `longest wait of a writer ${longestMs.toFixed(0)} ms with ${size}`,
      },
    ];
  } finally {
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Stores repositories with contributions, their totals and their authors, as release 0.3 did. */
async function fill({ pool }: Database): Promise<void> {
  await pool.query(
    `insert into accounts (id, provider, external_id, handle, type, name, named_at, asked_at, created_at, updated_at)
     select gen_random_uuid(), 'github', n::text, 'U_' || n, 'user', 'person-' || n, now(), now(), now(), now()
     from generate_series(1, $1) n`,
    [people],
  );
  await pool.query(
    `insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
       listed_at, created_at, updated_at)
     select gen_random_uuid(), 'github', n::text, 'R_' || n, a.id, 'repository-' || n, false, false, now(), now(), now(), now()
     from generate_series(0, $1) n join accounts a on a.external_id = (n % $2 + 1)::text`,
    [Math.floor(contributions / contributionsOfRepository), people],
  );
  await pool.query('alter table contributions disable trigger user');
  for (let first = 0; first < contributions; first += rowsOfInsert) {
    await pool.query(
      `insert into contributions (repository_id, kind, external_id, account_id, assignees, created_at, updated_at,
         closed_at, seen_at)
       select r.id, case n % 3 when 0 then 'issue' when 1 then 'pull_request' else 'review' end, n::text, a.id,
         case when n % 10 = 0 then array[a.id] end, at, at, case when n % 2 = 0 then at end, now()
       from generate_series($1::integer, $2) n
       cross join lateral (select now() - (n % 3650) * interval '1 day' - interval '1 hour' as at) t
       join accounts a on a.external_id = ((n % $4 / 10 + n / $4 * 7919::bigint) % $3 + 1)::text
       join repositories r on r.external_id = (n / $4)::text`,
      [first, Math.min(first + rowsOfInsert, contributions) - 1, people, contributionsOfRepository],
    );
  }
  await pool.query('alter table contributions enable trigger user');
  await pool.query(
    `insert into contributor_totals (repository_id, account_id, commits, issues, pull_requests, reviews, discussions)
     select repository_id, account_id, 0, count(*) filter (where kind = 'issue'),
       count(*) filter (where kind = 'pull_request'), count(*) filter (where kind = 'review'), 0
     from contributions group by 1, 2`,
  );
  await pool.query('vacuum analyze');
}

/** Takes the lock of a writer on each large table again and again, each on a connection of its own. */
function startProbe({ clientConfig }: Database): { stop: () => Promise<number> } {
  const ending = new AbortController();
  const probing = ['accounts', 'repositories', 'contributions', 'contributor_totals'].map(async (table) => {
    let longestMs = 0;
    const client = new Client(clientConfig);
    await client.connect();
    while (!ending.signal.aborted) {
      const waited = await timed(() => client.query(`begin; lock table ${table} in row exclusive mode; commit`));
      longestMs = Math.max(longestMs, waited);
      await wait(probePauseMs);
    }
    await client.end();
    return longestMs;
  });
  return {
    stop: async () => {
      ending.abort();
      return Math.max(...(await Promise.all(probing)));
    },
  };
}

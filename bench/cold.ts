import type { Database } from '../src/database/connections/connection.ts';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir, startBareServer, startService } from './bench-service.ts';
import { compare, load } from './load.ts';
import { sized } from './size.ts';

const accounts = sized(100_000, 100);

/** Measures responses that are only in the database: 100,000 accounts, requested at random. */
export async function run(): Promise<BenchResult[]> {
  await using place = await makeDataDir();
  await fillAccounts(place.database, accounts);
  await using service = await startService({ DATA_DIR: place.dataDir, FRESH_FOR_S: '31536000' });
  await using bare = await startBareServer(`${service.url}/v1/github/entities/bench-1/contributions`);
  const path = (): string =>
    `/v1/github/entities/bench-${1 + Math.floor(Math.random() * accounts)}/contributions?v=${Math.random()}`;
  const { ratio, best } = await compare(
    () => load(service.url, { path, pipelining: 1 }),
    () => load(bare.url, { path, pipelining: 1 }),
  );
  return [
    {
      name: 'cold',
      ratio,
      goal: 'none',
      baseline: `bare node:http server, same bytes; ${accounts.toLocaleString('en')} accounts, none in the cache, 16 connections`,
      detail: `${Math.round(best.requestsPerSecond).toLocaleString('en')} requests/s at best, p50 ${best.p50} ms, p99 ${best.p99} ms`,
    },
  ];
}

/** Stores accounts with counters of today, as if they had just been fetched. */
export async function fillAccounts({ pool }: Database, count: number): Promise<void> {
  await pool.query(
    `insert into accounts (id, provider, external_id, handle, type, name, display_name, socials, description,
       named_at, fetched_at, created_at, updated_at, experience)
     select gen_random_uuid(), 'github', n, 'U_' || n, 'user', 'bench-' || n, 'Bench ' || n, '[]', repeat('words ', 20),
       now(), now(), now(), now(), 1000
     from generate_series(1, $1::integer) as n`,
    [count],
  );
  await pool.query(
    `insert into counters (account_id, day, commits, issues, pull_requests, reviews, stars, contributed_to, issues_closed,
       pull_requests_merged, discussions, discussions_answered, missing, updated_at)
     select id, current_date, 500, 100, 100, 100, 50, 30, 50, 60, 5, 5, '{}', now() from accounts`,
  );
  await pool.query('analyze');
}

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir, startService } from './bench-service.ts';
import { median } from './load.ts';
import { sized } from './size.ts';

const program = fileURLToPath(import.meta.url);
const organizations = 100;
const daysPerOrganization = sized(20_000, 100);
const roundMs = sized(4000, 200);
const rounds = sized(5, 1);
const goalMs = 50;
const readers = 4;
const pauseMs = 2;

/** Measures cached responses while 100 calendars of large organizations are requested at once, again and again. */
export async function run(): Promise<BenchResult[]> {
  await using place = await makeDataDir();
  await addOrganizations(place.database.pool);
  await using service = await startService({ DATA_DIR: place.dataDir, LOOKUP_BUDGET_MS: '1000' });
  const entities = `${service.url}/v1/github/entities`;
  const cached = `${entities}/large-1`;
  await request(cached);
  // The first round of calendars loads fonts and compiles code.
  const sent = await requestCalendars(entities, { first: 0, durationMs: 0 });
  const p99s: number[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const idle = await readFor(cached, roundMs);
    // A process of its own, because the times of cached responses must not include the work of 100 clients.
    const load = fork(program, [entities, String(sent.requested), String(roundMs)]);
    const ended = once(load, 'message');
    const busy = await readFor(cached, roundMs);
    const [{ requested, drawn }] = (await ended) as [Calendars];
    sent.requested += requested;
    sent.drawn += drawn;
    p99s.push(p99(busy));
    ratios.push(p99(busy) / p99(idle));
  }
  const baseline = `${goalMs} ms`;
  const detail = `p99 ${median(p99s).toFixed(1)} ms during ${sent.requested.toLocaleString('en')} expensive requests, of which ${sent.drawn.toLocaleString('en')} got their calendar`;
  return [
    { name: 'overload-cached', ratio: median(p99s) / goalMs, goal: '<=1', baseline, detail },
    {
      name: 'overload-idle',
      ratio: median(ratios),
      goal: 'none',
      baseline: 'p99 of the same responses of an idle service',
    },
  ];
}

/** Stores organizations, each with a repository to which people contributed on each day of the last year. */
async function addOrganizations(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    // Only the calendar reads these rows, so that nothing has to be derived from them.
    await client.query('set session_replication_role = replica');
    await client.query(
      `with owners as (
         insert into accounts (id, provider, external_id, handle, type, name, named_at, fetched_at, listed_at, pinned,
           created_at, updated_at)
         select gen_random_uuid(), 'github', 'large-' || n, 'large-' || n, 'organization', 'large-' || n, now(), now(),
           now(), true, now(), now()
         from generate_series(1, $1) n returning id, name),
       made as (
         insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
           listed_at, created_at, updated_at)
         select gen_random_uuid(), 'github', name, name, id, 'engine', false, false, now(), now(), now(), now()
         from owners returning id)
       insert into contribution_days (repository_id, account_id, day, commits, issues)
       select made.id, md5('person' || n)::uuid, current_date - n % 365, 2, 1
       from made cross join generate_series(1, $2) n`,
      [organizations, daysPerOrganization],
    );
    await client.query('reset session_replication_role');
    await client.query('checkpoint');
    await client.query('vacuum analyze');
  } finally {
    client.release();
  }
}

/** Requests the calendars of all organizations at once, and again when all have a response, for some time. */
async function requestCalendars(
  entities: string,
  { first, durationMs }: { first: number; durationMs: number },
): Promise<Calendars> {
  const sent = { requested: 0, drawn: 0 };
  const end = performance.now() + durationMs;
  do {
    // No image of this colour is in the cache.
    const colour = (first + sent.requested).toString(16).padStart(6, '0');
    const calendars = Array.from({ length: organizations }, (_, index) =>
      request(`${entities}/large-${index + 1}/contributions?card=calendar&format=svg&background_color=${colour}`),
    );
    const served = await Promise.all(calendars);
    sent.requested += organizations;
    sent.drawn += served.filter(({ headers }) => headers.get('x-error-code') === null).length;
  } while (performance.now() < end);
  return sent;
}

interface Calendars {
  requested: number;
  /** The number of requests that got their calendar; the others got an image of the error. */
  drawn: number;
}

/** Requests a cached response for some time. @returns the time of each request, in ms. */
async function readFor(url: string, durationMs: number): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + durationMs;
  const read = async (): Promise<void> => {
    while (performance.now() < end) {
      const begun = performance.now();
      await request(url);
      times.push(performance.now() - begun);
      await wait(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: readers }, read));
  return times;
}

async function request(url: string): Promise<Response> {
  const response = await fetch(url);
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  return response;
}

function p99(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
}

if (process.argv[1] === program) {
  const [entities = '', first, durationMs] = process.argv.slice(2);
  process.send?.(await requestCalendars(entities, { first: Number(first), durationMs: Number(durationMs) }));
}

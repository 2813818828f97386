import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Simulator, startSimulator } from '../simulators/github/simulator.ts';
import { addIssue } from '../simulators/world/activity.ts';
import { listContributors } from '../simulators/world/expected-totals.ts';
import type { Database } from '../src/database/connections/connection.ts';
import { newAppliers, type SyncContext } from '../src/sync/context.ts';
import { applyDeliveries } from '../src/sync/deliveries/apply-deliveries.ts';
import { saveDeliveries } from '../src/sync/deliveries/store.ts';
import { appSettings, secret } from '../test/e2e/installations/installed.ts';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir, startService } from './bench-service.ts';
import { median } from './load.ts';
import { sized } from './size.ts';

const events = sized(60, 1);
const deliveries = sized(20_000, 400);
const savedTogether = 200;
const patienceMs = 60_000;
const pollMs = sized(20, 200);

/**
 * Measures how fast deliveries are applied, and the time from a delivery to a changed response, also while a large
 * repository is being read.
 */
export async function run(): Promise<BenchResult[]> {
  return [await applied(), ...(await followed())];
}

/** Measures changes reported of many repositories, against the same updates of rows alone. */
async function applied(): Promise<BenchResult> {
  await using place = await makeDataDir();
  const { connection, pool } = place.database;
  const onFailure = (error: unknown): never => {
    throw error;
  };
  const context = {
    connection,
    now: () => new Date(),
    appliers: newAppliers(),
    providers: new Map(),
    onFailure,
  } as unknown as SyncContext;
  const ours = await perSecond(place.database, async () => {
    // One job applies a limited number; the next one follows.
    while ((await applyDeliveries(context)) === 'more');
  });
  const theirs = await perSecond(place.database, async () => {
    for (let left = 1; left > 0; ) {
      const marked = await pool.query(
        `update deliveries set applied_at = now(), changes = '[]' where id in (
           select id from deliveries where applied_at is null order by received_at limit 200 for update skip locked)`,
      );
      left = marked.rowCount ?? 0;
    }
  });
  return {
    name: 'deliveries-applied',
    ratio: ours / theirs,
    goal: 'none',
    baseline: 'marking the same rows as applied, 200 at a time',
    detail: `${Math.round(ours).toLocaleString('en')} deliveries/s`,
  };
}

async function perSecond({ connection, pool }: Database, apply: () => Promise<unknown>): Promise<number> {
  await pool.query('truncate deliveries');
  for (let from = 0; from < deliveries; from += savedTogether) {
    await saveDeliveries(
      connection,
      Array.from({ length: savedTogether }, (_, index) => ({
        provider: 'github',
        id: randomUUID(),
        event: 'issues',
        receivedAt: new Date(),
        changes: [
          {
            type: 'removed',
            repository: String((from + index) % 500),
            kind: 'issue',
            externalId: String(from + index),
          },
          { type: 'account', account: String((from + index) % 900), name: 'somebody' },
        ],
      })),
    );
  }
  const begun = performance.now();
  await apply();
  const ms = performance.now() - begun;
  const { rows } = await pool.query('select count(*) from deliveries where applied_at is not null');
  assert.deepEqual(rows, [{ count: deliveries }]);
  return (deliveries * 1000) / ms;
}

/** Measures the time from an event to the first response that shows it. */
async function followed(): Promise<BenchResult[]> {
  const limits = { graphqlPerMinute: 1_000_000, corePerMinute: 1_000_000 };
  await using simulator = await startSimulator({ size: sized('busy', 'small'), limits });
  await using place = await makeDataDir();
  await using service = await startService({
    ...appSettings(simulator),
    DATA_DIR: place.dataDir,
    GITHUB_URL: simulator.url,
    GITHUB_API_URL: simulator.apiUrl,
  });
  simulator.app.deliverTo(service.url, secret);
  const { user, organization } = simulator.accounts;
  simulator.app.install(simulator.world.accountByLogin(user) ?? missing(user));
  await until(async () => (await findCount(service.url, simulator)) === contributionsIn(simulator));
  const quiet = await latencies(service.url, simulator);
  simulator.app.install(simulator.world.accountByLogin(organization) ?? missing(organization));
  const has = async (condition: string): Promise<boolean> => {
    const { rows } = await place.database.pool.query(
      `select 1 from streams s join repositories r on r.id = s.repository_id join accounts a on a.id = r.owner_id
       where a.name = $1 and ${condition} limit 1`,
      [organization],
    );
    return rows.length > 0;
  };
  await until(() => has('true'));
  const busy = await latencies(service.url, simulator, () => has('completed_at is null'));
  return [
    {
      name: 'follow',
      ratio: at(busy, 0.99) / at(quiet, 0.99),
      goal: 'none',
      baseline: 'the same while nothing else is read; at the 99th percentile',
      detail: `p50 ${seconds(at(busy, 0.5))}, p99 ${seconds(at(busy, 0.99))} of ${busy.length} while a large repository is read; ${seconds(median(quiet))} and ${seconds(at(quiet, 0.99))} in quiet`,
    },
  ];
}

/**
 * Returns the time from each event to its response, in ms.
 * @param goesOn returns after each event whether another one follows.
 */
async function latencies(
  url: string,
  simulator: Simulator,
  goesOn: () => Promise<boolean> = async () => true,
): Promise<number[]> {
  const { world } = simulator;
  const repository = world.repository(simulator.accounts.user, 'loom') ?? missing('loom');
  const author = world.accountByLogin(simulator.accounts.user) ?? missing(simulator.accounts.user);
  const taken: number[] = [];
  for (let event = 0; event < events && (event === 0 || (await goesOn())); event += 1) {
    addIssue(world, repository, { author });
    const begun = performance.now();
    await until(async () => (await findCount(url, simulator)) === contributionsIn(simulator));
    taken.push(performance.now() - begun);
  }
  return taken;
}

/** Returns the number of contributions to a repository, as the service reports it. */
async function findCount(url: string, { accounts }: Simulator): Promise<number | undefined> {
  const response = await fetch(`${url}/v1/github/entities/${accounts.user}/contributors?repository=loom&limit=100`);
  const { data = [] } = (await response.json()) as { data?: { name: string; contributions: number }[] };
  return data.reduce((sum, { contributions }) => sum + contributions, 0);
}

/** Returns the number of contributions to the same repository in the simulated world. */
function contributionsIn({ world, accounts }: Simulator): number {
  const people = listContributors(world, accounts.user, { repository: 'loom' });
  return people.reduce((sum, { contributions }) => sum + contributions, 0);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error('it never happened');
    await wait(pollMs);
  }
}

function missing(subject: string): never {
  throw new Error(`the world has no ${subject}`);
}

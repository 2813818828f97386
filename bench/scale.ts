import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { eraseAccount } from '../src/access/erasure/store.ts';
import { findById } from '../src/accounts/store.ts';
import { type Config, readConfig } from '../src/config/config.ts';
import { recountRepository } from '../src/contributions/recount-store.ts';
import { type Core, openCore } from '../src/core.ts';
import { createApp, openImages } from '../src/create-app.ts';
import { inTransaction } from '../src/database/transaction.ts';
import { createLog } from '../src/log.ts';
import { hideRepository } from '../src/repositories/hide-store.ts';
import { createCleaningTasks } from '../src/sync/clean-up.ts';
import { collectNamedRepository } from '../src/sync/collect.ts';
import { recordVisibility } from '../src/sync/record-state.ts';
import { updateTotals } from '../src/sync/update-totals.ts';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir } from './bench-service.ts';
import { countBlocks, reportBlocks } from './blocks.ts';
import { createIssueSource, unstoppedWork } from './issue-source.ts';
import { median } from './load.ts';
import { sized } from './size.ts';
import { recountSome, type Size, type StoredOrganization, storeOrganization } from './stored-organization.ts';

/** BENCH_CONTRIBUTIONS sets the larger size: 10,000,000 takes a quarter of an hour, and ten times as many an evening. */
const large = Number(process.env['BENCH_CONTRIBUTIONS'] ?? sized(1_000_000, 4000));
const growth = 10;
const repositories = sized(2000, 20);
const people = sized(50_000, 100);
const rounds = sized(5, 1);
/** The largest exponent of blocks over size at which a cost counts as constant. */
const flat = '<=0.1';

/** Measures the blocks that requests and jobs look at, with much stored, against with a tenth of it. */
export async function run(): Promise<BenchResult[]> {
  const small = await measureSize({ contributions: Math.ceil(large / growth), repositories, people });
  const big = await measureSize({ contributions: large, repositories, people });
  return [...big].map(([name, after]) => {
    const before = small.get(name) ?? after;
    return {
      name: `scale-${name}`,
      ratio: Math.log((after.blocks + 1) / (before.blocks + 1)) / Math.log(growth),
      goal: goalOf(name),
      baseline: `exponent 0: ${before.blocks.toLocaleString('en')} blocks, ${before.ms.toFixed(0)} ms with a tenth`,
      detail: `${after.blocks.toLocaleString('en')} blocks, ${after.ms.toFixed(0)} ms with ${large.toLocaleString('en')} contributions`,
    };
  });
}

/** The days of a window and the rows of one repository grow with the stored data. */
function goalOf(name: string): BenchResult['goal'] {
  return name === 'calendar-organization' || name === 'recount' || name === 'erasure' ? 'none' : flat;
}

interface Cost {
  blocks: number;
  ms: number;
}

async function measureSize(size: Size): Promise<Map<string, Cost>> {
  await using place = await makeDataDir();
  const stored = await storeOrganization(place.database, size);
  assert.equal(await recountSome(place.database, 3), 0, 'the stored sums are not those of the service');
  await place.database.pool.query('vacuum analyze');
  await reportBlocks(place.database.pool);
  const environment = {
    DATA_DIR: place.dataDir,
    GITHUB_API_URL: 'http://127.0.0.1:9',
    PORT: '0',
    RATE_LIMIT_PER_MINUTE: '1000000',
  };
  const config = readConfig(environment, () => '');
  const costs = new Map<string, Cost>();
  const core = await openCore(config, { log: createLog('error') });
  try {
    const counter = countBlocks([core.database.pool, core.requests.pool]);
    const measure = async (
      name: string,
      work: (round: number) => Promise<unknown>,
      times: number = rounds,
    ): Promise<void> => {
      const each: Cost[] = [];
      for (let round = 0; round < times; round += 1) each.push(await counter.measure(() => work(round)));
      costs.set(name, { blocks: median(each.map(({ blocks }) => blocks)), ms: median(each.map(({ ms }) => ms)) });
    };
    await using service = await openWeb(config, core);
    await measureRequests(service, stored, measure);
    await measureJobs(core, service, stored, measure);
  } finally {
    await core.close();
  }
  return costs;
}

type Measure = (name: string, work: (round: number) => Promise<unknown>, times?: number) => Promise<void>;

interface Web extends AsyncDisposable {
  /** Requests a path below the entities while the response cache is empty. */
  get: (path: string) => Promise<void>;
}

/** Opens the web application without a server and without workers. */
async function openWeb(config: Config, core: Core): Promise<Web> {
  const log = createLog('error');
  const images = await openImages(config, core, log);
  const app = await createApp(config, core, {
    log,
    now: core.now,
    registry: new Registry(),
    images,
  });
  return {
    get: async (path) => {
      core.cache.clear();
      const address = `/v1/github/entities/${path}`;
      const { statusCode, headers, body } = await app.inject(address);
      if (statusCode !== 200 || headers['x-error-code'] !== undefined) {
        throw new Error(`${address} has the status ${statusCode}: ${body}`);
      }
    },
    [Symbol.asyncDispose]: async () => {
      await app.close();
      await images.close();
    },
  };
}

/** Measures requests for public data. */
async function measureRequests(
  { get }: Web,
  { name, people: known }: StoredOrganization,
  measure: Measure,
): Promise<void> {
  const person = (round: number): string => known[round % known.length]?.name ?? '';
  // The first card loads fonts.
  await get(`${name}/contributions?format=svg`);
  await measure('organization', () => get(name));
  await measure('person', (round) => get(person(round)));
  await measure('contributions-organization', () => get(`${name}/contributions`));
  await measure('contributions-person', (round) => get(`${person(round)}/contributions`));
  await measure('achievements', (round) => get(`${person(round)}/achievements`));
  await measure('calendar-organization', () => get(`${name}/contributions?card=calendar&format=svg`));
  await get(`${name}/contributors`);
  await measure('contributors', () => get(`${name}/contributors`));
  await measure('contributors-card', () => get(`${name}/contributors?format=svg`));
}

async function measureJobs(core: Core, { get }: Web, stored: StoredOrganization, measure: Measure): Promise<void> {
  const { sync } = core;
  const { connection } = sync;
  const event = applyEvents(core, stored);
  // The first one reads what later ones need no more.
  await event();
  await measure('event', event);
  await measure('event-contributors', () => get(`${stored.name}/contributors`), 1);
  await measure('event-totals', () => updateTotals(sync), 1);
  await measure(
    'recount',
    () => inTransaction(connection, (to) => recountRepository(to, stored.largestRepository.id)),
    1,
  );
  const cleanUp = createCleaningTasks(sync)['clean_up'];
  await measure('clean-up', async () => cleanUp?.run({}, new AbortController().signal));
  await measure(
    'visibility',
    () =>
      inTransaction(connection, async (transaction) => {
        await hideRepository(transaction, stored.otherRepository.id, sync.now());
        await recordVisibility(sync, transaction, [stored.id]);
      }),
    1,
  );
  await measure('erasure', (round) => erase(core, stored.people[round]?.id ?? ''));
}

async function erase({ sync }: Core, id: string): Promise<void> {
  const account = await findById(sync.connection, id);
  if (account === undefined) throw new Error('there is no such account');
  await inTransaction(sync.connection, (transaction) => eraseAccount(transaction, account, sync.now()));
}

/** Returns a function that collects one new issue of the largest repository, whose author is known. */
function applyEvents(
  { sync }: Core,
  { id: accountId, largestRepository: { name }, people: known }: StoredOrganization,
): () => Promise<void> {
  let done = 0;
  const source = createIssueSource({ externalId: 'r1', name }, () => ({
    id: `new ${done}`,
    author: known[done % known.length]?.name.slice('person-'.length) ?? '1',
    total: done,
  }));
  const context = { ...sync, providers: new Map([['github', source]]) };
  return async () => {
    done += 1;
    await collectNamedRepository(context, { accountId, repository: name, withPrivate: false }, unstoppedWork);
  };
}

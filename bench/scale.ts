import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { type Config, readConfig } from '../src/app/config/config.ts';
import { type Core, openCore } from '../src/app/core.ts';
import { createApp, openImages } from '../src/app/create-app.ts';
import { makeList } from '../src/contributions/contributors/ranking.ts';
import { createLog } from '../src/model/log.ts';
import { usualLimits } from '../src/sync/totals/check-totals.ts';
import type { BenchResult } from './bench-result.ts';
import { countBlocks, reportBlocks } from './blocks.ts';
import type { Size } from './fill-organization.ts';
import { foldAll } from './fold-sums.ts';
import { openOrganization } from './kept-organization.ts';
import { median } from './load.ts';
import { type Cost, type Measure, measureJobs } from './scale-jobs.ts';
import { sized } from './size.ts';
import { type Amounts, findTypical, recountSome, type StoredOrganization } from './stored-organization.ts';

/** The larger size: S by default, which CI runs; BENCH_CONTRIBUTIONS=10000000 is M, and ten times as many L (README.md). */
const large = Number(process.env['BENCH_CONTRIBUTIONS'] ?? sized(1_000_000, 4000));
const growth = 10;
const repositories = sized(2000, 20);
const people = sized(50_000, 100);
const rounds = sized(5, 1);
/** That of the service with 10,000,000 contributions. With less, a smaller one, so that no run takes the whole of a repository. */
const share = { rows: Math.min(usualLimits.rows, Math.ceil(large / 1000)), parts: usualLimits.parts };
/** The largest exponent of blocks over size at which a cost counts as constant. */
const flat = '<=0.1';

/** Measures the blocks that requests and jobs look at, with much stored, against with a tenth of it. */
export async function run(): Promise<BenchResult[]> {
  const { costs: small, amounts } = await measureSize({
    contributions: Math.ceil(large / growth),
    repositories,
    people,
  });
  const { costs: big } = await measureSize({ contributions: large, repositories, people }, amounts);
  return [...big].map(([name, after]) => {
    const before = small.get(name) ?? after;
    return {
      name: `scale-${name}`,
      ratio: Math.log((after.blocks + 1) / (before.blocks + 1)) / Math.log(growth),
      goal: withoutGoal.has(name) ? 'none' : flat,
      isOfBlocks: true,
      baseline: `exponent 0: ${before.blocks.toLocaleString('en')} blocks, ${before.ms.toFixed(0)} ms with a tenth`,
      detail: `${after.blocks.toLocaleString('en')} blocks, ${after.ms.toFixed(0)} ms with ${large.toLocaleString('en')} contributions`,
    };
  });
}

/**
 * Without a goal: the days of a window and the people of a list that is made grow with the stored data, and blocks of other
 * processes are not counted.
 */
const withoutGoal = new Set(['calendar-organization', 'contributors-first', 'start-listening', 'start-process']);

/** @param amounts of the smaller size: people and a repository with as much are measured. */
async function measureSize(size: Size, amounts?: Amounts): Promise<{ costs: Map<string, Cost>; amounts: Amounts }> {
  const { stored, ...opened } = await openOrganization(size);
  await using place = opened.place;
  assert.equal(await recountSome(place.database, 3), 0, 'the stored sums are not those of the service');
  await foldAll(place.database.pool, stored.id);
  const typical = await findTypical(place.database.pool, amounts);
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
    const measure: Measure = async (name, work, times = rounds, before = async () => {}) => {
      const each: Cost[] = [];
      for (let round = 0; round < times; round += 1) {
        await before();
        each.push(await counter.measure(() => work(round)));
      }
      // Blocks beyond the fewest are of the system's catalog, which each new connection reads.
      costs.set(name, { blocks: Math.min(...each.map(({ blocks }) => blocks)), ms: median(each.map(({ ms }) => ms)) });
    };
    await using service = await openWeb(config, core);
    // Jobs make a list that takes longer than a request may.
    const list = { accountId: stored.id, includesPrivate: false };
    await measure('contributors-first', () => makeList(core.sync, list), 1);
    // As the server does by itself within a minute. Statistics of an empty table let it find a person by any index.
    await core.database.pool.query('analyze ranks, rankings');
    await measureRequests(service, stored, measure);
    const contributors = (): Promise<void> => service.get(`${stored.name}/contributors`);
    await measureJobs({ core, stored, typical, contributors, dataDir: place.dataDir, share }, measure);
  } finally {
    await core.close();
  }
  return { costs, amounts: typical.amounts };
}

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
  // The first one may read all days of the year from the disk, and take longer than a request may.
  await get(`${name}/contributions?card=calendar&format=svg`).catch(() => {});
  await measure('calendar-organization', () => get(`${name}/contributions?card=calendar&format=svg`));
  await measure('contributors', () => get(`${name}/contributors`));
  await measure('contributors-card', () => get(`${name}/contributors?format=svg`));
}

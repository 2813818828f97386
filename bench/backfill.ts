import assert from 'node:assert/strict';
import { type Simulator, startSimulator } from '../simulators/github/simulator.ts';
import type { Repository } from '../simulators/world/model.ts';
import { findById } from '../src/accounts/store.ts';
import type { Core } from '../src/app/core.ts';
import type { Provider } from '../src/hosts/interface/provider.ts';
import { newCost } from '../src/sync/context.ts';
import { install } from '../src/sync/installations/operator.ts';
import { lookUp } from '../src/sync/lookups/look-up.ts';
import { collectNamedRepository } from '../src/sync/streams/collect.ts';
import { openBenchCore } from './bench-core.ts';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir } from './bench-service.ts';
import { sized } from './size.ts';

/** Documented points of a page of 50 at full depth; a page of other items costs one point. */
const pointsOfPage = { pullRequests: 3, issues: 3 };

/**
 * Reads a repository with 10,000 pull requests at full depth: measures the cost at the provider, and the time of the
 * service itself.
 */
export async function run(): Promise<BenchResult[]> {
  const limits = { graphqlPerMinute: 1_000_000, corePerMinute: 1_000_000, graphql: 1_000_000, core: 1_000_000 };
  await using simulator = await startSimulator({ size: sized('busy', 'small'), limits });
  await using place = await makeDataDir();
  const core = await openBenchCore(simulator, place.dataDir);
  try {
    const repository = busiest(simulator);
    const measured = await timed(core, simulator, repository);
    const { rows } = await core.database.pool.query<{ items: number }>(
      'select ((select count(*) from contributions) + (select count(*) from commits))::integer as items',
    );
    const items = rows[0]?.items ?? 0;
    assert(items >= repository.pullRequests.length + repository.issues.length + repository.discussions.length);
    const perItem = (measured.totalMs - measured.providerMs) / items;
    return [
      {
        name: 'backfill-points',
        ratio: formula(repository) / measured.points,
        goal: '>=0.8',
        baseline: "points by GitHub's formula for the same pages",
        detail: `${measured.requests.toLocaleString('en')} requests, ${measured.points.toLocaleString('en')} points for ${items.toLocaleString('en')} items`,
      },
      {
        name: 'backfill-time',
        ratio: (measured.totalMs - measured.providerMs) / measured.totalMs,
        goal: 'none',
        baseline: 'the whole time, that of the simulated provider included',
        detail: `${perItem.toFixed(2)} ms of the service for an item`,
      },
    ];
  } finally {
    await core.close();
  }
}

function busiest({ world }: Simulator): Repository {
  const [first] = world.repositories.toSorted((one, other) => other.pullRequests.length - one.pullRequests.length);
  if (first === undefined) throw new Error('the world has no repository');
  return first;
}

/** Collects a repository; the time spent waiting for the provider is measured separately. */
async function timed(
  core: Core,
  simulator: Simulator,
  repository: Repository,
): Promise<{ totalMs: number; providerMs: number; requests: number; points: number }> {
  const call = { urgency: 'background', signal: new AbortController().signal, cost: newCost() } as const;
  const owner = simulator.world.accountById(repository.ownerId)?.login ?? '';
  const provider = core.providers.get('github');
  const id = await lookUp(core.sync, { provider: 'github', name: owner }, call);
  const account = id === undefined ? undefined : await findById(core.sync.connection, id);
  const streams = provider?.streams;
  if (provider === undefined || streams === undefined || account === undefined)
    throw new Error('there is nobody to collect for');
  let providerMs = 0;
  const watched: Provider = {
    ...provider,
    streams: {
      list: streams.list,
      read: async (...parameters) => {
        const begun = performance.now();
        try {
          return await streams.read(...parameters);
        } finally {
          providerMs += performance.now() - begun;
        }
      },
    },
  };
  await install(core.sync, { account, provider, repository: repository.name }, call);
  const context = { ...core.sync, providers: new Map([['github', watched]]) };
  const spent = { ...call.cost };
  const begun = performance.now();
  const request = { accountId: account.id, repository: repository.name, withPrivate: false };
  await collectNamedRepository(context, request, { call, onProgress: () => {} });
  return {
    totalMs: performance.now() - begun,
    providerMs,
    requests: call.cost.requests - spent.requests,
    points: call.cost.points - spent.points,
  };
}

function pages(items: number, size: number): number {
  return Math.max(1, Math.ceil(items / size));
}

/** Returns the least points that the pages of a repository cost. */
function formula({ issues, pullRequests, discussions, stars }: Repository): number {
  return (
    pages(pullRequests.length, 50) * pointsOfPage.pullRequests +
    pages(issues.length, 50) * pointsOfPage.issues +
    pages(discussions.length, 50) +
    pages(stars.length, 100)
  );
}

import { type Simulator, startSimulator } from '../simulators/github/simulator.ts';
import { newCost } from '../src/sync/context.ts';
import { lookUp, refresh } from '../src/sync/lookups/look-up.ts';
import { collectAccount, collectNamedRepository } from '../src/sync/streams/collect.ts';
import { openBenchCore } from './bench-core.ts';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir } from './bench-service.ts';
import { sized } from './size.ts';

/** A repository of the organization with a long history. */
const repositoryName = sized('serverpod', 'engine-1');

/** Counts the requests and points of a lookup, a repository and an organization, against the documented formula. */
export async function run(): Promise<BenchResult[]> {
  await using simulator = await startSimulator({
    size: sized('medium', 'small'),
    limits: { graphqlPerMinute: 100_000 },
  });
  await using place = await makeDataDir();
  const core = await openBenchCore(simulator, place.dataDir);
  const { user, organization } = simulator.accounts;
  const measure = async (work: (call: Parameters<typeof lookUp>[2]) => Promise<unknown>) => {
    const call = newCall();
    const points = spent(simulator);
    await work(call);
    return { requests: call.cost.requests, points: spent(simulator) - points };
  };
  const find = (name: string) => (call: Parameters<typeof lookUp>[2]) =>
    lookUp(core.sync, { provider: 'github', name }, call);
  try {
    const one = await measure(find(user));
    const userId = (await find(user)(newCall())) ?? '';
    const again = await measure((call) => refresh(core.sync, userId, call));
    const accountId = (await find(organization)(newCall())) ?? '';
    const repository = await measure((call) =>
      collectNamedRepository(
        core.sync,
        { accountId, repository: repositoryName, withPrivate: false },
        { call, onProgress: () => {} },
      ),
    );
    const all = await measure((call) =>
      collectAccount(core.sync, accountId, { call, onProgress: () => {} }, undefined),
    );
    return [
      result('cost-look-up', 1, one, 'one point: every lifetime counter in one request'),
      result('cost-refresh', 1, again, 'one point'),
      result(
        'cost-repository',
        findExpected(simulator, [repositoryName]),
        repository,
        'a point for 100 items, and for 100 addresses',
      ),
      result(
        'cost-organization',
        findExpected(simulator),
        all,
        'the same for each of its repositories, and for 100 of them',
      ),
    ];
  } finally {
    await core.close();
  }
}

function spent({ requests }: Simulator): number {
  return requests.reduce((sum, { cost }) => sum + cost, 0);
}

function result(
  name: string,
  expected: number,
  { requests, points }: { requests: number; points: number },
  baseline: string,
): BenchResult {
  return {
    name,
    ratio: expected / points,
    goal: '>=0.5',
    baseline,
    detail: `${requests} requests, ${points} points; ${expected} by the formula`,
  };
}

const pages = (items: number): number => Math.ceil(items / 100);

/**
 * Returns the expected cost. A page of a hundred is one request and one point; a pull request's reviews come with it.
 */
function findExpected({ world, accounts }: Simulator, names?: string[]): number {
  const owner = world.accountByLogin(accounts.organization);
  if (owner === undefined) throw new Error('the world has no organization');
  const owned = world
    .owned(owner)
    .filter(({ visibility }) => visibility === 'public')
    .filter(({ name }) => names === undefined || names.includes(name));
  const addresses = new Set<string>();
  const perRepository = owned.map((repository) => {
    const people = repository.commits.flatMap(({ author, coAuthors }) => [author, ...coAuthors]);
    const fresh = new Set(people.map(({ email }) => email.toLowerCase()).filter((email) => !addresses.has(email)));
    for (const email of fresh) addresses.add(email);
    const { issues, pullRequests, discussions } = repository;
    return pages(issues.length) + pages(pullRequests.length) + pages(discussions.length) + pages(fresh.size);
  });
  return pages(owned.length) + perRepository.reduce((sum, points) => sum + points, 0);
}

function newCall() {
  return { urgency: 'background', signal: new AbortController().signal, cost: newCost() } as const;
}

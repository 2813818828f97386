import { type Static, Type } from 'typebox';
import type { RouteServices } from '../../../accounts/resolve.ts';
import { MovedRepository, RepositoryPath, type RequestContext } from '../../../http/pipeline/endpoint.ts';
import { envelope } from '../../../http/pipeline/envelope.ts';
import { PageParameters } from '../../../http/pipeline/pagination.ts';
import { addEndpoint } from '../../../http/pipeline/pipeline.ts';
import type { App } from '../../../http/server/app.ts';
import { type CounterName, counterNames, itemised, listNeeds } from '../../../model/kinds.ts';
import { toListKey } from '../../../model/windows/cursors.ts';
import { countedUntil, type Window, WindowParameters } from '../../../model/windows/window.ts';
import { type LoadedEvidence, readItemFilter } from '../../evidence/evidence.ts';
import type { ItemScope } from '../../evidence/items-store.ts';
import { ListParameters, loadList, narrowedBy } from '../../evidence/list.ts';
import { EvidenceItem, evidenceListing, presentEvidence } from '../../evidence/present.ts';
import { countItems, countItemsOfEach } from '../../evidence/store.ts';
import { type Collected, collectedOfRepository, findCollectedProgress, uncollectedWithin } from '../collected.ts';
import { findRepositoryCounters, type RepositoryCounters } from '../store.ts';

/** The counters of single repositories. */
const names = counterNames.filter((name) => name !== 'contributed_to');

const RepositoryCounterItem = Type.Object(
  {
    repository: Type.String({ description: 'Owner and name.', examples: ['octocat/hello-world'] }),
    contributions: Type.Object(
      Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Integer({ minimum: 0, examples: [24] }))])),
      { title: 'RepositoryCounters', description: 'A fork has no `stars`.' },
    ),
  },
  { title: 'RepositoryContributions' },
);

const CounterPath = Type.Object({
  ...RepositoryPath.properties,
  counter: Type.Enum([...names], { description: 'A counter of the repository.' }),
});

const Query = Type.Object({
  ...PageParameters.properties,
  ...WindowParameters.properties,
  ...ListParameters.properties,
});

/** Registers the counters of one repository, and the items that they count. */
export function repositoryCounterRoutes(app: App, services: RouteServices): void {
  const { resolver } = services;
  addEndpoint(app, services, {
    path: '/v1/:provider/entities/:name/repositories/:repository/contributions',
    operationId: 'listRepositoryContributions',
    tag: 'Contributions',
    summary: 'The counters of one repository, of all people together',
    readers: 'public',
    params: RepositoryPath,
    query: WindowParameters,
    dataType: 'unknown',
    item: RepositoryCounterItem,
    load: async (context) => {
      const collected = await collectedOfRepository(services, context, context.params.repository);
      if (collected === undefined || collected instanceof MovedRepository) return collected;
      const [counters, uncollected] = await Promise.all([
        findCounters(services, context, collected),
        uncollectedWithin(services, collected, context.window),
      ]);
      const missing = listMissing(uncollected);
      return { collected, counters, missing, progress: await findCollectedProgress(services, collected, missing) };
    },
    present: ({ collected, counters, missing, progress }, { isOwner, window }) => ({
      envelope: envelope({
        dataType: 'unknown',
        data: [{ repository: collected.of, contributions: counters }],
        provenance: {
          asOf: collected.asOf,
          missing,
          progress,
          includesPrivate: isOwner,
          ...(window && { window, source: 'collected' }),
        },
      }),
      staleAt: resolver.staleAt(collected.asOf),
    }),
  });
  addEndpoint(app, services, {
    path: '/v1/:provider/entities/:name/repositories/:repository/contributions/:counter',
    operationId: 'listRepositoryCounterEvidence',
    tag: 'Contributions',
    summary: 'The items that a counter of one repository counts, newest first',
    readers: 'public',
    params: CounterPath,
    query: Query,
    listing: evidenceListing,
    dataType: 'unknown',
    item: EvidenceItem,
    hasCsv: true,
    load: async (context) =>
      loadEvidence(services, context, await collectedOfRepository(services, context, context.params.repository)),
    present: (loaded, context) => presentEvidence(services, loaded, context, context.query.format),
  });
}

function requireRepositoryId({ scope }: Collected): string {
  if (scope.repositoryId === null) throw new Error('the scope has no repository');
  return scope.repositoryId;
}

/** Finds the counters of a repository within the window of a request; without one, of the lifetime. */
async function findCounters(
  { connection, now }: Pick<RouteServices, 'connection' | 'now'>,
  { account, window }: Pick<RequestContext<unknown, unknown>, 'account' | 'window'>,
  collected: Collected,
): Promise<RepositoryCounters> {
  const lifetime = await findRepositoryCounters(connection, requireRepositoryId(collected));
  if (window === undefined) return lifetime;
  const scope = { ...toScope(account.id, collected, window, now()), withErased: true };
  // Forks have no stars.
  const counters = itemised.filter(({ name }) => Object.hasOwn(lifetime, name));
  const counts = await countItemsOfEach(connection, scope, counters);
  return Object.fromEntries(counters.map(({ name }) => [name, counts.get(name) ?? 0]));
}

function toScope(ownerId: string, { scope }: Collected, window: Window | undefined, now: Date) {
  return {
    personId: null,
    ownerId,
    repositoryId: scope.repositoryId,
    seesPrivateOf: scope.includesPrivate ? ownerId : null,
    since: window?.since ?? null,
    until: window?.until ?? null,
    countedUntil: window && countedUntil(window, now),
  };
}

/** Returns the counters that lack contributions of kinds. */
function listMissing(uncollected: Collected['uncollected']): string[] {
  return names.filter((name) => listNeeds(name).some((kind) => uncollected.includes(kind)));
}

type Context = RequestContext<Static<typeof CounterPath>, Static<typeof Query>>;

async function loadEvidence(
  services: RouteServices,
  context: Context,
  collected: Collected | MovedRepository | undefined,
): Promise<LoadedEvidence | MovedRepository | undefined> {
  if (collected === undefined || collected instanceof MovedRepository) return collected;
  const { connection, cursors, now } = services;
  const { account, isOwner, query, page, params, window } = context;
  const counter: CounterName = params.counter;
  const { asOf, scope: of } = collected;
  const { since, until, period, time_zone: timeZone } = query;
  const counters = itemised.filter(({ name }) => name === counter);
  const scope: ItemScope = {
    ...toScope(account.id, collected, window, now()),
    filter: readItemFilter(query, counter),
    starKey: counter === 'stars' ? cursors.orderKey('stars') : undefined,
  };
  const count = async (within: ItemScope): Promise<number> => {
    if (window !== undefined) return countItems(connection, { ...within, withErased: true }, counters);
    const all: RepositoryCounters = await findRepositoryCounters(connection, requireRepositoryId(collected));
    return all[counter] ?? 0;
  };
  const wanted = {
    counters,
    scope,
    countsPrivate: of.includesPrivate,
    count: async (within: ItemScope) => ({ total: await count(within), countedWithPrivate: null }),
  };
  const list = { query, window, ofContributors: false, readerId: isOwner ? account.id : null };
  const key = toListKey([of, counter, isOwner, narrowedBy(query), since, until, period, timeZone]);
  const found = await loadList(services, wanted, list, { ...page, key });
  const uncollected = await uncollectedWithin(services, collected, window);
  const missing = listMissing(uncollected).filter((name) => name === counter);
  return {
    ...found,
    window: window && { since: found.scope.since, until: found.scope.until, timeZone: window.timeZone },
    asOf,
    missing,
    progress: await findCollectedProgress(services, collected, missing),
    includesPrivate: isOwner,
  };
}

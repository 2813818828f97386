import { type Static, Type } from 'typebox';
import type { RouteServices } from '../../../accounts/resolve.ts';
import { findByName, isShown } from '../../../accounts/store.ts';
import { AccountPath, MovedRepository, RepositoryPath, type RequestContext } from '../../../http/pipeline/endpoint.ts';
import { PageParameters } from '../../../http/pipeline/pagination.ts';
import { addEndpoint } from '../../../http/pipeline/pipeline.ts';
import type { App } from '../../../http/server/app.ts';
import type { Account } from '../../../model/account.ts';
import { AppError } from '../../../model/errors.ts';
import { contributionKinds, itemised, namesOfKinds } from '../../../model/kinds.ts';
import { toListKey } from '../../../model/windows/cursors.ts';
import { countedUntil } from '../../../model/windows/window.ts';
import { type ItemsWanted, type LoadedEvidence, readItemFilter } from '../../evidence/evidence.ts';
import { endOfCounted } from '../../evidence/items-store.ts';
import { ListParameters, loadList, narrowedBy } from '../../evidence/list.ts';
import { EvidenceItem, evidenceListing, presentEvidence } from '../../evidence/present.ts';
import {
  type Collected,
  collectedOfRepository,
  findCollectedProgress,
  loadCollected,
  uncollectedWithin,
} from '../collected.ts';
import type { Scope } from '../contributor.ts';
import type { ContributorServices } from '../routes.ts';
import {
  findNarrowed,
  RepositoriesQuery,
  readKinds,
  WindowedListQuery,
  type WindowedListTexts,
} from '../windowed-list.ts';
import { countContributor } from '../windowed-list-store.ts';

const LoginPath = Type.Object({ login: Type.String({ maxLength: 255, description: 'Name of the contributor.' }) });

const Query = Type.Object({
  ...PageParameters.properties,
  ...WindowedListQuery.properties,
  ...ListParameters.properties,
});

const QueryOfAccount = Type.Object({ ...Query.properties, ...RepositoriesQuery.properties });

/** Registers the items behind the numbers in the lists of endpoints 3 and 7. */
export function contributorEvidenceRoutes(app: App, services: ContributorServices): void {
  const shared = {
    tag: 'Contributors',
    listing: evidenceListing,
    dataType: 'unknown',
    item: EvidenceItem,
    hasCsv: true,
  } as const;
  addEndpoint(app, services, {
    ...shared,
    path: '/v1/:provider/entities/:name/contributors/:login/evidence',
    operationId: 'listContributorEvidence',
    summary: "The items that a contributor's number counts, newest first",
    readers: 'public',
    params: Type.Object({ ...AccountPath.properties, ...LoginPath.properties }),
    query: QueryOfAccount,
    load: async (context) => {
      const { repository } = context.query;
      const collected = await loadCollected(services, context, repository);
      return load(services, context, collected);
    },
    present: (loaded, context) => presentEvidence(services, loaded, context, context.query.format),
  });
  addEndpoint(app, services, {
    ...shared,
    path: '/v1/:provider/entities/:name/repositories/:repository/contributors/:login/evidence',
    operationId: 'listRepositoryContributorEvidence',
    summary: "The items that a contributor's number in one repository counts, newest first",
    readers: services.anonymousRepositoryContributors === 'all' ? () => 'public' : 'owner',
    params: Type.Object({ ...RepositoryPath.properties, ...LoginPath.properties }),
    query: Query,
    load: async (context) =>
      load(services, context, await collectedOfRepository(services, context, context.params.repository)),
    present: (loaded, context) => presentEvidence(services, loaded, context, context.query.format),
  });
}

type Context = RequestContext<
  Static<typeof LoginPath>,
  Static<typeof Query> & Pick<WindowedListTexts, 'repositories' | 'exclude_repositories'>
>;

const everything = { only: null, except: [] } as const;

async function load(
  services: RouteServices,
  context: Context,
  collected: Collected | MovedRepository | undefined,
): Promise<LoadedEvidence | MovedRepository | undefined> {
  if (collected === undefined || collected instanceof MovedRepository) return collected;
  const { connection, now } = services;
  const { account, isOwner, query, page, window } = context;
  const { scope, asOf } = collected;
  const { id: personId } = await findContributor(services, context, scope);
  const kinds = readKinds(query.kinds);
  const uncollected = await uncollectedWithin(services, collected, window);
  const { kinds: givenKinds, since, until, period, time_zone: timeZone } = query;
  const repositories = await findNarrowed(connection, scope, query, isOwner);
  const narrowed = [...narrowedBy(query), repositories];
  const key = toListKey([scope, personId, narrowed, givenKinds, since, until, period, timeZone]);
  const request: ItemsWanted = {
    counters: itemised.filter((counter) => namesOfKinds(kinds).includes(counter.name)),
    scope: {
      personId,
      ownerId: account.id,
      repositoryId: scope.repositoryId,
      repositories,
      seesPrivateOf: scope.includesPrivate ? account.id : null,
      since: window?.since ?? null,
      until: window?.until ?? null,
      countedUntil: window && countedUntil(window, now()),
      filter: readItemFilter(query),
    },
    countsPrivate: scope.includesPrivate,
    count: async (within) => ({
      total: await countContributor(
        connection,
        { scope, since: within.since, until: endOfCounted(within), kinds, ...(repositories ?? everything) },
        personId,
      ),
      countedWithPrivate: null,
    }),
  };
  const list = { query, window, ofContributors: true, readerId: isOwner ? account.id : null };
  const found = await loadList(services, request, list, { ...page, key });
  const missing = namesOfKinds(uncollected.filter((kind) => kinds.includes(kind)));
  return {
    ...found,
    window: window && { since: found.scope.since, until: found.scope.until, timeZone: window.timeZone },
    asOf,
    missing,
    progress: await findCollectedProgress(services, collected, missing),
    includesPrivate: isOwner,
  };
}

/**
 * Finds a contributor by name. An account that was never looked up is only found where it contributed to the scope,
 * because the service does not reveal which other accounts it stores.
 * @throws AppError `not_found` when the account is not stored, or the caller may not see it.
 */
async function findContributor(
  { connection, resolver }: Pick<RouteServices, 'connection' | 'resolver'>,
  { account, isOwner, params }: Context,
  scope: Scope,
): Promise<Account> {
  const holder = await findByName(connection, account.provider, params.login);
  if (holder?.state === 'present') {
    const { account: person } = holder;
    if (isOwner && person.id === account.id) return person;
    const lifetime = { scope, since: null, until: null, kinds: contributionKinds, ...everything };
    const isKnown = person.fetchedAt !== null || (await countContributor(connection, lifetime, person.id)) > 0;
    if (isShown(person) && isKnown) {
      resolver.checkShown(person);
      return person;
    }
  }
  throw new AppError('not_found', 'There is no such contributor.');
}

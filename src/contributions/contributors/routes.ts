import { type Static, Type } from 'typebox';
import { accountProperties, avatarUrlFor } from '../../accounts/entity.ts';
import type { RouteServices } from '../../accounts/resolve.ts';
import {
  AccountPath,
  type HandlerResult,
  MovedRepository,
  RepositoryPath,
  type RequestContext,
} from '../../http/pipeline/endpoint.ts';
import {
  envelope,
  formatTimestamp,
  type Progress,
  type Provenance,
  TimestampSchema,
} from '../../http/pipeline/envelope.ts';
import { FormatParameter } from '../../http/pipeline/images.ts';
import { cutPage, neighbourCursors, type Page, PageParameters, type Place } from '../../http/pipeline/pagination.ts';
import { addEndpoint } from '../../http/pipeline/pipeline.ts';
import type { App } from '../../http/server/app.ts';
import { type ContributionKind, contributionKinds, namesOfKinds } from '../../model/kinds.ts';
import {
  type Collected,
  collectedOfRepository,
  findCollectedProgress,
  loadCollected,
  uncollectedWithin,
} from './collected.ts';
import type { Contributor } from './contributor.ts';
import { findStart } from './ranking.ts';
import { countAll, countContributors, findContributors } from './store.ts';
import {
  type Limits,
  loadWithinLimits,
  NewcomersQuery,
  RepositoriesQuery,
  readLimits,
  WindowedListQuery,
} from './windowed-list.ts';

const ContributorItem = Type.Object(
  {
    ...accountProperties,
    contributions: Type.Integer({
      description: 'Commits, issues, pull requests, reviews and discussions in all.',
      examples: [42],
    }),
    created_dttm: TimestampSchema(),
  },
  { title: 'Contributor' },
);

const Query = Type.Object({
  ...PageParameters.properties,
  ...WindowedListQuery.properties,
  ...NewcomersQuery.properties,
  format: FormatParameter,
  bots: Type.Optional(Type.Boolean({ description: 'False leaves bots out. Default: true in JSON, false in images.' })),
});

const QueryOfAccount = Type.Object({
  ...Query.properties,
  ...RepositoriesQuery.properties,
});

const listing = 'contributors';

export interface ContributorServices extends RouteServices {
  /** The formats in which callers without a token get the contributors to one public repository. */
  anonymousRepositoryContributors: 'images' | 'all' | 'off';
}

/** Registers endpoints 3 and 7: the contributors to an account's repositories, and to one of them. */
export function contributorRoutes(app: App, services: ContributorServices): void {
  const { anonymousRepositoryContributors: anonymous } = services;
  const shared = {
    listing: { name: listing, defaultLimit: 30 },
    dataType: 'contributor',
    item: ContributorItem,
    cards: ['contributors'],
  } as const;
  addEndpoint(app, services, {
    ...shared,
    path: '/v1/:provider/entities/:name/contributors',
    operationId: 'listContributors',
    tag: 'Contributors',
    summary: 'Who contributed to the repositories of an account',
    description: "Public repositories; with the account's service token private ones too.",
    readers: 'public',
    params: AccountPath,
    query: QueryOfAccount,
    load: async (context) => {
      const { repository } = context.query;
      const limits = readLimits(context.query, context.window);
      const collected = await loadCollected(services, context, repository);
      return loadPage(services, context, collected, limits);
    },
    present: (contributors, context) => present(services, contributors, context),
  });
  addEndpoint(app, services, {
    ...shared,
    path: '/v1/:provider/entities/:name/repositories/:repository/contributors',
    operationId: 'listRepositoryContributors',
    tag: 'Contributors',
    summary: 'Who contributed to one repository of an account',
    description: "Images of public repositories need no token; everything else needs the account's service token.",
    readers: ({ isImage }) => (anonymous === 'all' || (anonymous === 'images' && isImage) ? 'public' : 'owner'),
    params: RepositoryPath,
    query: Query,
    load: async (context) => {
      const limits = readLimits(context.query, context.window);
      if (context.isOwner) services.resolver.refreshStale(context.account);
      const collected = await collectedOfRepository(services, context, context.params.repository);
      return loadPage(services, context, collected, limits);
    },
    present: (contributors, context) => present(services, contributors, context),
  });
}

type Context = RequestContext<unknown, Static<typeof Query>>;

/** A page of contributors. */
interface Contributors extends Counted {
  missing: readonly string[];
  progress: Progress | undefined;
}

interface Counted extends Page<Contributor> {
  collected: Collected;
  /** The kinds that are counted. */
  kinds: readonly ContributionKind[];
  /** Returns the place of a contributor in the list, for cursors. */
  toPlace: (contributor: Contributor) => Place;
  /** The number of contributors after the page, for cards; undefined in JSON. */
  further: number | undefined;
  /** The window, and the origin of its numbers; empty: lifetime. */
  origin: Pick<Provenance, 'window' | 'source'>;
}

async function loadPage(
  services: RouteServices,
  context: Context,
  collected: Collected | MovedRepository | undefined,
  limits: Limits | undefined,
): Promise<Contributors | MovedRepository | undefined> {
  if (collected === undefined || collected instanceof MovedRepository) return collected;
  const counted =
    limits === undefined
      ? await loadLifetime(services, context, collected)
      : await loadWindow(services, context, collected, limits);
  const { uncollected } = counted.collected;
  const missing = namesOfKinds(uncollected.filter((kind) => counted.kinds.includes(kind)));
  return { ...counted, missing, progress: await findCollectedProgress(services, counted.collected, missing) };
}

/** Returns whether the list shows bots: as the request says, or by default in JSON and not in images. */
function includesBots({ query, image }: Context): boolean {
  return query.bots ?? image === undefined;
}

async function loadWindow(
  services: RouteServices,
  context: Context,
  collected: Collected,
  limits: Limits,
): Promise<Counted> {
  const { page, image } = context;
  const wanted = { ...page, withBots: includesBots(context) };
  // The state is read first: contributions collected after that make the numbers newer than the state, never older.
  // A contribution of any former time decides who is a newcomer.
  const uncollected = limits.newcomers
    ? collected.uncollected
    : await uncollectedWithin(services, collected, limits.window);
  const { found, further, listKey, window } = await loadWithinLimits(services, context, collected, limits, wanted);
  return {
    ...cutPage(found, page.limit, page.start),
    collected: { ...collected, uncollected },
    kinds: limits.kinds,
    toPlace: ({ contributions, name, id }) => [...listKey, contributions, name.toLowerCase(), id],
    further: image && further,
    origin: { ...(window && { window }), source: 'collected' },
  };
}

async function loadLifetime(services: RouteServices, context: Context, collected: Collected): Promise<Counted> {
  const {
    account,
    isOwner,
    page: { limit, start },
    image,
  } = context;
  const { connection } = services;
  const { scope } = collected;
  const { version, place } = await findStart(services, start, scope);
  const visible = { withBots: includesBots(context), viewerId: isOwner ? account.id : null };
  const side = start.before === undefined ? { after: place } : { before: place };
  const found = await findContributors(connection, version, { ...visible, limit: limit + 1, ...side });
  const page = cutPage(found, limit, start);
  const last = page.page.at(-1);
  const after = last && { ...last, accountId: last.id };
  const countFurther = async (): Promise<number> =>
    'people' in version
      ? (await countAll(connection, version, visible)) - page.page.length
      : countContributors(connection, version, { ...visible, after });
  return {
    ...page,
    collected,
    kinds: contributionKinds,
    toPlace: ({ contributions, nameKey, id }) => [version.id, version.version, contributions, nameKey, id],
    further: image && (await countFurther()),
    origin: {},
  };
}

function present(
  { cursors, resolver, publicUrl }: RouteServices,
  contributors: Contributors,
  context: Context,
): HandlerResult {
  const { provider, isOwner } = context;
  const { page, missing, progress, toPlace, further, origin } = contributors;
  const { of, asOf } = contributors.collected;
  return {
    envelope: envelope({
      dataType: 'contributor',
      data: page.map((contributor) =>
        toItem(contributor, { url: provider.accounts.toUrl(contributor), publicUrl: publicUrl() }),
      ),
      provenance: {
        asOf,
        missing,
        progress,
        includesPrivate: isOwner,
        ...origin,
      },
      ...neighbourCursors(contributors, (contributor) => cursors.write(listing, toPlace(contributor))),
    }),
    staleAt: resolver.staleAt(asOf),
    ...(further !== undefined && {
      cardInput: { of, further, leavesOutBots: context.query.type === undefined && !includesBots(context) },
    }),
  };
}

function toItem(contributor: Contributor, { url, publicUrl }: { url: string; publicUrl: string }): object {
  return {
    id: contributor.id,
    provider: contributor.provider,
    type: contributor.type,
    name: contributor.name,
    display_name: contributor.displayName,
    url,
    avatar_url: avatarUrlFor(contributor, publicUrl),
    contributions: contributor.contributions,
    created_dttm: formatTimestamp(contributor.createdAt),
  };
}

import { type Static, Type } from 'typebox';
import { accountProperties } from '../accounts/entity.ts';
import type { RouteServices } from '../accounts/resolve.ts';
import { namesOfKinds } from '../contributions/kinds.ts';
import type { App } from '../http/app.ts';
import {
  AccountPath,
  type HandlerResult,
  MovedRepository,
  RepositoryPath,
  type RequestContext,
} from '../http/endpoint.ts';
import { envelope, formatTimestamp, TimestampSchema } from '../http/envelope.ts';
import { FormatParameter } from '../http/images.ts';
import { cutPage, neighbourCursors, type Page, PageParameters, type Place, staleCursor } from '../http/pagination.ts';
import { addEndpoint } from '../http/pipeline.ts';
import { type Collected, collectedOfAccount, collectedOfRepository } from './collected.ts';
import type { Contributor, Scope } from './contributor.ts';
import { currentRanking } from './ranking.ts';
import { countContributors, findContributors, hasRanking } from './store.ts';

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
  format: FormatParameter,
  bots: Type.Optional(Type.Boolean({ description: 'False leaves bots out. Default: true in JSON, false in images.' })),
});

const QueryOfAccount = Type.Object({
  ...Query.properties,
  repository: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Name of one repository to narrow the list to.',
      examples: ['hello-world'],
    }),
  ),
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
      const collected =
        repository === undefined
          ? await collectedOfAccount(services, context)
          : await collectedOfRepository(services, context, repository);
      return loadPage(services, context, collected);
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
      if (context.isOwner) services.resolver.refreshStale(context.account);
      const collected = await collectedOfRepository(services, context, context.params.repository);
      return loadPage(services, context, collected);
    },
    present: (contributors, context) => present(services, contributors, context),
  });
}

type Context = RequestContext<unknown, Static<typeof Query>>;

/** A page of a ranking of contributors. */
interface Contributors extends Page<Contributor> {
  ranking: number;
  collected: Collected;
  /** The number of contributors after the page, for cards. */
  further: number | undefined;
}

async function loadPage(
  services: RouteServices,
  { account, isOwner, query, page: { limit, start }, image }: Context,
  collected: Collected | MovedRepository | undefined,
): Promise<Contributors | MovedRepository | undefined> {
  if (collected === undefined || collected instanceof MovedRepository) return collected;
  const { connection } = services;
  const { scope } = collected;
  const place = start.after ?? start.before;
  const ranking =
    place === undefined
      ? await currentRanking(services, scope)
      : await keptRanking(services, start.after === undefined ? 'before' : 'after', place, scope);
  // Images leave bots out unless the request includes them.
  const visible = { withBots: query.bots ?? image === undefined, viewerId: isOwner ? account.id : null };
  const found = await findContributors(connection, ranking, {
    ...visible,
    limit: limit + 1,
    after: start.after && Number(start.after[1]),
    before: start.before && Number(start.before[1]),
  });
  const page = cutPage(found, limit, start);
  const after = page.page.at(-1)?.rank ?? 0;
  const further = image && (await countContributors(connection, ranking, { ...visible, after }));
  return { ...page, ranking, collected, further };
}

function present(
  { cursors, resolver }: RouteServices,
  contributors: Contributors,
  { provider, isOwner }: Context,
): HandlerResult {
  const { page, ranking, further } = contributors;
  const { asOf, uncollected } = contributors.collected;
  return {
    envelope: envelope({
      dataType: 'contributor',
      data: page.map((contributor) => toItem(contributor, provider.accounts.urlOf(contributor))),
      provenance: { asOf, missing: namesOfKinds(uncollected), includesPrivate: isOwner },
      ...neighbourCursors(contributors, ({ rank }) => cursors.write(listing, [ranking, rank])),
    }),
    staleAt: resolver.staleAt(asOf),
    ...(further !== undefined && { cardInput: { further } }),
  };
}

async function keptRanking(
  { connection }: RouteServices,
  parameter: string,
  [ranking]: Place,
  scope: Scope,
): Promise<number> {
  if (typeof ranking !== 'number' || !(await hasRanking(connection, ranking, scope))) throw staleCursor(parameter);
  return ranking;
}

function toItem(contributor: Contributor, url: string): object {
  return {
    id: contributor.id,
    provider: contributor.provider,
    type: contributor.type,
    name: contributor.name,
    display_name: contributor.displayName,
    url,
    avatar_url: contributor.avatarUrl,
    contributions: contributor.contributions,
    created_dttm: formatTimestamp(contributor.createdAt),
  };
}

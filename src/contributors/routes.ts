import { Type } from 'typebox';
import {
  AccountPath,
  type AccountRouteContext,
  type HandlerResult,
  type Moved,
  privateProblemResponses,
  problemResponses,
  type ResolvedAccount,
  respondForAccount,
  respondForOwner,
} from '../accounts/routes.ts';
import type { ContributionKind } from '../contributions/contribution.ts';
import type { App } from '../http/app.ts';
import { EnvelopeSchema, envelope, formatTimestamp } from '../http/envelope.ts';
import { FormatParameter, type ImageRequest, isImageFormat, withImages } from '../http/images.ts';
import { cutPage, PageParameters, type PageStart, type Place, staleCursor } from '../http/pagination.ts';
import { type Collected, collectedOfAccount, collectedOfRepository } from './collected.ts';
import type { Contributor, Scope } from './contributor.ts';
import { countContributors, currentRanking, findContributors, hasRanking } from './store.ts';

const ContributorItem = Type.Object({
  id: Type.String({ format: 'uuid' }),
  provider: Type.String(),
  type: Type.Enum(['user', 'organization', 'bot']),
  name: Type.String(),
  display_name: Type.String(),
  url: Type.String({ format: 'uri' }),
  avatar_url: Type.String(),
  contributions: Type.Integer({ description: 'Commits, issues, pull requests, reviews and discussions in all.' }),
  created_dttm: Type.String({ format: 'date-time' }),
});

const Query = Type.Object({
  ...PageParameters.properties,
  format: FormatParameter,
  bots: Type.Optional(Type.Boolean({ description: 'False leaves bots out.', default: true })),
});

const RepositoryPath = Type.Object({
  ...AccountPath.properties,
  repository: Type.String({ maxLength: 255, description: 'Name of a repository of the account.' }),
});

const Narrowing = Type.Object({
  repository: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Name of one repository to narrow the list to.' }),
  ),
});

const listing = 'contributors';
const defaultLimit = 30;

/** Names of the kinds of contributions in the field `missing`. */
const kindNames: Record<ContributionKind, string> = {
  commit: 'commits',
  issue: 'issues',
  pull_request: 'pull_requests',
  review: 'reviews',
  discussion: 'discussions',
};

/** Registers endpoints 3 and 7: the contributors to an account's repositories, and to one of them. */
export function contributorRoutes(app: App, context: AccountRouteContext): void {
  app.get(
    '/v1/:provider/entities/:name/contributors',
    {
      schema: {
        summary: 'Who contributed to the repositories of an account',
        description: "Public repositories; with the account's service token private ones too.",
        params: AccountPath,
        querystring: withImages({ ...Query.properties, ...Narrowing.properties }, context.pictures),
        response: { 200: EnvelopeSchema(ContributorItem), ...problemResponses },
      },
      config: { cards: ['contributors'] },
    },
    async (request, reply) => {
      const { repository } = request.query;
      const picture = readPicture(context, request.query);
      const page = readPage(context, request.query, picture);
      return respondForAccount(
        context,
        { request, reply, dataType: 'contributor', picture },
        request.params,
        async (asked) => {
          const collected =
            repository === undefined
              ? await collectedOfAccount(context, asked)
              : await collectedOfRepository(context, asked, repository);
          return makePage(context, asked, collected, page);
        },
      );
    },
  );
  app.get(
    '/v1/:provider/entities/:name/repositories/:repository/contributors',
    {
      schema: {
        summary: 'Who contributed to one repository of the account that the service token is for',
        params: RepositoryPath,
        querystring: withImages(Query.properties, context.pictures),
        security: [{ serviceToken: [] }],
        response: { 200: EnvelopeSchema(ContributorItem), ...privateProblemResponses },
      },
      config: { cards: ['contributors'] },
    },
    async (request, reply) => {
      const picture = readPicture(context, { ...request.query, repository: request.params.repository, own: true });
      const page = readPage(context, request.query, picture);
      const exchange = { request, reply, dataType: 'contributor', picture } as const;
      return respondForOwner(context, exchange, request.params, async (asked) => {
        const collected = await collectedOfRepository(context, asked, request.params.repository);
        return makePage(context, asked, collected, page);
      });
    },
  );
}

interface WantedPage {
  start: PageStart;
  limit: number;
  withBots: boolean;
  isPicture: boolean;
}

/** Reads which image the request wants; undefined when the response is JSON. */
function readPicture(
  { pictures }: AccountRouteContext,
  query: Readonly<Record<string, unknown>>,
): ImageRequest | undefined {
  const { format } = query;
  return isImageFormat(format) ? pictures.request('contributors', format, query) : undefined;
}

function readPage(
  { cursors }: AccountRouteContext,
  query: { limit?: number; after?: string; before?: string; bots?: boolean },
  picture: ImageRequest | undefined,
): WantedPage {
  const isPicture = picture !== undefined;
  // Images leave bots out unless the request includes them.
  const { limit = defaultLimit, bots = !isPicture } = query;
  return { start: cursors.readStart(listing, query), limit, withBots: bots, isPicture };
}

async function makePage(
  context: AccountRouteContext,
  { account, provider, isOwner }: ResolvedAccount,
  collected: Collected | Moved | undefined,
  wanted: WantedPage,
): Promise<HandlerResult> {
  if (collected === undefined || 'repository' in collected) return collected;
  const { scope, asOf, uncollected } = collected;
  const { connection, cursors, now } = context;
  const { start, limit, withBots, isPicture } = wanted;
  const cursorPlace = start.after ?? start.before;
  const ranking =
    cursorPlace === undefined
      ? await currentRanking(connection, scope, now())
      : await keptRanking(context, start.after === undefined ? 'before' : 'after', cursorPlace, scope);
  const visible = { withBots, viewerId: isOwner ? account.id : null };
  const found = await findContributors(connection, ranking, {
    ...visible,
    limit: limit + 1,
    after: start.after && Number(start.after[1]),
    before: start.before && Number(start.before[1]),
  });
  const { page, hasPrevious, hasNext } = cutPage(found, limit, start);
  const cursor = (contributor: Contributor | undefined): string | undefined =>
    contributor && cursors.write(listing, [ranking, contributor.rank]);
  return {
    envelope: envelope({
      dataType: 'contributor',
      data: page.map((contributor) => toItem(contributor, provider.accountUrl(contributor))),
      provenance: { asOf, missing: uncollected.map((kind) => kindNames[kind]), includesPrivate: isOwner },
      previousCursor: hasPrevious ? cursor(page[0]) : undefined,
      nextCursor: hasNext ? cursor(page.at(-1)) : undefined,
    }),
    staleAt: context.resolver.staleAt(asOf),
    ...(isPicture && {
      shown: { further: await countContributors(connection, ranking, { ...visible, after: page.at(-1)?.rank ?? 0 }) },
    }),
  };
}

async function keptRanking(
  { connection }: AccountRouteContext,
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

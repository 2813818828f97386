import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import {
  AccountPath,
  type AccountRouteContext,
  type HandlerResult,
  type Moved,
  problemResponses,
  type ResolvedAccount,
  respondForAccount,
} from '../../accounts/routes.ts';
import type { App } from '../../http/app.ts';
import { envelope } from '../../http/envelope.ts';
import { imageFormats, withImages } from '../../http/images.ts';
import { type Collected, collectedOfAccount, collectedOfRepository } from '../collected.ts';
import { countContributors, currentRanking } from '../store.ts';

const Query = {
  format: Type.Optional(Type.Enum([...imageFormats], { default: 'svg' })),
  bots: Type.Optional(Type.Boolean({ description: 'Counts bots too.', default: false })),
};
const RepositoryPath = Type.Object({
  ...AccountPath.properties,
  repository: Type.String({ maxLength: 255, description: 'Name of a repository of the account.' }),
});
const config = { cards: ['community'], isPicture: true } as const;

type Find = (asked: ResolvedAccount) => Promise<Collected | Moved | undefined>;

/** Registers the badges: small images with the number of contributors, for use in a line of text. */
export function badgeRoutes(app: App, context: AccountRouteContext): void {
  const schema = {
    querystring: withImages(Query, context.pictures),
    produces: ['image/svg+xml', 'image/png'],
    response: problemResponses,
  };
  app.get(
    '/v1/:provider/entities/:name/badges/community',
    { schema: { ...schema, summary: 'A badge of how many contributed to an account', params: AccountPath }, config },
    async (request, reply) =>
      answerWithBadge(context, { request, reply }, request, (asked) => collectedOfAccount(context, asked)),
  );
  app.get(
    '/v1/:provider/entities/:name/repositories/:repository/badges/community',
    {
      schema: { ...schema, summary: 'A badge of how many contributed to a repository', params: RepositoryPath },
      config,
    },
    async (request, reply) =>
      answerWithBadge(context, { request, reply }, request, (asked) =>
        collectedOfRepository(context, asked, request.params.repository),
      ),
  );
}

async function answerWithBadge(
  context: AccountRouteContext,
  exchange: { request: FastifyRequest; reply: FastifyReply },
  asked: {
    params: { provider: string; name: string; repository?: string };
    query: { format?: 'svg' | 'png'; bots?: boolean };
  },
  find: Find,
): Promise<FastifyReply> {
  const { params, query } = asked;
  const { format = 'svg', bots: withBots = false } = query;
  const picture = context.pictures.request('community', format, { ...query, repository: params.repository });
  return respondForAccount(context, { ...exchange, dataType: 'contributor', picture }, params, async (account) => {
    return makeBadge(context, account, await find(account), withBots);
  });
}

async function makeBadge(
  { connection, resolver, now }: AccountRouteContext,
  { account, isOwner }: ResolvedAccount,
  collected: Collected | Moved | undefined,
  withBots: boolean,
): Promise<HandlerResult> {
  if (collected === undefined || 'repository' in collected) return collected;
  const { scope, asOf, uncollected } = collected;
  const ranking = await currentRanking(connection, scope, now());
  const viewerId = isOwner ? account.id : null;
  const further = await countContributors(connection, ranking, { after: 0, withBots, viewerId });
  const provenance = { asOf, missing: uncollected, includesPrivate: scope.includesPrivate };
  return {
    envelope: envelope({ dataType: 'contributor', data: [], provenance }),
    staleAt: resolver.staleAt(asOf),
    shown: { further },
  };
}

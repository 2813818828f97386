import { type Static, Type } from 'typebox';
import type { RouteServices } from '../../../accounts/resolve.ts';
import {
  AccountPath,
  type HandlerResult,
  MovedRepository,
  RepositoryPath,
  type RequestContext,
} from '../../../http/pipeline/endpoint.ts';
import { envelope } from '../../../http/pipeline/envelope.ts';
import { imageFormats } from '../../../http/pipeline/images.ts';
import { addEndpoint } from '../../../http/pipeline/pipeline.ts';
import type { App } from '../../../http/server/app.ts';
import { type Collected, collectedOfRepository, loadCollected } from '../collected.ts';
import { currentRanking } from '../ranking.ts';
import { countAll } from '../store.ts';
import {
  loadWithinLimits,
  NewcomersQuery,
  RepositoriesQuery,
  readLimits,
  WindowedListQuery,
  type WindowedListTexts,
} from '../windowed-list.ts';

const Query = Type.Object({
  format: Type.Optional(Type.Enum([...imageFormats], { default: 'svg' })),
  bots: Type.Optional(Type.Boolean({ description: 'Counts bots too.', default: false })),
  ...WindowedListQuery.properties,
  ...NewcomersQuery.properties,
});

const QueryOfAccount = Type.Object({ ...Query.properties, ...RepositoriesQuery.properties });

/** Registers the badges: small images with the number of contributors, for use in a line of text. */
export function badgeRoutes(app: App, services: RouteServices): void {
  const shared = { readers: 'public', dataType: 'contributor', cards: ['community'] } as const;
  addEndpoint(app, services, {
    ...shared,
    path: '/v1/:provider/entities/:name/badges/community',
    operationId: 'drawCommunityBadge',
    tag: 'Contributors',
    summary: 'A badge of how many contributed to an account',
    params: AccountPath,
    query: QueryOfAccount,
    load: async (context) => {
      const { repository } = context.query;
      const collected = await loadCollected(services, context, repository);
      return load(services, context, collected);
    },
    present: (badge, { query }) => present(services, badge, query),
  });
  addEndpoint(app, services, {
    ...shared,
    path: '/v1/:provider/entities/:name/repositories/:repository/badges/community',
    operationId: 'drawRepositoryCommunityBadge',
    tag: 'Contributors',
    summary: 'A badge of how many contributed to a repository',
    params: RepositoryPath,
    query: Query,
    load: async (context) =>
      load(services, context, await collectedOfRepository(services, context, context.params.repository)),
    present: (badge, { query }) => present(services, badge, query),
  });
}

interface Badge {
  collected: Collected;
  contributors: number;
}

async function load(
  services: RouteServices,
  context: RequestContext<unknown, Static<typeof Query> & WindowedListTexts>,
  collected: Collected | MovedRepository | undefined,
): Promise<Badge | MovedRepository | undefined> {
  if (collected === undefined || collected instanceof MovedRepository) return collected;
  const { account, isOwner, query } = context;
  const limits = readLimits(query, context.window);
  if (limits !== undefined) {
    const emptyPage = { limit: 0, start: {}, withBots: query.bots ?? false };
    return {
      collected,
      contributors: (await loadWithinLimits(services, context, collected, limits, emptyPage)).further,
    };
  }
  const ranking = await currentRanking(services, collected.scope);
  const contributors = await countAll(services.connection, ranking, {
    withBots: query.bots ?? false,
    viewerId: isOwner ? account.id : null,
  });
  return { collected, contributors };
}

function present(
  { resolver }: RouteServices,
  { collected, contributors }: Badge,
  { bots = false, type }: Static<typeof Query>,
): HandlerResult {
  const { scope, asOf, uncollected } = collected;
  const provenance = { asOf, missing: uncollected, includesPrivate: scope.includesPrivate };
  return {
    envelope: envelope({ dataType: 'contributor', data: [], provenance }),
    staleAt: resolver.staleAt(asOf),
    cardInput: { further: contributors, leavesOutBots: type === undefined && !bots },
  };
}

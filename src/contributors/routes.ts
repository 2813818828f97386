import { Type } from 'typebox';
import { AccountPath, type AskedAccount, answerAboutAccount, type Made, problemResponses } from '../accounts/routes.ts';
import { findCollection, findUncollected } from '../contributions/collection-store.ts';
import type { ContributionKind } from '../contributions/contribution.ts';
import { collectJob, collectRepositoryJob } from '../contributions/jobs.ts';
import type { ContributionRouteContext } from '../contributions/routes.ts';
import { findOutcome } from '../database/questions.ts';
import { AppError } from '../errors.ts';
import type { App } from '../http/app.ts';
import { EnvelopeSchema, envelope, formatTimestamp } from '../http/envelope.ts';
import { cutPage, PageParameters, type PageStart, type Place, staleCursor } from '../http/pagination.ts';
import type { Provider } from '../providers/provider.ts';
import { findPublicRepository, type Repository } from '../repositories/store.ts';
import type { Contributor, Scope } from './contributor.ts';
import { currentRanking, findContributors, hasRanking } from './store.ts';

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
  format: Type.Optional(Type.Enum(['json'])),
  bots: Type.Optional(Type.Boolean({ description: 'False leaves bots out.', default: true })),
  repository: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Name of one public repository to narrow the list to.' }),
  ),
});

const listing = 'contributors';
const defaultLimit = 30;

/** Names of kinds of contributions, as `missing` tells them. */
const kindNames: Record<ContributionKind, string> = {
  commit: 'commits',
  issue: 'issues',
  pull_request: 'pull_requests',
  review: 'reviews',
  discussion: 'discussions',
};

/** What a listing shows, and how current it is. */
interface Collected {
  scope: Scope;
  asOf: Date;
  uncollected: ContributionKind[];
}

/** Endpoint 3: who contributed to the public repositories that an account owns, or to one of them. */
export function contributorRoutes(app: App, context: ContributionRouteContext): void {
  app.get(
    '/v1/:provider/entities/:name/contributors',
    {
      schema: {
        summary: 'Who contributed to the public repositories of an account',
        params: AccountPath,
        querystring: Query,
        response: { 200: EnvelopeSchema(ContributorItem), ...problemResponses },
      },
    },
    async (request, reply) => {
      const { limit = defaultLimit, bots = true, repository } = request.query;
      const start = context.cursors.readStart(listing, request.query);
      return answerAboutAccount(context, { request, reply, dataType: 'contributor' }, request.params, async (asked) => {
        const collected =
          repository === undefined
            ? await collectedOfAccount(context, asked)
            : await collectedOfRepository(context, asked, repository);
        return collected && makePage(context, asked.provider, collected, { start, limit, withBots: bots });
      });
    },
  );
}

/** All public repositories. Undefined while not even a part of them is known. */
async function collectedOfAccount(
  context: ContributionRouteContext,
  { account, deadline }: AskedAccount,
): Promise<Collected | undefined> {
  const { connection, resolver, now } = context;
  const job = collectJob(account.id);
  let collection = await findCollection(connection, account.id);
  if (collection.listedAt === null && !account.pinned) {
    const outcome = await findOutcome(connection, job.key, now());
    if (outcome?.state === 'failed') throw outcome.error;
    await resolver.askAndWait(job, deadline, async () => {
      const { listedAt } = await findCollection(connection, account.id);
      return listedAt ?? undefined;
    });
    collection = await findCollection(connection, account.id);
  } else if (!account.pinned && (collection.isUnfinished || resolver.isStale(collection.listedAt))) {
    resolver.askInBackground(job);
  }
  if (collection.listedAt === null) return undefined;
  return {
    scope: { accountId: account.id, repositoryId: null },
    asOf: collection.listedAt,
    uncollected: collection.uncollected,
  };
}

/** One public repository, which is asked for alone: its owner may have thousands. */
async function collectedOfRepository(
  context: ContributionRouteContext,
  { account, provider, deadline }: AskedAccount,
  name: string,
): Promise<Collected | undefined> {
  const { connection, resolver, now } = context;
  if (!provider.isPossibleRepositoryName(name)) throw noSuchRepository();
  const job = collectRepositoryJob({ accountId: account.id, repository: name });
  const find = async (): Promise<{ repository: Repository; uncollected: ContributionKind[] } | undefined> => {
    const repository = await findPublicRepository(connection, account.id, name);
    return repository && { repository, uncollected: await findUncollected(connection, repository.id) };
  };
  let found = await find();
  const isNew = found === undefined || found.repository.collectedAt === null;
  if (isNew && !account.pinned) {
    const outcome = await findOutcome(connection, job.key, now());
    if (outcome?.state === 'failed' && found === undefined) throw outcome.error;
    if (outcome === undefined) {
      await resolver.askAndWait(job, deadline, async () => (await find())?.repository.collectedAt ?? undefined);
    }
    found = await find();
    if (found === undefined && (await findOutcome(connection, job.key, now()))?.state === 'absent') {
      throw noSuchRepository();
    }
  } else if (found !== undefined && !account.pinned && resolver.isStale(found.repository.collectedAt)) {
    resolver.askInBackground(job);
  }
  if (found === undefined && account.pinned) throw noSuchRepository();
  if (found === undefined) return undefined;
  return {
    scope: { accountId: account.id, repositoryId: found.repository.id },
    asOf: found.repository.collectedAt ?? found.repository.listedAt,
    uncollected: found.uncollected,
  };
}

async function makePage(
  context: ContributionRouteContext,
  provider: Provider,
  { scope, asOf, uncollected }: Collected,
  wanted: { start: PageStart; limit: number; withBots: boolean },
): Promise<Made> {
  const { connection, cursors, now } = context;
  const { start, limit, withBots } = wanted;
  const cursorPlace = start.after ?? start.before;
  const ranking =
    cursorPlace === undefined
      ? await currentRanking(connection, scope, now())
      : await keptRanking(context, start.after === undefined ? 'before' : 'after', cursorPlace, scope);
  const found = await findContributors(connection, ranking, {
    limit: limit + 1,
    after: start.after && Number(start.after[1]),
    before: start.before && Number(start.before[1]),
    withBots,
  });
  const { page, hasPrevious, hasNext } = cutPage(found, limit, start);
  const cursor = (contributor: Contributor | undefined): string | undefined =>
    contributor && cursors.write(listing, [ranking, contributor.rank]);
  return {
    envelope: envelope({
      dataType: 'contributor',
      data: page.map((contributor) => toItem(contributor, provider.accountUrl(contributor.name))),
      provenance: { asOf, missing: uncollected.map((kind) => kindNames[kind]), includesPrivate: false },
      previousCursor: hasPrevious ? cursor(page[0]) : undefined,
      nextCursor: hasNext ? cursor(page.at(-1)) : undefined,
    }),
    staleAt: context.resolver.staleAt(asOf),
  };
}

async function keptRanking(
  { connection }: ContributionRouteContext,
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

function noSuchRepository(): AppError {
  return new AppError('not_found', 'This account has no such public repository.');
}

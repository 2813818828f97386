import { Type } from 'typebox';
import { Entity, toEntity } from '../accounts/entity.ts';
import { levelOf } from '../accounts/level.ts';
import { AccountPath, type AccountRouteContext, answerAboutAccount, problemResponses } from '../accounts/routes.ts';
import type { Account } from '../accounts/store.ts';
import type { Connection } from '../database/connection.ts';
import type { App } from '../http/app.ts';
import { EnvelopeSchema, envelope, formatTimestamp } from '../http/envelope.ts';
import { cutPage, PageParameters, type Place, staleCursor } from '../http/pagination.ts';
import { findCollection } from './collection-store.ts';
import { type CountersOfDay, findHistory } from './counter-store.ts';
import { counterNames, experienceOf, unknownCounters } from './counters.ts';
import { collectJob } from './jobs.ts';

export interface ContributionRouteContext extends AccountRouteContext {
  connection: Connection;
}

const ContributionCounters = Type.Object({
  commits: Type.Integer(),
  issues: Type.Integer(),
  pull_requests: Type.Integer(),
  reviews: Type.Integer(),
  stars: Type.Integer(),
  contributed_to: Type.Integer(),
  issues_closed: Type.Integer(),
  pull_requests_merged: Type.Integer(),
  discussions: Type.Integer(),
  discussions_answered: Type.Integer(),
});

/** An account with its lifetime counters. */
const EntityWithContributions = Type.Object({ ...Entity.properties, contributions: ContributionCounters });

const Query = Type.Object({
  ...PageParameters.properties,
  format: Type.Optional(Type.Enum(['json'])),
  private: Type.Optional(
    Type.Boolean({ description: 'Include private contributions, where the caller may see them.', default: false }),
  ),
});

const listing = 'contributions';
const defaultLimit = 1;

/** Endpoint 2: the lifetime counters, now and as they were on the days before. */
export function contributionRoutes(app: App, context: ContributionRouteContext): void {
  app.get(
    '/v1/:provider/entities/:name/contributions',
    {
      schema: {
        summary: "An account's lifetime contributions",
        params: AccountPath,
        querystring: Query,
        response: { 200: EnvelopeSchema(EntityWithContributions), ...problemResponses },
      },
    },
    async (request, reply) => {
      const { limit = defaultLimit } = request.query;
      const start = context.cursors.readStart(listing, request.query);
      return answerAboutAccount(
        context,
        { request, reply, dataType: 'entity' },
        request.params,
        async ({ account, provider }) => {
          const found = await findHistory(context.connection, account.id, {
            limit: limit + 1,
            after: start.after && dayOf('after', start.after, account),
            before: start.before && dayOf('before', start.before, account),
          });
          const isFirstPage = start.after === undefined && start.before === undefined;
          const days = found.length === 0 && isFirstPage ? [neverCounted(account)] : found;
          const { page, hasPrevious, hasNext } = cutPage(days, limit, start);
          const asOf = await lastAsked(context, account);
          const cursor = (day: CountersOfDay | undefined): string | undefined =>
            day && context.cursors.write(listing, [account.id, day.day]);
          return {
            envelope: envelope({
              dataType: 'entity',
              data: page.map((day) => toItem(account, provider.accountUrl(account.name), day)),
              provenance: { asOf, missing: missingOf(page[0]), includesPrivate: false },
              previousCursor: hasPrevious ? cursor(page[0]) : undefined,
              nextCursor: hasNext ? cursor(page.at(-1)) : undefined,
            }),
            staleAt: context.resolver.staleAt(asOf),
          };
        },
      );
    },
  );
}

/** When what the counters come from was last asked for; asks for it anew, behind the answer, when that is due. */
async function lastAsked(context: ContributionRouteContext, account: Account): Promise<Date> {
  const asOf = account.askedAt ?? context.now();
  if (account.type !== 'organization') return asOf;
  const { listedAt, isUnfinished } = await findCollection(context.connection, account.id);
  const isDue = isUnfinished || context.resolver.isStale(listedAt);
  if (isDue && !account.pinned) context.resolver.askInBackground(collectJob(account.id));
  return listedAt !== null && listedAt < asOf ? listedAt : asOf;
}

function dayOf(parameter: string, [accountId, day]: Place, account: Account): string {
  if (accountId !== account.id || typeof day !== 'string') throw staleCursor(parameter);
  return day;
}

function neverCounted(account: Account): CountersOfDay {
  const day = account.createdAt.toISOString().slice(0, 10);
  return { day, counters: unknownCounters, missing: [...counterNames], updatedAt: account.updatedAt };
}

/** Names of what an answer cannot vouch for: counters, and what is summed from them. */
function missingOf(day: CountersOfDay | undefined): string[] {
  const missing = day?.missing ?? [];
  return missing.length === 0 ? [] : [...missing, 'experience', 'level'];
}

function toItem(account: Account, url: string, day: CountersOfDay): object {
  const experience = experienceOf(day.counters);
  return {
    ...toEntity(account, url),
    experience,
    level: levelOf(experience),
    contributions: Object.fromEntries(counterNames.map((name) => [name, day.counters[name] ?? 0])),
    updated_dttm: formatTimestamp(day.updatedAt),
  };
}

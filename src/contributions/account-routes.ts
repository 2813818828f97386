import { Type } from 'typebox';
import { Entity, toEntity, unknownNumbers } from '../accounts/entity.ts';
import type { RouteServices } from '../accounts/resolve.ts';
import { AccountPath } from '../http/pipeline/endpoint.ts';
import { envelope } from '../http/pipeline/envelope.ts';
import { PageParameters } from '../http/pipeline/pagination.ts';
import { addEndpoint } from '../http/pipeline/pipeline.ts';
import type { App } from '../http/server/app.ts';
import type { Account } from '../model/account.ts';
import { type Counters, sumExperience, unknownCounters } from '../model/counters.ts';
import { toLevel } from '../model/level.ts';
import { findDays } from './history.ts';
import { lastFetched } from './last-fetched.ts';
import type { CountersOfDay } from './totals/counter-store.ts';
import { findProgress } from './totals/progress-store.ts';

/** Adds endpoint 1: the account itself, with its experience, which follows from its counters. */
export function accountRoutes(app: App, services: RouteServices): void {
  const { connection, resolver, now, publicUrl } = services;
  addEndpoint(app, services, {
    path: '/v1/:provider/entities/:name',
    operationId: 'getAccount',
    tag: 'Accounts',
    summary: 'An account',
    description: '`experience` and `level` are in `missing` while one of the counters is incomplete.',
    readers: 'public',
    params: AccountPath,
    query: Type.Object({
      ...PageParameters.properties,
      format: Type.Optional(Type.Enum(['json'], { default: 'json' })),
    }),
    // The listing has one item, so that no cursor is ever sent.
    listing: { name: 'entity', defaultLimit: 1 },
    dataType: 'entity',
    item: Entity,
    load: async (context) => {
      const [day] = await findDays(services, context, { limit: 1, start: {}, includesPrivate: false });
      const asOf = await lastFetched(services, context, { includesPrivate: false, isCollected: false });
      const sums = incompleteSums(day);
      const missing = [...unknownNumbers(context.account), ...sums];
      const scope = { accountId: context.account.id, repositoryId: null, withPrivate: false };
      const found = await findProgress(connection, scope, missing, now());
      // Hosts withhold the other numbers.
      const progress = found && sums.length === 0 ? { ...found, reason: 'refused' as const } : found;
      return { counters: day?.counters ?? unknownCounters, asOf, missing, progress };
    },
    present: ({ counters, asOf, missing, progress }, { account, provider }) => ({
      envelope: envelope({
        dataType: 'entity',
        data: [toCountedEntity(account, { url: provider.accounts.toUrl(account), publicUrl: publicUrl() }, counters)],
        provenance: { asOf, missing, progress, includesPrivate: false },
      }),
      staleAt: resolver.staleAt(asOf),
    }),
  });
}

/** Returns the names of the sums of all counters where these may be incomplete. */
export function incompleteSums(day: CountersOfDay | undefined): string[] {
  return (day?.missing ?? []).length === 0 ? [] : ['experience', 'level'];
}

/** Returns an account in the form of the API, with the sums of its lifetime counters. */
export function toCountedEntity(
  account: Account,
  urls: { url: string; publicUrl: string },
  lifetime: Counters,
): Entity {
  const experience = sumExperience(lifetime);
  return { ...toEntity(account, urls), experience, level: toLevel(experience) };
}

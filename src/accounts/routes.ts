import { Type } from 'typebox';
import type { App } from '../http/app.ts';
import { AccountPath } from '../http/endpoint.ts';
import { envelope } from '../http/envelope.ts';
import { PageParameters } from '../http/pagination.ts';
import { addEndpoint } from '../http/pipeline.ts';
import { Entity, toEntity, unknownNumbers } from './entity.ts';
import type { RouteServices } from './resolve.ts';

/** Adds endpoint 1: the account itself. */
export function accountRoutes(app: App, services: RouteServices): void {
  const { resolver, now, publicUrl } = services;
  addEndpoint(app, services, {
    path: '/v1/:provider/entities/:name',
    operationId: 'getAccount',
    tag: 'Accounts',
    summary: 'An account',
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
    // The account is resolved already.
    load: async ({ account }) => account,
    present: (account, { provider }) => {
      const missing = unknownNumbers(account);
      const provenance = { asOf: account.fetchedAt, missing, includesPrivate: false };
      return {
        envelope: envelope({
          dataType: 'entity',
          data: [toEntity(account, { url: provider.accounts.urlOf(account), publicUrl: publicUrl() })],
          ...(missing.length > 0 && { provenance }),
        }),
        staleAt: resolver.staleAt(account.fetchedAt ?? now()),
      };
    },
  });
}

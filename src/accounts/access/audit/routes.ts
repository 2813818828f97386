import { Type } from 'typebox';
import { AccountPath } from '../../../http/pipeline/endpoint.ts';
import { EnvelopeSchema, formatTimestamp, TimestampSchema, UuidSchema } from '../../../http/pipeline/envelope.ts';
import { addOwnerEndpoint } from '../../../http/pipeline/owner-pipeline.ts';
import { PageParameters } from '../../../http/pipeline/pagination.ts';
import type { App } from '../../../http/server/app.ts';
import { loadOwnedPage, presentOwnedPage } from '../owned-items.ts';
import type { AccessServices } from '../services.ts';
import { type AuditEntry, auditActions, findAudit } from './store.ts';

const Entry = Type.Object(
  {
    id: UuidSchema(),
    action: Type.Enum([...auditActions]),
    subject: Type.String({
      description: 'The changed thing: an id, an award with the reason, or the new settings.',
    }),
    actor: Type.String({
      description:
        'Who did it: `PROVIDER/NAME`, `key ID`, or `service` for a suspension, its end, and the end of a key or link.',
    }),
    token_id: Type.Union([Type.Null(), Type.String()], { description: 'The `jti` of the service token.' }),
    created_dttm: TimestampSchema(),
  },
  { title: 'AuditEntry' },
);

const listing = 'audit';

/** Adds the audit trail of an account's keys, settings, links and data. */
export function auditRoutes(app: App, services: AccessServices): void {
  const { connection, cursors } = services;
  addOwnerEndpoint(app, services, {
    method: 'GET',
    path: '/v1/:provider/entities/:name/audit',
    operationId: 'listAudit',
    tag: 'Owners',
    summary: "Who did what to the account's tokens, keys, settings and links, newest first",
    needs: 'read',
    params: AccountPath,
    query: PageParameters,
    listing: { name: listing, defaultLimit: 30 },
    response: EnvelopeSchema(Entry),
    load: (context) => loadOwnedPage(context, (page) => findAudit(connection, context.account.id, page)),
    present: (page, { account }) => presentOwnedPage({ cursors, account, listing }, page, toItem),
  });
}

function toItem({ id, action, subject, actor, tokenId, at }: AuditEntry): object {
  return { id, action, subject, actor, token_id: tokenId, created_dttm: formatTimestamp(at) };
}

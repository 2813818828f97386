import { Type } from 'typebox';
import { AccountPath, privateProblemResponses } from '../../accounts/routes.ts';
import type { App } from '../../http/app.ts';
import { EnvelopeSchema, formatTimestamp } from '../../http/envelope.ts';
import { PageParameters } from '../../http/pagination.ts';
import type { AccessContext } from '../context.ts';
import { sendOwnedPage } from '../owned-list.ts';
import { type AuditEntry, auditActions, findAudit } from './store.ts';

const Entry = Type.Object({
  id: Type.String({ format: 'uuid' }),
  action: Type.Enum([...auditActions]),
  subject: Type.String({
    description: 'The changed thing: an id, an award with the reason, or the new settings.',
  }),
  actor: Type.String({ description: 'Who did it: `PROVIDER/NAME`, or `key ID`.' }),
  token_id: Type.Union([Type.Null(), Type.String()], { description: 'The `jti` of the service token.' }),
  created_dttm: Type.String({ format: 'date-time' }),
});

/** Adds the audit trail of an account's keys, settings, links and data. */
export function auditRoutes(app: App, context: AccessContext): void {
  app.get(
    '/v1/:provider/entities/:name/audit',
    {
      schema: {
        summary: "Who did what to the account's tokens, keys, settings and links, newest first",
        params: AccountPath,
        querystring: PageParameters,
        security: [{ serviceToken: [] }],
        response: { 200: EnvelopeSchema(Entry), ...privateProblemResponses },
      },
    },
    async (request, reply) =>
      sendOwnedPage(context, { request, reply }, request, {
        name: 'audit',
        find: (accountId, page) => findAudit(context.connection, accountId, page),
        toItem,
      }),
  );
}

function toItem({ id, action, subject, actor, tokenId, at }: AuditEntry): object {
  return { id, action, subject, actor, token_id: tokenId, created_dttm: formatTimestamp(at) };
}

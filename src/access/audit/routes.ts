import { Type } from 'typebox';
import { AccountPath, privateProblemResponses, requireOwner } from '../../accounts/routes.ts';
import type { App } from '../../http/app.ts';
import { EnvelopeSchema, envelope, formatTimestamp } from '../../http/envelope.ts';
import { cutPage, PageParameters, type Place, staleCursor } from '../../http/pagination.ts';
import { sendPrivately } from '../../http/replies.ts';
import type { AccessContext } from '../context.ts';
import { type AuditEntry, auditActions, findAudit } from './store.ts';

const Entry = Type.Object({
  id: Type.String({ format: 'uuid' }),
  action: Type.Enum([...auditActions]),
  subject: Type.String({
    description: 'What was done to: an id, an award and why, or the settings as they are from then on.',
  }),
  actor: Type.String({ description: 'Who did it: `PROVIDER/NAME`, or `key ID`.' }),
  token_id: Type.Union([Type.Null(), Type.String()], { description: 'The `jti` of the service token.' }),
  created_dttm: Type.String({ format: 'date-time' }),
});

const listing = 'audit';
const defaultLimit = 30;

/** Who did what to an account's keys, settings, links and data. */
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
    async (request, reply) => {
      const { limit = defaultLimit } = request.query;
      const start = context.cursors.readStart(listing, request.query);
      const owned = await requireOwner(context, { request, reply }, request.params);
      if (owned === 'redirected') return reply;
      const { account } = owned;
      const found = await findAudit(context.connection, account.id, {
        limit: limit + 1,
        after: start.after && idOf('after', start.after, account.id),
        before: start.before && idOf('before', start.before, account.id),
      });
      const { page, hasPrevious, hasNext } = cutPage(found, limit, start);
      const cursor = (entry: AuditEntry | undefined): string | undefined =>
        entry && context.cursors.write(listing, [account.id, entry.id]);
      return sendPrivately(
        reply,
        envelope({
          dataType: 'unknown',
          data: page.map(toItem),
          previousCursor: hasPrevious ? cursor(page[0]) : undefined,
          nextCursor: hasNext ? cursor(page.at(-1)) : undefined,
        }),
      );
    },
  );
}

function idOf(parameter: string, [accountId, id]: Place, ownerId: string): string {
  if (accountId !== ownerId || typeof id !== 'string') throw staleCursor(parameter);
  return id;
}

function toItem({ id, action, subject, actor, tokenId, at }: AuditEntry): object {
  return { id, action, subject, actor, token_id: tokenId, created_dttm: formatTimestamp(at) };
}

import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { AccountPath, privateProblemResponses, requireOwner } from '../../accounts/routes.ts';
import { AppError } from '../../errors.ts';
import type { App } from '../../http/app.ts';
import { seldomByAddress } from '../../http/rate-limits.ts';
import { actorOf, note } from '../actor.ts';
import type { AccessContext } from '../context.ts';
import { exportAccount } from './store.ts';

/** The number of exports at the same time: each holds a database connection until its client has read everything. */
const maxAtOnce = 2;
const busyRetryMs = 10_000;
/** A client that reads nothing for this time is considered disconnected. */
const stalledAfterMs = 30_000;

/** Adds the export of everything that is stored about an account, for its owner. */
export function exportRoutes(app: App, context: AccessContext): void {
  let underWay = 0;
  app.get(
    '/v1/:provider/entities/:name/export',
    {
      config: { rateLimit: seldomByAddress },
      schema: {
        summary: 'Everything that is stored about the account, as lines of JSON (NDJSON)',
        params: AccountPath,
        security: [{ serviceToken: [] }],
        response: {
          200: Type.Unsafe<Readable>({
            type: 'string',
            description: 'Lines like `{"type": "account", "data": {...}}`.',
          }),
          ...privateProblemResponses,
        },
      },
    },
    async (request, reply) => {
      const owned = await requireOwner(context, { request, reply }, request.params);
      if (owned === 'redirected') return reply;
      if (underWay >= maxAtOnce) {
        const retryAt = new Date(context.now().getTime() + busyRetryMs);
        throw new AppError('rate_limited', 'Other exports are under way; try again soon.', { retryAt });
      }
      const { account, caller } = owned;
      const actor = await actorOf(context.connection, caller);
      await note(context, context.connection, account.id, { action: 'exported', subject: account.id, ...actor });
      underWay += 1;
      const lines = Readable.from(withEnds(exportAccount(context.connection, account.id)));
      lines.once('close', () => {
        underWay -= 1;
      });
      reply.raw.setTimeout(stalledAfterMs, () => lines.destroy(new Error('the reader stalled')));
      reply.removeHeader('access-control-allow-origin');
      return reply
        .headers({ 'cache-control': 'private, no-store', vary: 'authorization' })
        .type('application/x-ndjson; charset=utf-8')
        .send(lines);
    },
  );
}

/** Joins lines into chunks of at least 64 KiB, except for the last one. */
async function* withEnds(lines: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let piece = '';
  for await (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < 65_536) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

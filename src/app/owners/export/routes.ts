import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { findActor, recordAction } from '../../../accounts/access/actor.ts';
import type { AccessServices } from '../../../accounts/access/services.ts';
import { AccountPath } from '../../../http/pipeline/endpoint.ts';
import { addOwnerEndpoint } from '../../../http/pipeline/owner-pipeline.ts';
import { sensitiveByAddress } from '../../../http/pipeline/rate-limits.ts';
import type { App } from '../../../http/server/app.ts';
import { AppError } from '../../../model/errors.ts';
import { awaitAccess } from '../../../recognition/achievements/awards/access-store.ts';
import { exportAccount } from './store.ts';

/** The most exports of this process at a time, because each holds a connection until its client has read all lines. */
const maxAtOnce = 2;
const busyRetryMs = 10_000;

const Lines = Type.String({
  description: 'Lines like `{"type": "account", "data": {...}}`.',
  examples: ['{"type":"account","data":{"name":"octocat"}}\n'],
});

/** Adds the export of everything that is stored about an account, for its owner. */
export function exportRoutes(app: App, services: AccessServices): void {
  const { connection, now } = services;
  let running = 0;
  addOwnerEndpoint(app, services, {
    method: 'GET',
    path: '/v1/:provider/entities/:name/export',
    operationId: 'exportAccount',
    tag: 'Owners',
    summary: 'Everything that is stored about the account, as lines of JSON (NDJSON)',
    needs: 'read',
    confirmation: 'live',
    params: AccountPath,
    config: { rateLimit: sensitiveByAddress },
    response: { content: { 'application/x-ndjson': { schema: Lines } } },
    load: async ({ account, caller }) => {
      const deadline = new Date(now().getTime() + services.lookUpBudgetMs);
      await awaitAccess(services, account, { deadline, requester: { ownerId: account.id, origins: undefined } });
      if (running >= maxAtOnce) {
        const retryAt = new Date(now().getTime() + busyRetryMs);
        throw new AppError('rate_limited', 'Other exports are under way; try again soon.', { retryAt });
      }
      // Counted before the first wait, so that requests that arrive together do not all find room.
      running += 1;
      try {
        const actor = await findActor(connection, caller);
        await recordAction(services, connection, account.id, { action: 'exported', subject: account.id, ...actor });
      } catch (error) {
        running -= 1;
        throw error;
      }
      const lines = Readable.from(joinLines(exportAccount(connection, account.id, now())));
      lines.once('close', () => {
        running -= 1;
      });
      return lines;
    },
    present: (lines) => lines,
  });
}

/** Joins lines into chunks of at least 65,536 characters, except for the last one, because each chunk costs time. */
async function* joinLines(lines: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let chunk = '';
  for await (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < 65_536) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

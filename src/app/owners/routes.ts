import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { findActor, recordAction } from '../../accounts/access/actor.ts';
import { auditRoutes } from '../../accounts/access/audit/routes.ts';
import { embedRoutes } from '../../accounts/access/embeds/routes.ts';
import { keyRoutes } from '../../accounts/access/keys/routes.ts';
import type { AccessServices } from '../../accounts/access/services.ts';
import { tokenRoutes } from '../../accounts/access/tokens/routes.ts';
import { removeErasedRows } from '../../contributions/items/erase-store.ts';
import { cleanUpJob } from '../../contributions/items/jobs.ts';
import { inBatches, inTransaction } from '../../database/connections/transaction.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import { AccountPath } from '../../http/pipeline/endpoint.ts';
import { SingleSchema, single } from '../../http/pipeline/envelope.ts';
import { addOwnerEndpoint } from '../../http/pipeline/owner-pipeline.ts';
import { sensitiveByAddress } from '../../http/pipeline/rate-limits.ts';
import type { App } from '../../http/server/app.ts';
import { AppError } from '../../model/errors.ts';
import { awaitAccess } from '../../recognition/achievements/awards/access-store.ts';
import { followChosenFile, requireReadableRepository } from '../../recognition/boards/file/file-store.ts';
import { eraseNext } from './erasure/erase.ts';
import { beginErasure } from './erasure/store.ts';
import { exportAccount } from './export-store.ts';
import { changeSettings, findBoardsRepository, type OwnerSettings } from './settings-store.ts';
import { statusRoutes } from './status/routes.ts';

const Settings = Type.Object(
  {
    publish_private_contributions: Type.Boolean({
      description: 'All callers may request the numbers with private contributions (`private=true`).',
    }),
    hidden: Type.Boolean({ description: 'The account is hidden from all other callers and from lists.' }),
    boards_repository: Type.String({
      maxLength: 255,
      description:
        'Name of the installed repository with the file of boards. Empty: `.github`, or the only repository that defines achievements.',
      examples: ['.github'],
    }),
  },
  { title: 'Settings' },
);
const Changes = Type.Partial(Settings, { additionalProperties: false, minProperties: 1, title: 'SettingsChange' });

/** The most exports of this process at a time, because each holds a connection until its client has read all lines. */
const maxAtOnce = 2;
const busyRetryMs = 10_000;

const Lines = Type.String({
  description: 'Lines like `{"type": "account", "data": {...}}`.',
  examples: ['{"type":"account","data":{"name":"octocat"}}\n'],
});

/** The most steps of the erasure while its owner waits; a job takes all others. */
const stepsAtOnce = 30;
/** The most rows of the account's repositories that are removed while its owner waits. */
const removedAtOnce = 20_000;

/** Adds all routes by which owners prove their identity and manage their accounts. */
export function accessRoutes(app: App, services: AccessServices): void {
  tokenRoutes(app, services);
  keyRoutes(app, services);
  settingsRoutes(app, services);
  embedRoutes(app, services);
  auditRoutes(app, services);
  exportRoutes(app, services);
  statusRoutes(app, services);
  erasureRoutes(app, services);
}

/** Adds the erasure of an account by its owner. */
function erasureRoutes(app: App, services: AccessServices): void {
  const { connection, now } = services;
  addOwnerEndpoint(app, services, {
    method: 'DELETE',
    path: '/v1/:provider/entities/:name',
    operationId: 'eraseAccount',
    tag: 'Owners',
    summary: 'Erases everything about the account; it is not looked up again until its owner requests a token',
    needs: 'manage',
    confirmation: 'live',
    params: AccountPath,
    load: async ({ account }) => {
      await inTransaction(connection, (transaction) => beginErasure(transaction, account, now()));
      // If this process is killed here, the next scheduled run of the job removes the rest.
      const ends = [
        await inBatches(() => eraseNext(connection, now()), stepsAtOnce),
        await removeErasedRows(connection, removedAtOnce),
      ];
      if (ends.includes('more')) await addJob(connection, cleanUpJob);
    },
  });
}

/** Adds the export of everything that is stored about an account, for its owner. */
function exportRoutes(app: App, services: AccessServices): void {
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

/** Adds the owner's settings of an account. */
function settingsRoutes(app: App, services: AccessServices): void {
  const shared = {
    path: '/v1/:provider/entities/:name/settings',
    params: AccountPath,
    response: SingleSchema(Settings),
    present: (settings: OwnerSettings) => single('unknown', toItem(settings)),
  };
  addOwnerEndpoint(app, services, {
    ...shared,
    method: 'GET',
    operationId: 'getSettings',
    tag: 'Owners',
    summary: "The owner's settings",
    needs: 'read',
    load: async ({ account }) => ({
      ...account,
      boardsRepository: await findBoardsRepository(services.connection, account.id),
    }),
  });
  addOwnerEndpoint(app, services, {
    ...shared,
    method: 'PUT',
    operationId: 'changeSettings',
    tag: 'Owners',
    summary: "Changes the owner's settings",
    needs: 'manage',
    confirmation: 'live',
    body: Changes,
    load: async ({ account, caller, body }) => {
      const { publish_private_contributions: publishesPrivate, hidden, boards_repository: boardsRepository } = body;
      return inTransaction(services.connection, async (transaction) => {
        // A form sends the stored name with every change, also after its repository was renamed or deleted.
        if (boardsRepository && boardsRepository !== (await findBoardsRepository(transaction, account.id))) {
          await requireReadableRepository(transaction, account.id, {
            field: 'boards_repository',
            name: boardsRepository,
          });
        }
        const settings = await changeSettings(transaction, account.id, {
          ...(publishesPrivate !== undefined && { publishesPrivate }),
          ...(hidden !== undefined && { hidden }),
          ...(boardsRepository !== undefined && { boardsRepository }),
        });
        if (boardsRepository !== undefined)
          await followChosenFile(transaction, account.id, { now: services.now(), newId: services.newId });
        const actor = await findActor(transaction, caller);
        const subject = JSON.stringify(toItem(settings));
        await recordAction(services, transaction, account.id, { action: 'settings_changed', subject, ...actor });
        return settings;
      });
    },
  });
}

function toItem({ publishesPrivate, hidden, boardsRepository }: OwnerSettings): object {
  return { publish_private_contributions: publishesPrivate, hidden, boards_repository: boardsRepository };
}

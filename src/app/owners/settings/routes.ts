import { Type } from 'typebox';
import { findActor, recordAction } from '../../../accounts/access/actor.ts';
import type { AccessServices } from '../../../accounts/access/services.ts';
import { inTransaction } from '../../../database/connections/transaction.ts';
import { AccountPath } from '../../../http/pipeline/endpoint.ts';
import { SingleSchema, single } from '../../../http/pipeline/envelope.ts';
import { addOwnerEndpoint } from '../../../http/pipeline/owner-pipeline.ts';
import type { App } from '../../../http/server/app.ts';
import { followChosenFile, requireReadableRepository } from '../../../recognition/boards/file/file-store.ts';
import { changeSettings, findBoardsRepository, type OwnerSettings } from './store.ts';

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

/** Adds the owner's settings of an account. */
export function settingsRoutes(app: App, services: AccessServices): void {
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

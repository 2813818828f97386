import { Type } from 'typebox';
import { AccountPath, privateProblemResponses, requireOwner } from '../../accounts/routes.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { App } from '../../http/app.ts';
import { SingleSchema, single } from '../../http/envelope.ts';
import { sendPrivately } from '../../http/replies.ts';
import { actorOf, note } from '../actor.ts';
import type { AccessContext } from '../context.ts';
import { changeSettings, type OwnerSettings } from './store.ts';

const Settings = Type.Object({
  publish_private_contributions: Type.Boolean({
    description: 'All callers may request the numbers with private contributions (`private=true`).',
  }),
  hidden: Type.Boolean({ description: 'The account is hidden from all other callers and from lists.' }),
});
const Changes = Type.Partial(Settings, { additionalProperties: false, minProperties: 1 });

/** Adds the owner's settings of an account. */
export function settingsRoutes(app: App, context: AccessContext): void {
  const address = '/v1/:provider/entities/:name/settings';
  const documented = { params: AccountPath, security: [{ serviceToken: [] }] };
  const response = { 200: SingleSchema(Settings), ...privateProblemResponses };
  app.get(address, { schema: { ...documented, summary: "The owner's settings", response } }, async (request, reply) => {
    const owned = await requireOwner(context, { request, reply }, request.params);
    return owned === 'redirected' ? reply : sendPrivately(reply, toAnswer(owned.account));
  });
  app.put(
    address,
    { schema: { ...documented, summary: "Changes the owner's settings", body: Changes, response } },
    async (request, reply) => {
      const owned = await requireOwner(context, { request, reply }, request.params, 'manage');
      if (owned === 'redirected') return reply;
      const { publish_private_contributions: publishesPrivate, hidden } = request.body;
      const changed = await inTransaction(context.connection, async (transaction) => {
        const settings = await changeSettings(transaction, owned.account.id, {
          ...(publishesPrivate !== undefined && { publishesPrivate }),
          ...(hidden !== undefined && { hidden }),
        });
        const actor = await actorOf(transaction, owned.caller);
        const subject = JSON.stringify(toSettings(settings));
        await note(context, transaction, owned.account.id, { action: 'settings_changed', subject, ...actor });
        return settings;
      });
      return sendPrivately(reply, toAnswer(changed));
    },
  );
}

function toAnswer(settings: OwnerSettings): object {
  return single('unknown', toSettings(settings));
}

function toSettings({ publishesPrivate, hidden }: OwnerSettings): object {
  return { publish_private_contributions: publishesPrivate, hidden };
}

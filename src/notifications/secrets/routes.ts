import { Type } from 'typebox';
import { actorOf, note } from '../../access/actor.ts';
import type { AccessContext } from '../../access/context.ts';
import { removeForOwner } from '../../access/removal.ts';
import { AccountPath, privateProblemResponses, requireOwner } from '../../accounts/routes.ts';
import { inTransaction } from '../../database/transaction.ts';
import { AppError } from '../../errors.ts';
import type { App } from '../../http/app.ts';
import { EnvelopeSchema, envelope, formatTimestamp, SingleSchema, single } from '../../http/envelope.ts';
import { sendPrivately } from '../../http/replies.ts';
import { receiverOf } from '../notification.ts';
import { writeSecret } from '../senders/http.ts';
import { findSignedReceivers, removeWebhookSecret, type SignedReceiver, saveWebhookSecret } from './store.ts';

const maxSecrets = 100;
/** Standard Webhooks: 24 to 64 bytes. */
const secretBytes = 32;
/** The time, in ms, for which both the former and the new secret sign, so that the receiver can change over. */
const overlapMs = 86_400_000;

const Request = Type.Object({
  url: Type.String({
    minLength: 1,
    maxLength: 2000,
    description: 'The address of an `http` webhook, as the file of a repository has it.',
  }),
});
const Time = Type.String({ format: 'date-time' });
const Listed = Type.Object({
  id: Type.String({ format: 'uuid' }),
  url: Type.String(),
  changed_dttm: Time,
  former_until_dttm: Type.Union([Type.Null(), Time], {
    description: 'Until then messages are signed with the former secret too.',
  }),
});
const Made = Type.Object({
  ...Listed.properties,
  secret: Type.String({ description: 'Shown once; `whsec_...` as libraries of Standard Webhooks take it.' }),
});
const SecretPath = Type.Object({
  ...AccountPath.properties,
  secret_id: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', maxLength: 36 }),
});

const address = '/v1/:provider/entities/:name/webhook-secrets';
const security = [{ serviceToken: [] }];

/** Adds the routes to secrets that sign messages to addresses: without a secret, nothing is sent to an address. */
export function webhookSecretRoutes(app: App, context: AccessContext): void {
  making(app, context);
  listingOfSecrets(app, context);
  removal(app, context);
}

function making(app: App, context: AccessContext): void {
  app.put(
    address,
    {
      schema: {
        summary: 'Makes the secret that messages to an address are signed with, or another one in its place',
        params: AccountPath,
        body: Request,
        security,
        response: { 200: SingleSchema(Made), ...privateProblemResponses },
      },
    },
    async (request, reply) => {
      const owned = await requireOwner(context, { request, reply }, request.params, 'manage');
      if (owned === 'redirected') return reply;
      const { account, caller } = owned;
      const url = readUrl(request.body.url);
      const receiver = receiverOf(account.provider, 'http', { url });
      const secret = context.randomBytes(secretBytes);
      const now = context.now();
      const made = await inTransaction(context.connection, async (transaction) => {
        const held = await findSignedReceivers(transaction, account.id);
        if (held.length >= maxSecrets && !held.some((one) => one.url === url)) {
          throw new AppError('conflict', `The account has ${maxSecrets} secrets already; remove one first.`);
        }
        const formerUntil = new Date(now.getTime() + overlapMs);
        const saved = { id: context.newId(), accountId: account.id, url, receiver, secret, formerUntil, now };
        const stored = await saveWebhookSecret(transaction, saved);
        const actor = await actorOf(transaction, caller);
        await note(context, transaction, account.id, { action: 'webhook_secret_made', subject: stored.id, ...actor });
        return stored;
      });
      return sendPrivately(reply, single('unknown', { ...toItem(made), secret: writeSecret(secret) }));
    },
  );
}

function listingOfSecrets(app: App, context: AccessContext): void {
  app.get(
    address,
    {
      schema: {
        summary: 'Addresses for which there is a secret',
        params: AccountPath,
        security,
        response: { 200: EnvelopeSchema(Listed), ...privateProblemResponses },
      },
    },
    async (request, reply) => {
      const owned = await requireOwner(context, { request, reply }, request.params);
      if (owned === 'redirected') return reply;
      const found = await findSignedReceivers(context.connection, owned.account.id);
      return sendPrivately(reply, envelope({ dataType: 'unknown', data: found.map(toItem) }));
    },
  );
}

function removal(app: App, context: AccessContext): void {
  app.delete(
    `${address}/:secret_id`,
    {
      schema: {
        summary: 'Removes a secret; nothing is sent to its address any more',
        params: SecretPath,
        security,
        response: { 204: Type.Null(), ...privateProblemResponses },
      },
    },
    async (request, reply) => {
      const { secret_id: subject } = request.params;
      return removeForOwner(context, { request, reply }, request.params, {
        subject,
        what: 'secret',
        action: 'webhook_secret_removed',
        remove: (transaction, accountId) => removeWebhookSecret(transaction, accountId, subject),
      });
    },
  );
}

/**
 * Returns the address of the body in its normal form.
 * @throws AppError `invalid_input` when it is no http or https address.
 */
function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new AppError('invalid_input', 'url of the body must be an address that begins with https://.');
  }
  return url.href;
}

function toItem({ id, url, changedAt, formerUntil }: SignedReceiver): object {
  return {
    id,
    url,
    changed_dttm: formatTimestamp(changedAt),
    former_until_dttm: formerUntil && formatTimestamp(formerUntil),
  };
}

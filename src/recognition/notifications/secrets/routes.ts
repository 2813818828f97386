import { Type } from 'typebox';
import { findActor, recordAction } from '../../../accounts/access/actor.ts';
import { removeItem } from '../../../accounts/access/owned-items.ts';
import type { AccessServices } from '../../../accounts/access/services.ts';
import { inTransaction } from '../../../database/connections/transaction.ts';
import { type AddressRules, RefusedAddress, readPermittedAddress } from '../../../hosts/outbound/client.ts';
import { AccountPath } from '../../../http/pipeline/endpoint.ts';
import {
  EnvelopeSchema,
  envelope,
  formatTimestamp,
  OptionalTimestampSchema,
  SingleSchema,
  single,
  TimestampSchema,
  UuidSchema,
} from '../../../http/pipeline/envelope.ts';
import { addOwnerEndpoint } from '../../../http/pipeline/owner-pipeline.ts';
import type { App } from '../../../http/server/app.ts';
import { AppError, fieldError } from '../../../model/errors.ts';
import { toReceiver } from '../notification.ts';
import { allowsHttp } from '../open.ts';
import { writeSecret } from '../senders.ts';
import { findSignedReceivers, removeWebhookSecret, type SignedReceiver, saveWebhookSecret } from './store.ts';

const maxSecrets = 100;
/** The size of a secret. Standard Webhooks permits 24 to 64 bytes. */
const secretBytes = 32;
/** The time, in ms, for which both the former and the new secret sign, so that the receiver can change over. */
const overlapMs = 86_400_000;

const Request = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'The address of an `http` webhook, as the file of a repository has it.',
    }),
  },
  { title: 'WebhookSecretRequest' },
);
const Listed = Type.Object(
  {
    id: UuidSchema(),
    url: Type.String(),
    changed_dttm: TimestampSchema(),
    former_until_dttm: OptionalTimestampSchema('Until then messages are signed with the former secret too.'),
  },
  { title: 'WebhookSecret' },
);
const Created = Type.Object(
  {
    ...Listed.properties,
    secret: Type.String({ description: 'Shown once; `whsec_...` as libraries of Standard Webhooks take it.' }),
  },
  { title: 'NewWebhookSecret' },
);
const SecretPath = Type.Object({
  ...AccountPath.properties,
  secret_id: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', maxLength: 36 }),
});

const path = '/v1/:provider/entities/:name/webhook-secrets';

/** Adds the routes to the secrets that sign messages of `http` webhooks, which are not sent without one. */
export function webhookSecretRoutes(app: App, services: AccessServices): void {
  addCreation(app, services);
  addList(app, services);
  addRemoval(app, services);
}

function addCreation(app: App, services: AccessServices): void {
  addOwnerEndpoint(app, services, {
    method: 'PUT',
    path,
    operationId: 'createWebhookSecret',
    tag: 'Notifications',
    summary: 'Makes the secret that messages to an address are signed with, or another one in its place',
    needs: 'manage',
    params: AccountPath,
    body: Request,
    response: SingleSchema(Created),
    load: async ({ account, caller, body }) => {
      const url = readUrl(body.url, { allowedHosts: services.allowedReceivers, allowsHttp });
      const receiver = toReceiver(account.provider, 'http', { url });
      const secret = services.randomBytes(secretBytes);
      const now = services.now();
      const stored = await inTransaction(services.connection, async (transaction) => {
        const receivers = await findSignedReceivers(transaction, account.id);
        if (receivers.length >= maxSecrets && !receivers.some((receiver) => receiver.url === url)) {
          throw new AppError('conflict', `The account has ${maxSecrets} secrets already; remove one first.`);
        }
        const formerUntil = new Date(now.getTime() + overlapMs);
        const added = { id: services.newId(), accountId: account.id, url, receiver, secret, formerUntil, now };
        const saved = await saveWebhookSecret(transaction, added);
        const actor = await findActor(transaction, caller);
        await recordAction(services, transaction, account.id, {
          action: 'webhook_secret_made',
          subject: saved.id,
          ...actor,
        });
        return saved;
      });
      return { stored, secret };
    },
    present: ({ stored, secret }) => single('unknown', { ...toItem(stored), secret: writeSecret(secret) }),
  });
}

function addList(app: App, services: AccessServices): void {
  addOwnerEndpoint(app, services, {
    method: 'GET',
    path,
    operationId: 'listWebhookSecrets',
    tag: 'Notifications',
    summary: 'Addresses for which there is a secret',
    needs: 'read',
    params: AccountPath,
    response: EnvelopeSchema(Listed),
    load: ({ account }) => findSignedReceivers(services.connection, account.id),
    present: (receivers) => envelope({ dataType: 'unknown', data: receivers.map(toItem) }),
  });
}

function addRemoval(app: App, services: AccessServices): void {
  addOwnerEndpoint(app, services, {
    method: 'DELETE',
    path: `${path}/:secret_id`,
    operationId: 'removeWebhookSecret',
    tag: 'Notifications',
    summary: 'Removes a secret; nothing is sent to its address any more',
    needs: 'manage',
    params: SecretPath,
    load: (context) =>
      removeItem(services, context, {
        subject: context.params.secret_id,
        itemName: 'secret',
        action: 'webhook_secret_removed',
        remove: (transaction, accountId) => removeWebhookSecret(transaction, accountId, context.params.secret_id),
      }),
  });
}

/**
 * Returns the address in the body in its normal form.
 * @throws AppError `invalid_input` for an address to which no message would be sent.
 */
function readUrl(text: string, rules: AddressRules): string {
  try {
    return readPermittedAddress(text, rules);
  } catch (error) {
    if (!(error instanceof RefusedAddress)) throw error;
    const fault = 'must be a public address that begins with https://, or at a host that OUTBOUND_ALLOW names.';
    throw fieldError('url', fault, 'url of the body');
  }
}

function toItem({ id, url, changedAt, formerUntil }: SignedReceiver): object {
  return {
    id,
    url,
    changed_dttm: formatTimestamp(changedAt),
    former_until_dttm: formerUntil && formatTimestamp(formerUntil),
  };
}

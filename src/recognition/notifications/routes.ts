import { Type } from 'typebox';
import { findActor, recordAction } from '../../accounts/access/actor.ts';
import { loadOwnedPage, presentOwnedPage } from '../../accounts/access/owned-items.ts';
import type { AccessServices } from '../../accounts/access/services.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { AccountPath } from '../../http/pipeline/endpoint.ts';
import {
  EnvelopeSchema,
  formatTimestamp,
  OptionalTimestampSchema,
  SingleSchema,
  single,
  TimestampSchema,
  UuidSchema,
} from '../../http/pipeline/envelope.ts';
import { addOwnerEndpoint } from '../../http/pipeline/owner-pipeline.ts';
import { PageParameters } from '../../http/pipeline/pagination.ts';
import type { App } from '../../http/server/app.ts';
import { AppError } from '../../model/errors.ts';
import { findNotification, findNotifications, type Notification, revive, states } from './report-store.ts';
import { webhookSecretRoutes } from './secrets/routes.ts';

const Item = Type.Object(
  {
    id: UuidSchema("The receiver's idempotency key (`webhook-id`)."),
    state: Type.Enum([...states], { description: '`dead`: given up; it can be sent again.' }),
    webhook: Type.String({ description: 'As the file of the repository calls it.' }),
    type: Type.String(),
    to: Type.String({
      description: "The address's host, or `OWNER/NAME` of the discussion's repository and its title.",
    }),
    repository_name: Type.String(),
    achievement_name: Type.String(),
    person: Type.String(),
    attempts: Type.Integer(),
    error: Type.Union([Type.Null(), Type.String()], { description: 'What the receiver did at the last attempt.' }),
    created_dttm: TimestampSchema(),
    last_attempt_dttm: OptionalTimestampSchema(),
    next_attempt_dttm: OptionalTimestampSchema(),
  },
  { title: 'Notification' },
);

const NotificationPath = Type.Object({
  ...AccountPath.properties,
  notification_id: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', maxLength: 36 }),
});
const Query = Type.Object({
  ...PageParameters.properties,
  state: Type.Optional(Type.Enum([...states], { description: 'Only those.' })),
});
const path = '/v1/:provider/entities/:name/notifications';
const listing = 'notifications';

/** Adds the routes to messages about awards in an owner's repositories, and to the secrets that sign them. */
export function notificationRoutes(app: App, services: AccessServices): void {
  addList(app, services);
  addRetry(app, services);
  webhookSecretRoutes(app, services);
}

function addList(app: App, services: AccessServices): void {
  const { connection, cursors } = services;
  addOwnerEndpoint(app, services, {
    method: 'GET',
    path,
    operationId: 'listNotifications',
    tag: 'Notifications',
    summary: "Messages about awards in the account's repositories: waiting, sent, given up; newest first",
    needs: 'read',
    params: AccountPath,
    query: Query,
    listing: { name: listing, defaultLimit: 30 },
    response: EnvelopeSchema(Item),
    load: (context) =>
      loadOwnedPage(context, (page) =>
        findNotifications(connection, context.account.id, { ...page, state: context.query.state }),
      ),
    present: (page, { account }) => presentOwnedPage({ cursors, account, listing }, page, toItem),
  });
}

function addRetry(app: App, services: AccessServices): void {
  const { connection, now } = services;
  addOwnerEndpoint(app, services, {
    method: 'POST',
    path: `${path}/:notification_id/retry`,
    operationId: 'retryNotification',
    tag: 'Notifications',
    summary: 'Sends a message again that was given up',
    needs: 'manage',
    params: NotificationPath,
    response: SingleSchema(Item),
    load: ({ account, caller, params: { notification_id: subject } }) =>
      inTransaction(connection, async (transaction) => {
        const known = await findNotification(transaction, account.id, subject);
        if (known === undefined) throw new AppError('not_found', 'The account has no such notification.');
        if (!(await revive(transaction, subject, now()))) {
          throw new AppError('conflict', `The notification is ${known.state}: only dead ones can be sent again.`);
        }
        const actor = await findActor(transaction, caller);
        await recordAction(services, transaction, account.id, { action: 'notification_retried', subject, ...actor });
        return (await findNotification(transaction, account.id, subject)) ?? known;
      }),
    present: (notification) => single('unknown', toItem(notification)),
  });
}

function toItem(notification: Notification): object {
  const { target, content, createdAt, lastAttemptAt, nextAttemptAt } = notification;
  return {
    id: notification.id,
    state: notification.state,
    webhook: notification.webhook,
    type: notification.kind,
    to: 'url' in target ? new URL(target.url).host : `${target.repository}: ${target.title}`,
    repository_name: content.repository,
    achievement_name: content.achievement,
    person: content.person,
    attempts: notification.attempts,
    error: notification.error,
    created_dttm: formatTimestamp(createdAt),
    last_attempt_dttm: lastAttemptAt && formatTimestamp(lastAttemptAt),
    next_attempt_dttm: nextAttemptAt && formatTimestamp(nextAttemptAt),
  };
}

import { Type } from 'typebox';
import { findCanCheck } from '../../../accounts/access/administrators/store.ts';
import type { AccessServices } from '../../../accounts/access/services.ts';
import { findCollection } from '../../../contributions/items/collection-store.ts';
import { findProgress } from '../../../contributions/totals/progress-store.ts';
import { AccountPath } from '../../../http/pipeline/endpoint.ts';
import {
  formatTimestamp,
  OptionalTimestampSchema,
  ProgressSchema,
  SingleSchema,
  single,
  TimestampSchema,
  toProgress,
} from '../../../http/pipeline/envelope.ts';
import { addOwnerEndpoint } from '../../../http/pipeline/owner-pipeline.ts';
import { PageParameters } from '../../../http/pipeline/pagination.ts';
import type { App } from '../../../http/server/app.ts';
import type { Account } from '../../../model/account.ts';
import { findOwnersDeliveries } from '../../../sync/deliveries/owner-store.ts';
import {
  findCollectingState,
  findNotificationState,
  findOwnSkipped,
  findUnfinishedStreams,
  type OwnSkippedItem,
  type UnfinishedStream,
} from './store.ts';

/**
 * The reasons why data of an account is missing, as its owner is shown them. They replace the host's message, which may
 * name the operator's addresses, scopes and quota (docs/decisions/0031-settings-status-and-doctor.md).
 */
const ownersReasons = [
  'single_sign_on',
  'ip_allow_list',
  'app_restrictions',
  'denied',
  'absent',
  'unreadable',
  'unavailable',
  'other',
] as const;
type OwnersReason = (typeof ownersReasons)[number];

/** Settings of an organization that keep the service out, by the texts with which hosts refuse requests. */
const settings: readonly (readonly [RegExp, OwnersReason])[] = [
  [/\bSAML\b/i, 'single_sign_on'],
  [/\bIP allow list\b/i, 'ip_allow_list'],
  [/\bOAuth App access restrictions\b/i, 'app_restrictions'],
];

const reasonByCode: Readonly<Record<string, OwnersReason | undefined>> = {
  provider_denied: 'denied',
  refused: 'denied',
  not_found: 'absent',
  provider_invalid_response: 'unreadable',
  unreadable: 'unreadable',
  provider_unavailable: 'unavailable',
  // The owner must not see that the operator's quota is used up.
  provider_rate_limited: 'unavailable',
};

const messages: Readonly<Record<OwnersReason, string>> = {
  single_sign_on:
    "The organization's SAML single sign-on does not let the service in: authorize the App or the token there.",
  ip_allow_list:
    "The organization's IP allow list does not let the service in: ask its operator for the address to add.",
  app_restrictions: "The organization's access restrictions for apps do not let the service in: approve it there.",
  denied: 'The code host does not let the service read this.',
  absent: 'The code host has no such part; it may be switched off there.',
  unreadable: 'The service cannot read what the code host sends; its operator knows.',
  unavailable: 'The code host cannot be called just now; the service tries again.',
  other: 'Reading failed; the operator of the service knows why.',
};

const Count = Type.Integer({ minimum: 0 });
const Time = TimestampSchema();
const OptionalTime = OptionalTimestampSchema();
const count = (description: string) => Type.Integer({ minimum: 0, description });
const Reason = Type.Enum([...ownersReasons]);

const Stream = Type.Object(
  {
    repository_name: Type.String(),
    name: Type.String({ description: 'Its items: `commits`, `issues`, `pull_requests`, ...' }),
    complete: Type.Boolean({ description: 'Whether it was read to its end once.' }),
    as_of: OptionalTimestampSchema('Everything before is stored.'),
    failure: Type.Union([
      Type.Null(),
      Type.Object({ reason: Reason, message: Type.String(), since_dttm: OptionalTime }),
    ]),
  },
  { title: 'Stream' },
);

const SkippedItem = Type.Object(
  {
    repository_name: Type.Union([Type.Null(), Type.String()], { description: 'Null: it is about the account itself.' }),
    stream: Type.String(),
    kind: Type.String({ description: 'Kind of the skipped part: `issue`, `review`, `label`, ...' }),
    reason: Reason,
    message: Type.String(),
    path: Type.String({ description: 'The place in the response of the code host; never a value.' }),
    stored: Type.Boolean({ description: 'True: it is stored without this field. False: it is not stored.' }),
    items: Type.Integer({ minimum: 1 }),
    first_seen_dttm: Time,
    last_seen_dttm: Time,
  },
  { title: 'SkippedItem' },
);

const Status = Type.Object(
  {
    as_of: OptionalTimestampSchema('When the account was last looked up.'),
    repositories: Type.Object({
      as_of: OptionalTimestampSchema('When they were last listed.'),
      count: Count,
      installed: Count,
      complete: count('Repositories of which every stream is complete and none fails.'),
      progress: Type.Union([Type.Null(), ProgressSchema], {
        description: 'What reading the others waits for; null where all are read.',
      }),
    }),
    streams: Type.Object({
      oldest_as_of: OptionalTimestampSchema('Null while any stream was never read to its end.'),
      count: Count,
      complete: Count,
      failing: Count,
      items: Type.Array(Stream, { description: 'Those that fail, then those that are not complete; at most `limit`.' }),
    }),
    skipped_items: Type.Object({
      count: count('Places of responses at which something was skipped.'),
      items: Type.Array(SkippedItem, { description: 'Those that were met last; at most `limit`.' }),
    }),
    deliveries: Type.Object({
      pending: count('Deliveries about what the account owns that wait to be applied.'),
      failed: count('Those that could not be applied; the changes are found by polling.'),
      last_applied_dttm: OptionalTime,
    }),
    administrators: Type.Object({
      can_check: Type.Union([Type.Null(), Type.Boolean()], {
        description:
          'Whether the service can check that the holders of keys and links still administer the account; null: there is ' +
          'no holder to check, or none was checked yet.',
      }),
      message: Type.Union([Type.Null(), Type.String()], { description: 'The consequence and the way out.' }),
    }),
    notifications: Type.Object({ waiting: Count, failed: Count, oldest_waiting_dttm: OptionalTime }),
  },
  { title: 'Status' },
);

const defaultLimit = 30;

/**
 * Adds the state of an account's data, for its owner: how current and complete it is, without data of the operator or
 * of other owners.
 */
export function statusRoutes(app: App, services: AccessServices): void {
  addOwnerEndpoint(app, services, {
    method: 'GET',
    path: '/v1/:provider/entities/:name/status',
    operationId: 'getStatus',
    tag: 'Owners',
    summary: "How current and complete the account's data is: streams, skipped items, deliveries, notifications",
    needs: 'read',
    params: AccountPath,
    query: Type.Pick(PageParameters, ['limit']),
    response: SingleSchema(Status),
    load: ({ account, query: { limit = defaultLimit } }) => loadStatus(services, account, limit),
    present: (status) => single('unknown', toItem(status)),
  });
}

type AccountStatus = Awaited<ReturnType<typeof loadStatus>>;

async function loadStatus({ connection, now }: AccessServices, account: Account, limit: number) {
  const { listedAt, uncollected } = await findCollection(connection, account.id, { withPrivate: true });
  const scope = { accountId: account.id, repositoryId: null, withPrivate: true };
  return {
    account,
    collecting: await findCollectingState(connection, account.id),
    progress: await findProgress(connection, scope, listedAt === null ? ['repositories'] : uncollected, now()),
    streams: await findUnfinishedStreams(connection, account.id, limit),
    skipped: await findOwnSkipped(connection, account.id, limit),
    deliveries: await findOwnersDeliveries(connection, account.id),
    canCheck: await findCanCheck(connection, account.id),
    notifications: await findNotificationState(connection, account.id),
  };
}

const cannotCheck =
  'Keys and links of this account end 30 days after their holder last proved to administer it, because the service ' +
  'cannot check it, and changes and exports need a proof of the last hour. Let it read the members: install its App with that permission, or renew keys and links in time.';

function toItem(status: AccountStatus): object {
  const { account, collecting, progress, streams, skipped, deliveries, canCheck, notifications } = status;
  return {
    as_of: time(account.fetchedAt),
    repositories: {
      as_of: time(collecting.listedAt),
      count: collecting.repositories,
      installed: collecting.installed,
      complete: collecting.completeRepositories,
      progress: progress === undefined ? null : toProgress(progress),
    },
    streams: {
      oldest_as_of: time(collecting.oldestKnownAt),
      count: collecting.streams,
      complete: collecting.completeStreams,
      failing: collecting.failingStreams,
      items: streams.map(toStream),
    },
    skipped_items: { count: skipped.places, items: skipped.items.map(toSkippedItem) },
    deliveries: {
      pending: deliveries.pending,
      failed: deliveries.failed,
      last_applied_dttm: time(deliveries.lastAppliedAt),
    },
    administrators: { can_check: canCheck, message: canCheck === false ? cannotCheck : null },
    notifications: {
      waiting: notifications.waiting,
      failed: notifications.failed,
      oldest_waiting_dttm: time(notifications.oldestWaitingAt),
    },
  };
}

function toStream({ repository, name, isComplete, knownAt, failure }: UnfinishedStream): object {
  const reason = failure && ownersReason(failure.code, failure.reason);
  return {
    repository_name: repository,
    name,
    complete: isComplete,
    as_of: time(knownAt),
    failure: failure && reason && { reason, message: messages[reason], since_dttm: time(failure.since) },
  };
}

function toSkippedItem(skipped: OwnSkippedItem): object {
  const reason = ownersReason(skipped.reason, skipped.explanation);
  return {
    repository_name: skipped.repository,
    stream: skipped.stream,
    kind: skipped.kind,
    reason,
    message: messages[reason],
    path: skipped.path,
    stored: skipped.isStored,
    items: skipped.items,
    first_seen_dttm: formatTimestamp(skipped.firstSeenAt),
    last_seen_dttm: formatTimestamp(skipped.seenAt),
  };
}

function time(at: Date | null): string | null {
  return at && formatTimestamp(at);
}

/**
 * Returns the reason that the owner is shown.
 * @param code the code of a stream's error, or the reason of a skipped item.
 * @param hostMessage the host's message; empty when it sent none.
 */
function ownersReason(code: string, hostMessage: string): OwnersReason {
  const setting = settings.find(([pattern]) => pattern.test(hostMessage));
  return setting?.[1] ?? reasonByCode[code] ?? 'other';
}

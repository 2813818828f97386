import { createHash } from 'node:crypto';
import { type Static, type TSchema, Type } from 'typebox';
import { AppError } from '../../model/errors.ts';
import { checkDelivered } from '../http/checks.ts';
import {
  type ChangeReaders,
  isDeliveryId,
  isSameSecret,
  keyInToken,
  parseDelivered,
  readChanges,
  readPart,
  requireSecret,
  standardReader,
} from '../http/deliveries.ts';
import { matches } from '../http/tolerant.ts';
import type { Change, Delivery, DeliveryHeaders, DeliveryReader } from '../interface/provider.ts';
import { toGroupId } from './actors.ts';

/**
 * Reads deliveries of GitLab, from webhooks of projects and groups and from system hooks. A delivery only says what may
 * have changed; the states in it are ignored, so that deliveries that are lost or out of order do no harm.
 * https://docs.gitlab.com/user/project/integrations/webhook_events/ and
 * https://docs.gitlab.com/administration/system_hooks/
 */

/**
 * Returns the reader of a delivery. GitLab 19 signs deliveries of webhooks that have a signing token; other webhooks
 * send their secret. GitLab signs again, with a new time, when it repeats a delivery (gitlabhq/gitlabhq,
 * app/services/web_hook_service.rb, `build_headers`).
 * https://docs.gitlab.com/user/project/integrations/webhooks/
 * @throws AppError `not_found` without a secret; `unauthenticated` when the delivery proves neither.
 */
export function readDelivery(secret: string | undefined, headers: DeliveryHeaders, now: Date): DeliveryReader {
  const secrets = secretsIn(requireSecret(secret));
  const keys = secrets.map(keyInToken).filter((key) => key !== undefined);
  const isSigned = headers['webhook-signature'] !== undefined;
  if (isSigned && keys.length > 0) return standardReader(keys, headers, now, (body) => readTrusted(headers, body));
  const sentToken = headers['x-gitlab-token'];
  const token = typeof sentToken === 'string' ? sentToken : undefined;
  if (!secrets.map((one) => isSameSecret(token, one)).includes(true)) {
    const remedy = isSigned ? ', and no signing token (whsec_...) is configured for webhook-signature' : '';
    throw new AppError('unauthenticated', `X-Gitlab-Token is not the configured secret${remedy}.`);
  }
  return { update: () => {}, finish: (body) => readTrusted(headers, body) };
}

/** Returns the secrets in a setting: several separated by commas where one of them is a signing token, otherwise one. */
function secretsIn(setting: string): string[] {
  const parts = setting.split(',');
  return parts.some((part) => keyInToken(part) !== undefined) ? parts.filter((part) => part !== '') : [setting];
}

function readTrusted(headers: DeliveryHeaders, body: Buffer): Delivery {
  // The same value as in `Idempotency-Key`, and signed.
  const idOfOne = headers['webhook-id'] ?? headers['idempotency-key'];
  const name = idOfOne ?? headers['x-gitlab-event-uuid'];
  const event = headers['x-gitlab-event'];
  if (typeof name !== 'string' || typeof event !== 'string') {
    throw new AppError('missing_field', 'A delivery needs the headers X-Gitlab-Event and X-Gitlab-Event-UUID.');
  }
  // The headers keep their value when GitLab resends a delivery. Before 17.4 there is only `X-Gitlab-Event-UUID`, which
  // all deliveries have in common that one request caused.
  const id = idOfOne !== undefined ? name : createHash('sha256').update(name).update(body).digest('hex');
  if (!isDeliveryId(name)) throw new AppError('invalid_input', 'X-Gitlab-Event-UUID must be the UUID of a delivery.');
  return { id, event, changes: toChanges(parseDelivered(body)) };
}

const Id = Type.Integer({ minimum: 1 });
const Path = Type.String({ pattern: '^[^/]+(/[^/]+)+$' });
const Named = Type.Object({ object_kind: Type.Optional(Type.String()), event_name: Type.Optional(Type.String()) });
const Project = Type.Object({ id: Id, path_with_namespace: Path });
/** Items that belong to a group, such as epics, come without a project. */
export const InProject = Type.Object({ project: Type.Optional(Type.Union([Project, Type.Null()])) });
export const Pushed = Type.Object({ project: Project });
const OfProject = Type.Object({
  project_id: Id,
  path_with_namespace: Path,
});
const Identified = Type.Object({ id: Id });
const OfUser = Type.Object({ user_id: Id, username: Type.String() });
const OfMember = Type.Object({ user_id: Id });
const OfGroup = Type.Object({ group_id: Id, full_path: Type.String() });
type Project = Static<typeof Project>;

/** The invalidations of each event that matters; other events are ignored. */
const readers: ChangeReaders = {
  push: (payload) => {
    const { project } = check(Pushed, payload);
    // A push with a deploy key has no user.
    return [
      contributions(project, ['commits']),
      ...person(readPart(payload, 'user_id'), readPart(payload, 'user_username')),
    ];
  },
  issue: (payload) => changedIssue(payload),
  work_item: (payload) => changedIssue(payload),
  merge_request: (payload) => [...changed(payload, ['pull_requests']), ...actor(payload)],
  note: (payload) => changed(payload, toStreams(readPart(readPart(payload, 'object_attributes'), 'noteable_type'))),
  emoji: (payload) => {
    const { project } = check(InProject, payload);
    return project ? [{ type: 'reactions', repository: String(project.id) }] : [];
  },
  project_create: (payload) => ownedBy(check(OfProject, payload).path_with_namespace),
  project_destroy: (payload) => {
    const { project_id: id, path_with_namespace: path } = check(OfProject, payload);
    return [hidden(id), ...ownedBy(path)];
  },
  project_rename: (payload) => moved(payload),
  project_transfer: (payload) => moved(payload),
  project_update: (payload) => {
    const { project_id: id, path_with_namespace: path } = check(OfProject, payload);
    const visibility = readPart(payload, 'project_visibility');
    // GitLab writes it in two ways: `private`, and `visibilitylevel|private`.
    const isPublic = typeof visibility !== 'string' || visibility.endsWith('public');
    return [...(isPublic ? [] : [hidden(id)]), ...ownedBy(path)];
  },
  user_rename: (payload) => {
    const { user_id: id, username: name } = check(OfUser, payload);
    return [account(id, name)];
  },
  // Group webhooks and system hooks send the first two, system hooks alone the others.
  user_remove_from_group: (payload) => administrator(payload),
  user_update_for_group: (payload) => administrator(payload),
  user_remove_from_team: (payload) => administrator(payload),
  user_update_for_team: (payload) => administrator(payload),
  user_destroy: (payload) => administrator(payload),
  group_rename: (payload) => {
    const { group_id: id, full_path: name } = check(OfGroup, payload);
    return [{ type: 'account', account: toGroupId(id), name }];
  },
};

function toChanges(payload: unknown): Change[] {
  const { object_kind: kind, event_name: name } = check(Named, payload);
  return readChanges(readers, kind ?? name ?? '', payload);
}

/** Returns the changes of an issue. One that became confidential is in no list of changes of a public project. */
function changedIssue(payload: unknown): Change[] {
  const issue = readPart(payload, 'object_attributes');
  const changedTo = readPart(readPart(readPart(payload, 'changes'), 'confidential'), 'current');
  const { project } = check(InProject, payload);
  const isLost = changedTo === true && project && matches(Identified, issue);
  return [...(isLost ? [removed(project, issue.id)] : []), ...changed(payload, ['issues']), ...actor(payload)];
}

/**
 * Comments belong to the stream of their issue or merge request; those on commits and snippets are ignored. A comment
 * on something unknown may be on either.
 */
function toStreams(noteable: unknown): string[] {
  if (typeof noteable !== 'string') return ['issues', 'pull_requests'];
  if (noteable === 'MergeRequest') return ['pull_requests'];
  return noteable === 'Issue' || noteable === 'WorkItem' ? ['issues'] : [];
}

/** Returns the account that caused the event. The payload does not name the author of the item. */
function actor(payload: unknown): Change[] {
  const user = readPart(payload, 'user');
  return person(readPart(user, 'id'), readPart(user, 'username'));
}

/** Returns no change for an account that the payload does not name completely. */
function person(id: unknown, name: unknown): Change[] {
  return matches(Id, id) && typeof name === 'string' && name !== '' ? [account(id, name)] : [];
}

/** Returns a change about all groups, because members of a group are members of its subgroups. */
function administrator(payload: unknown): Change[] {
  return [{ type: 'administrator', person: String(check(OfMember, payload).user_id) }];
}

function account(id: number, name: string): Change {
  return { type: 'account', account: String(id), name };
}

function changed(payload: unknown, streams: string[]): Change[] {
  const { project } = check(InProject, payload);
  return project && streams.length > 0 ? [contributions(project, streams)] : [];
}

function moved(payload: unknown): Change[] {
  const oldPath = readPart(payload, 'old_path_with_namespace');
  const { path_with_namespace: path } = check(OfProject, payload);
  return [...ownedBy(path), ...(matches(Path, oldPath) ? ownedBy(oldPath) : [])];
}

/** Returns the path of the owner, which is all that payloads contain of it. */
function ownerIn(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function ownedBy(path: string): Change[] {
  return [{ type: 'owned', account: null, name: ownerIn(path) }];
}

function hidden(id: number): Change {
  return { type: 'hidden', repository: String(id), onlyPrivate: false };
}

function removed({ id }: Project, issue: number): Change {
  return { type: 'removed', repository: String(id), kind: 'issue', externalId: String(issue) };
}

function contributions({ id, path_with_namespace: path }: Project, streams: string[]): Change {
  return { type: 'contributions', repository: String(id), owner: null, ownerName: ownerIn(path), streams };
}

/** @throws AppError `invalid_input` that names the place. */
function check<Schema extends TSchema>(schema: Schema, payload: unknown): Static<Schema> {
  return checkDelivered(schema, payload, 'GitLab');
}

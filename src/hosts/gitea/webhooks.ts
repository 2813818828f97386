import { type Static, type TSchema, Type } from 'typebox';
import type { ItemKind } from '../../model/contribution.ts';
import { AppError } from '../../model/errors.ts';
import { checkDelivered } from '../http/checks.ts';
import {
  type ChangeReaders,
  isDeliveryId,
  parseDelivered,
  readChanges,
  readPart,
  signedReader,
} from '../http/deliveries.ts';
import { matches } from '../http/tolerant.ts';
import type { Change, Delivery, DeliveryHeaders, DeliveryReader } from '../interface/provider.ts';

/**
 * Returns the reader of a delivery of Gitea or Forgejo. A delivery only says what may have changed; the states in it
 * are ignored, so that deliveries that are lost or out of order do no harm. https://docs.gitea.com/usage/webhooks
 * @throws AppError `not_found` without a secret; `unauthenticated` without a signature.
 */
export function readDelivery(secret: string | undefined, headers: DeliveryHeaders): DeliveryReader {
  const signed = { signature: readSignature(headers), header: 'X-Gitea-Signature' };
  return signedReader(secret, signed, (body) => readSigned(headers, body));
}

function readSigned(headers: DeliveryHeaders, body: Buffer): Delivery {
  const [id, event] = [readHeader(headers, 'delivery'), readHeader(headers, 'event')];
  if (id === undefined || event === undefined) {
    throw new AppError('missing_field', 'A delivery needs the headers X-Gitea-Delivery and X-Gitea-Event.');
  }
  if (!isDeliveryId(id)) throw new AppError('invalid_input', 'X-Gitea-Delivery must be the UUID of a delivery.');
  return { id, event, changes: readChanges(readers, event, parseDelivered(body)) };
}

/** Reads a header of Gitea or Forgejo. Forgejo sends it under both names, for receivers that know only Gitea's. */
function readHeader(headers: DeliveryHeaders, name: 'delivery' | 'event' | 'signature'): string | undefined {
  const value = headers[`x-gitea-${name}`] ?? headers[`x-forgejo-${name}`];
  return typeof value === 'string' ? value : undefined;
}

function readSignature(headers: DeliveryHeaders): string | undefined {
  const hub = headers['x-hub-signature-256'];
  return readHeader(headers, 'signature') ?? (typeof hub === 'string' ? hub.replace(/^sha256=/, '') : undefined);
}

const Named = Type.Object({ id: Type.Integer(), login: Type.String() });
const Repository = Type.Object({ id: Type.Integer(), owner: Named });
const InRepository = Type.Object({ repository: Repository });
const Identified = Type.Object({ id: Type.Integer() });
type Named = Static<typeof Named>;
type Repository = Static<typeof Repository>;

/**
 * The invalidations of each event that matters; other events are ignored. Gitea also has types of events
 * (`issue_label`), which newer versions may send as the event.
 */
const readers: ChangeReaders = {
  push: (payload) => [contributions(check(InRepository, payload).repository, ['commits']), ...readSender(payload)],
  issues: (payload) => changedItem(payload, 'issue', ['issues']),
  issue_assign: (payload) => changedItem(payload, 'issue', ['issues']),
  issue_label: (payload) => changedItem(payload, 'issue', ['issues']),
  issue_milestone: (payload) => changedItem(payload, 'issue', ['issues']),
  issue_comment: (payload) => commented(payload),
  pull_request: (payload) => changedItem(payload, 'pull_request', ['pull_requests']),
  pull_request_assign: (payload) => changedItem(payload, 'pull_request', ['pull_requests']),
  pull_request_label: (payload) => changedItem(payload, 'pull_request', ['pull_requests']),
  pull_request_milestone: (payload) => changedItem(payload, 'pull_request', ['pull_requests']),
  pull_request_sync: (payload) => changedItem(payload, 'pull_request', ['pull_requests']),
  pull_request_review_request: (payload) => changedItem(payload, 'pull_request', ['pull_requests']),
  pull_request_approved: (payload) => reviewed(payload),
  pull_request_rejected: (payload) => reviewed(payload),
  /** A review that neither approves nor rejects; comments on pull requests come as `issue_comment`. */
  pull_request_comment: (payload) => reviewed(payload),
  pull_request_review_approved: (payload) => reviewed(payload),
  pull_request_review_rejected: (payload) => reviewed(payload),
  pull_request_review_comment: (payload) => reviewed(payload),
  fork: (payload) => forked(payload),
  repository: (payload) => changedRepository(payload),
};

function changedItem(payload: unknown, field: 'issue' | 'pull_request', streams: string[]): Change[] {
  const { repository } = check(InRepository, payload);
  return [contributions(repository, streams), ...person(readPart(readPart(payload, field), 'user'))];
}

/**
 * Returns the changes of a review. The payload names the author of the pull request, and the reviewer as its sender.
 */
function reviewed(payload: unknown): Change[] {
  return [...changedItem(payload, 'pull_request', ['pull_requests']), ...readSender(payload)];
}

function commented(payload: unknown): Change[] {
  const { repository } = check(InRepository, payload);
  const isOnPullRequest = readPart(payload, 'is_pull') === true;
  const kind = isOnPullRequest ? 'pull_request_comment' : 'issue_comment';
  const comment = readPart(payload, 'comment');
  const isDeleted = readPart(payload, 'action') === 'deleted' && matches(Identified, comment);
  return [
    ...(isDeleted ? [removed(repository, kind, comment.id)] : []),
    contributions(repository, ['comments', isOnPullRequest ? 'pull_requests' : 'issues']),
  ];
}

/** Returns the changes of a fork: `forkee` is the original repository, `repository` the new one. */
function forked(payload: unknown): Change[] {
  const forkee = readPart(payload, 'forkee');
  const { repository } = check(InRepository, payload);
  return [...(matches(Repository, forkee) ? [owned(forkee.owner)] : []), owned(repository.owner)];
}

function changedRepository(payload: unknown): Change[] {
  const { repository } = check(InRepository, payload);
  const isDeleted = readPart(payload, 'action') === 'deleted';
  return [...(isDeleted ? [hidden(repository)] : []), owned(repository.owner)];
}

const owned = ({ id, login }: Named): Change => ({ type: 'owned', account: String(id), name: login });
const hidden = ({ id }: Repository): Change => ({ type: 'hidden', repository: String(id), onlyPrivate: false });

function contributions({ id, owner }: Repository, streams: string[]): Change {
  return { type: 'contributions', repository: String(id), owner: String(owner.id), ownerName: owner.login, streams };
}

function removed({ id }: Repository, kind: ItemKind, item: number): Change {
  return { type: 'removed', repository: String(id), kind, externalId: String(item) };
}

function readSender(payload: unknown): Change[] {
  return person(readPart(payload, 'sender'));
}

/**
 * Returns no change for an account that the payload does not name, nor for deleted accounts and the host's
 * placeholders, which have ids below 1.
 */
function person(named: unknown): Change[] {
  return matches(Named, named) && named.id >= 1
    ? [{ type: 'account', account: String(named.id), name: named.login }]
    : [];
}

function check<Schema extends TSchema>(schema: Schema, payload: unknown): Static<Schema> {
  return checkDelivered(schema, payload, 'Gitea');
}

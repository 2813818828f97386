import { type Static, type TSchema, Type } from 'typebox';
import { Check } from 'typebox/value';
import type { ItemKind } from '../../model/contribution.ts';
import { AppError } from '../../model/errors.ts';
import { isObject } from '../../model/fields.ts';
import { checkDelivered } from '../http/checks.ts';
import {
  type ChangeReaders,
  isDeliveryId,
  parseDelivered,
  readChanges,
  readPart,
  signedReader,
} from '../http/deliveries.ts';
import type { Change, Delivery, DeliveryHeaders, DeliveryReader } from '../interface/provider.ts';
import { isGhostName, restActor } from './actors.ts';
import { toCredentialName } from './app/registration.ts';
import { RestAccountPayload } from './payloads.ts';

/**
 * Returns the reader of a delivery of GitHub. A delivery only says which data may have changed, which is then fetched,
 * so that deliveries that are lost or out of order do no harm. Stars are an exception.
 * https://docs.github.com/webhooks/webhook-events-and-payloads
 * @param isOurs returns whether an installation of the App is known. From the deliveries of an unknown installation
 * only the change of the installation itself is used.
 * @throws AppError `not_found` without a secret; `unauthenticated` without a signature.
 */
export function readDelivery(
  secret: string | undefined,
  headers: DeliveryHeaders,
  isOurs: (installation: string) => boolean,
): DeliveryReader {
  const hub = headers['x-hub-signature-256'];
  const signature = typeof hub === 'string' ? /^sha256=(.*)$/.exec(hub)?.[1] : undefined;
  return signedReader(secret, { signature, header: 'X-Hub-Signature-256' }, (body) =>
    readSigned(headers, body, isOurs),
  );
}

function readSigned(headers: DeliveryHeaders, body: Buffer, isOurs: (installation: string) => boolean): Delivery {
  const [id, event] = [headers['x-github-delivery'], headers['x-github-event']];
  if (typeof id !== 'string' || typeof event !== 'string') {
    throw new AppError('missing_field', 'A delivery needs the headers X-GitHub-Delivery and X-GitHub-Event.');
  }
  if (!isDeliveryId(id)) throw new AppError('invalid_input', 'X-GitHub-Delivery must be the GUID of a delivery.');
  const payload = parseDelivered(body);
  const changes = readChanges(readers, event, payload);
  // A delivery of an installation that is not known yet only reports that the installation exists.
  return { id, event, changes: comesFromOurs(payload, isOurs) ? changes : changes.filter(isAboutInstallation) };
}

function comesFromOurs(payload: unknown, isOurs: (installation: string) => boolean): boolean {
  const id = readPart(readPart(payload, 'installation'), 'id');
  return typeof id !== 'number' || isOurs(String(id));
}

const isAboutInstallation = ({ type }: Change): boolean => type === 'installation';

/**
 * Only the fields without which a change cannot be reported are required: the repository, and the id of a deleted item.
 * All other fields may be absent, null or of another shape, such as the account of an enterprise, which has no `login`.
 */
const Identified = Type.Object({ id: Type.Integer() });
const InRepository = Type.Object({
  repository: Type.Object({ id: Type.Integer(), owner: Type.Optional(Type.Unknown()) }),
});
const Installed = Type.Object({
  action: Type.String(),
  installation: Type.Object({ id: Type.Integer(), account: Type.Optional(Type.Unknown()) }),
});
const Target = Type.Object({ installation: Identified });
type Repository = Static<typeof InRepository>['repository'];

/** An account that a payload names. */
interface Named {
  id: number;
  /** Undefined: the payload has no login. */
  login: string | undefined;
}

/** The readers of the events that the service uses; other events change nothing. */
const readers: ChangeReaders = {
  push: (payload) => contributed(payload, ['commits'], ['sender']),
  issues: (payload) => changedItem(payload, 'issue', { kind: 'issue', streams: ['issues'] }),
  issue_comment: (payload) => commented(payload),
  pull_request: (payload) => changedItem(payload, 'pull_request', { kind: 'pull_request', streams: ['pull_requests'] }),
  pull_request_review: (payload) => changedItem(payload, 'review', { kind: 'review', streams: ['pull_requests'] }),
  pull_request_review_comment: (payload) =>
    changedItem(payload, 'comment', { kind: 'review_comment', streams: ['pull_requests', 'review_comments'] }),
  discussion: (payload) => changedItem(payload, 'discussion', { kind: 'discussion', streams: ['discussions'] }),
  discussion_comment: (payload) => changedItem(payload, 'comment', { kind: undefined, streams: ['discussions'] }),
  star: (payload) => starred(payload),
  fork: (payload) => listed(payload),
  public: (payload) => listed(payload),
  repository: (payload) => changedRepository(payload),
  installation: (payload) => changedInstallation(payload),
  installation_repositories: (payload) => changedInstallation(payload),
  installation_target: (payload) => changedTarget(payload),
  organization: (payload) => changedOrganization(payload),
  member: (payload) => changedMember(payload),
  membership: (payload) => changedMember(payload),
};

/** The events that an App must subscribe to. GitHub sends the events about installations to every App anyway. */
export const subscribedEvents = Object.keys(readers).filter((event) => !event.startsWith('installation'));

function contributed(payload: unknown, streams: string[], people: readonly string[]): Change[] {
  const { repository } = check(InRepository, payload);
  return [contributions(repository, streams), ...people.flatMap((field) => account(readPart(payload, field)))];
}

/** @param is the kind that the item is stored as, undefined when it is not stored, and the streams that list it. */
function changedItem(payload: unknown, field: string, is: { kind: ItemKind | undefined; streams: string[] }): Change[] {
  const { repository } = check(InRepository, payload);
  const item = readPart(payload, field);
  const deleted = readPart(payload, 'action') === 'deleted' ? is.kind : undefined;
  return [
    ...(deleted === undefined ? [] : [removed(repository, deleted, check(Identified, item).id)]),
    contributions(repository, is.streams),
    ...account(readPart(item, 'user')),
  ];
}

/** Returns the changes of a comment. GitHub sends comments on a pull request as a whole as comments on an issue. */
function commented(payload: unknown): Change[] {
  const isPullRequest = isObject(readPart(readPart(payload, 'issue'), 'pull_request'));
  return changedItem(payload, 'comment', {
    kind: isPullRequest ? 'pull_request_comment' : 'issue_comment',
    streams: ['comments', isPullRequest ? 'pull_requests' : 'issues'],
  });
}

/** Returns the changes of a star, with its account and time, because GitHub may not show the list of stars. */
function starred(payload: unknown): Change[] {
  const { repository } = check(InRepository, payload);
  return [...readStar(payload, repository), contributions(repository, ['stars']), ...listed(payload)];
}

function readStar(payload: unknown, repository: Repository): Change[] {
  const sender = readPart(payload, 'sender');
  const giver = matches(RestAccountPayload, sender) ? restActor(sender) : null;
  const isTakenBack = readPart(payload, 'action') === 'deleted';
  // Only the delivery of an added star has a time. When a star is removed, GitHub updates the repository in that
  // second, as the examples of both show (octokit/webhooks, payload-examples/api.github.com/star).
  const time = isTakenBack ? readPart(repository, 'updated_at') : readPart(payload, 'starred_at');
  const at = new Date(typeof time === 'string' ? time : '');
  if (giver === null || Number.isNaN(at.getTime())) return [];
  return [{ type: 'star', repository: String(repository.id), account: giver, at: at.toISOString(), isTakenBack }];
}

function listed(payload: unknown): Change[] {
  const { owner } = check(InRepository, payload).repository;
  return [...owned(owner), ...account(owner)];
}

function changedRepository(payload: unknown): Change[] {
  const { repository } = check(InRepository, payload);
  const action = readPart(payload, 'action');
  const from = readPart(readPart(readPart(payload, 'changes'), 'owner'), 'from');
  const isHidden = action === 'deleted' || action === 'privatized';
  return [
    ...(isHidden ? [hidden(repository)] : []),
    // The former owner may have lost access.
    ...(action === 'transferred' ? [hiddenIfPrivate(repository)] : []),
    ...[repository.owner, readPart(from, 'user'), readPart(from, 'organization')].flatMap(owned),
  ];
}

/** Returns the changes of an installation. Hides repositories that it no longer shows; a listing finds new ones. */
function changedInstallation(payload: unknown): Change[] {
  const { action, installation } = check(Installed, payload);
  const isOver = action === 'deleted' || action === 'suspend';
  const lost = [
    ...identifiedIn(readPart(payload, 'repositories_removed')),
    ...(isOver ? identifiedIn(readPart(payload, 'repositories')) : []),
  ];
  return [toInstallationChange(installation, isOver), ...lost.map(hiddenIfPrivate), ...owned(installation.account)];
}

/** Returns the changes of an account that installed the App and was renamed. */
function changedTarget(payload: unknown): Change[] {
  const { installation } = check(Target, payload);
  return [toInstallationChange(installation, false), ...account(readPart(payload, 'account'))];
}

const toInstallationChange = ({ id }: { id: number }, isOver: boolean): Change => ({
  type: 'installation',
  credentialName: toCredentialName(String(id)),
  isOver,
});

/**
 * Returns the changes of an organization. GitHub delivers the removal of a member, but nothing when an owner becomes an
 * ordinary member (https://docs.github.com/webhooks/webhook-events-and-payloads#organization).
 */
function changedOrganization(payload: unknown): Change[] {
  const member = namedIn(readPart(readPart(payload, 'membership'), 'user'));
  const changes = account(readPart(payload, 'organization'));
  return member === undefined ? changes : [...changes, { type: 'administrator', person: String(member.id) }];
}

/** Returns the change of a collaborator of a repository, or of a member of a team, who may see other repositories now. */
function changedMember(payload: unknown): Change[] {
  const member = namedIn(readPart(payload, 'member'));
  return member === undefined ? [] : [{ type: 'administrator', person: String(member.id) }];
}

function account(part: unknown): Change[] {
  const named = namedIn(part);
  return named === undefined ? [] : [{ type: 'account', account: String(named.id), name: named.login ?? '' }];
}

/** Returns no change for an account without a login, which is an enterprise and owns no repositories. */
function owned(part: unknown): Change[] {
  const named = namedIn(part);
  return named?.login === undefined ? [] : [{ type: 'owned', account: String(named.id), name: named.login }];
}

const hidden = ({ id }: { id: number }): Change => ({ type: 'hidden', repository: String(id), onlyPrivate: false });
const hiddenIfPrivate = ({ id }: { id: number }): Change => ({
  type: 'hidden',
  repository: String(id),
  onlyPrivate: true,
});

function contributions({ id, owner }: Repository, streams: string[]): Change {
  const named = namedIn(owner);
  const known = { owner: named === undefined ? null : String(named.id), ownerName: named?.login ?? '' };
  return { type: 'contributions', repository: String(id), ...known, streams };
}

function removed({ id }: Repository, kind: ItemKind, item: number): Change {
  return { type: 'removed', repository: String(id), kind, externalId: String(item) };
}

/** Returns the account in a part of a payload; undefined for null, an absent part and deleted accounts. */
function namedIn(part: unknown): Named | undefined {
  if (!matches(Identified, part)) return undefined;
  const login = readPart(part, 'login');
  if (typeof login !== 'string') return { id: part.id, login: undefined };
  return isGhostName(login) ? undefined : { id: part.id, login };
}

function identifiedIn(list: unknown): Static<typeof Identified>[] {
  return Array.isArray(list) ? list.filter((item: unknown) => matches(Identified, item)) : [];
}

function matches<Schema extends TSchema>(schema: Schema, part: unknown): part is Static<Schema> {
  return Check(schema, part);
}

function check<Schema extends TSchema>(schema: Schema, payload: unknown): Static<Schema> {
  return checkDelivered(schema, payload, 'GitHub');
}

import { type Static, type TSchema, Type } from 'typebox';
import type { ItemKind } from '../../contributions/contribution.ts';
import { AppError } from '../../errors.ts';
import { checkDelivered } from '../http/checks.ts';
import { isDeliveryId, isSignature, parseDelivered, requireSecret } from '../http/deliveries.ts';
import type { Change, Delivery, DeliveryHeaders } from '../provider.ts';
import { restActor } from './actors.ts';
import { accessOf } from './app/registration.ts';
import { RestAccountPayload } from './payloads.ts';

/**
 * Reads what GitHub delivers. A delivery is a hint to look: what it tells of states is left alone, so that neither the order
 * in which deliveries come nor one that never comes does harm.
 * https://docs.github.com/webhooks/webhook-events-and-payloads
 */

/**
 * @param isOurs whether an installation of the App is known; what comes by another one is nothing to us but that it exists.
 * @throws AppError `unauthenticated` when it is not signed with the secret; `missing_field` or `invalid_input`.
 */
export function readDelivery(
  secret: string | undefined,
  headers: DeliveryHeaders,
  body: Buffer,
  isOurs: (installation: string) => boolean,
): Delivery {
  const signature = headers['x-hub-signature-256'];
  const digest = typeof signature === 'string' ? /^sha256=(.*)$/.exec(signature)?.[1] : undefined;
  if (!isSignature(digest, requireSecret(secret), body)) {
    throw new AppError(
      'unauthenticated',
      'X-Hub-Signature-256 is not the signature of this body with the configured secret.',
    );
  }
  const [id, event] = [headers['x-github-delivery'], headers['x-github-event']];
  if (typeof id !== 'string' || typeof event !== 'string') {
    throw new AppError('missing_field', 'A delivery needs the headers X-GitHub-Delivery and X-GitHub-Event.');
  }
  if (!isDeliveryId(id)) throw new AppError('invalid_input', 'X-GitHub-Delivery must be the GUID of a delivery.');
  const payload = parseDelivered(body);
  const changes = toChanges(event, payload);
  // Of what is not known yet, only that it is there.
  return { id, event, changes: comesFromOurs(payload, isOurs) ? changes : changes.filter(isAboutInstallation) };
}

function comesFromOurs(payload: unknown, isOurs: (installation: string) => boolean): boolean {
  const { installation }: { installation?: { id?: unknown } | null } = Object(payload);
  const id = installation?.id;
  return typeof id !== 'number' || isOurs(String(id));
}

const isAboutInstallation = ({ what }: Change): boolean => what === 'installation';

const Named = Type.Object({ id: Type.Integer(), login: Type.String() });
const Repository = Type.Object({ id: Type.Integer(), name: Type.String(), owner: Named });
const Starred = Type.Object({
  action: Type.String(),
  starred_at: Type.Optional(Type.Union([Type.Null(), Type.String()])),
  repository: Type.Object({ updated_at: Type.Optional(Type.String()) }),
  sender: RestAccountPayload,
});
const Commented = Type.Object({ issue: Type.Object({ pull_request: Type.Optional(Type.Object({})) }) });
const Identified = Type.Object({ id: Type.Integer() });
const Author = Type.Object({ user: Type.Optional(Type.Union([Type.Null(), Named])) });
const InRepository = Type.Object({ action: Type.Optional(Type.String()), repository: Repository });
const Installed = Type.Object({
  action: Type.String(),
  installation: Type.Object({ id: Type.Integer(), account: Named }),
  repositories: Type.Optional(Type.Array(Identified)),
  repositories_removed: Type.Optional(Type.Array(Identified)),
});
const Moved = Type.Object({
  changes: Type.Optional(
    Type.Object({
      owner: Type.Optional(
        Type.Object({
          from: Type.Object({ user: Type.Optional(Named), organization: Type.Optional(Named) }),
        }),
      ),
    }),
  ),
});
const Target = Type.Object({
  account: Type.Object({ id: Type.Integer(), login: Type.Optional(Type.String()) }),
  installation: Identified,
});
const Organization = Type.Object({ organization: Named });
type Named = Static<typeof Named>;
type Repository = Static<typeof Repository>;

/** What each event that matters is a hint to; others are nothing to us. */
const readers: Record<string, (payload: unknown) => Change[]> = {
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
  organization: (payload) => [account(check(Organization, payload).organization)],
};

/** Events that have to be asked for; those about installations come to every App. */
export const subscribedEvents = Object.keys(readers).filter((event) => !event.startsWith('installation'));

function toChanges(event: string, payload: unknown): Change[] {
  return Object.hasOwn(readers, event) ? (readers[event]?.(payload) ?? []) : [];
}

function contributed(payload: unknown, streams: string[], people: readonly string[]): Change[] {
  const { repository } = check(InRepository, payload);
  return [contributions(repository, streams), ...people.flatMap((field) => person(payload, field))];
}

/** @param is what the item is stored as, if it is, and the streams that tell of it. */
function changedItem(payload: unknown, field: string, is: { kind: ItemKind | undefined; streams: string[] }): Change[] {
  const { action, repository } = check(InRepository, payload);
  const item: unknown = Object(payload)[field];
  const author = check(Author, item).user;
  const ownAccount = author ? [account(author)] : [];
  return [
    ...(action === 'deleted' && is.kind !== undefined
      ? [removed(repository, is.kind, check(Identified, item).id)]
      : []),
    contributions(repository, is.streams),
    ...ownAccount,
  ];
}

/** Pull requests are issues too, where people comment on them as a whole. */
function commented(payload: unknown): Change[] {
  const { issue } = check(Commented, payload);
  const isPullRequest = issue.pull_request !== undefined;
  return changedItem(payload, 'comment', {
    kind: isPullRequest ? 'pull_request_comment' : 'issue_comment',
    streams: ['comments', isPullRequest ? 'pull_requests' : 'issues'],
  });
}

/** GitHub may show nobody's stars to the service, so the delivery says who starred the repository, and when. */
function starred(payload: unknown): Change[] {
  const { repository } = check(InRepository, payload);
  return [...starOf(payload, repository), contributions(repository, ['stars']), ...listed(payload)];
}

function starOf(payload: unknown, { id }: Repository): Change[] {
  const { action, starred_at, repository, sender } = check(Starred, payload);
  const account = restActor(sender);
  const isTakenBack = action === 'deleted';
  // Only a star that is given says when; when one is taken back, GitHub updates the repository in that second, as the
  // examples of both show (octokit/webhooks, payload-examples/api.github.com/star).
  const at = new Date((isTakenBack ? repository.updated_at : starred_at) ?? '');
  if (account === null || Number.isNaN(at.getTime())) return [];
  return [{ what: 'star', repository: String(id), account, at: at.toISOString(), isTakenBack }];
}

function listed(payload: unknown): Change[] {
  const { repository } = check(InRepository, payload);
  return [owned(repository.owner), account(repository.owner)];
}

function changedRepository(payload: unknown): Change[] {
  const { action, repository } = check(InRepository, payload);
  const from = check(Moved, payload).changes?.owner?.from;
  const former = [from?.user, from?.organization].filter((owner) => owner !== undefined);
  const isHidden = action === 'deleted' || action === 'privatized';
  return [
    ...(isHidden ? [hidden(repository)] : []),
    // Whoever owned it may not be shown it any more.
    ...(action === 'transferred' ? [hiddenIfPrivate(repository)] : []),
    ...[repository.owner, ...former].map(owned),
  ];
}

/** What an installation does not show any more is hidden at once; what it shows is found by listing. */
function changedInstallation(payload: unknown): Change[] {
  const { action, installation, repositories, repositories_removed } = check(Installed, payload);
  const isOver = action === 'deleted' || action === 'suspend';
  const lost = [...(repositories_removed ?? []), ...(isOver ? (repositories ?? []) : [])];
  return [installationOf(installation, isOver), ...lost.map(hiddenIfPrivate), owned(installation.account)];
}

/** Who installed the App is called otherwise. */
function changedTarget(payload: unknown): Change[] {
  const { account: target, installation } = check(Target, payload);
  return [installationOf(installation, false), account({ id: target.id, login: target.login ?? '' })];
}

const installationOf = ({ id }: { id: number }, isOver: boolean): Change => ({
  what: 'installation',
  access: accessOf(String(id)),
  isOver,
});

const account = ({ id, login }: Named): Change => ({ what: 'account', account: String(id), name: login });
const owned = ({ id, login }: Named): Change => ({ what: 'owned', account: String(id), name: login });
const hidden = ({ id }: { id: number }): Change => ({ what: 'hidden', repository: String(id), onlyPrivate: false });
const hiddenIfPrivate = ({ id }: { id: number }): Change => ({
  what: 'hidden',
  repository: String(id),
  onlyPrivate: true,
});

function contributions({ id, owner }: Repository, streams: string[]): Change {
  return { what: 'contributions', repository: String(id), owner: String(owner.id), ownerName: owner.login, streams };
}

function removed({ id }: Repository, kind: ItemKind, item: number): Change {
  return { what: 'removed', repository: String(id), kind, externalId: String(item) };
}

function person(payload: unknown, field: string): Change[] {
  const named: unknown = Object(payload)[field];
  return named === undefined || named === null ? [] : [account(check(Named, named))];
}

function check<Schema extends TSchema>(schema: Schema, payload: unknown): Static<Schema> {
  return checkDelivered(schema, payload, 'GitHub');
}

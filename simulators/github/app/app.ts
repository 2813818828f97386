import { randomBytes } from 'node:crypto';
import type { WorldEvent } from '../../world/events.ts';
import type { Account, Repository } from '../../world/model.ts';
import { addAccount } from '../../world/people.ts';
import type { Viewer, World } from '../../world/world.ts';
import type { ResponseContext } from '../rest/accounts.ts';
import { simpleAccount } from '../rest/accounts.ts';
import { tokenIn } from '../tokens.ts';
import { toPayload } from '../webhooks/payloads.ts';
import type { CheckRun } from './checks.ts';
import { Deliverer } from './deliverer.ts';
import {
  covers,
  describeInstallation,
  type Installation,
  type Permissions,
  readPermissions,
  repositorySummary,
} from './installation.ts';
import { initialKeyPair, type KeyPair, makeKeyPair, proofFault } from './proof.ts';

/** A caller with the App's credentials, or the refusal of these credentials. */
export type AppCaller =
  | { name: string; viewer: Viewer; installation: Installation | null }
  | { refusal: { status: number; message: string } };

interface IssuedToken {
  installation: Installation;
  expiresAt: Date;
}

/** The lifetime of an installation's token, in ms. */
const tokenLifeMs = 3_600_000;

/** The events about contributions and repositories of GitHub's list of webhook events, without those about CI and teams. */
const contributionEvents = [
  'push',
  'issues',
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'discussion',
  'discussion_comment',
  'star',
  'fork',
  'public',
  'repository',
  'organization',
  'member',
  'membership',
];

/** A GitHub App: its registration, its installations and its deliveries. */
export class App {
  readonly id = 481_516;
  readonly clientId = 'Iv23liSimulated00000';
  readonly slug = 'plaudit-simulated';
  readonly installations = new Map<number, Installation>();
  readonly deliverer: Deliverer;
  readonly checkRuns: CheckRun[] = [];
  /** True once the owner has deleted the App; GitHub then refuses all of its credentials. */
  isDeleted = false;
  /** The permissions that the App requests from accounts. */
  permissions: Permissions = readPermissions;
  /** The events that the App subscribes to, in addition to events about installations. */
  events: readonly string[] = contributionEvents;
  readonly #context: ResponseContext;
  readonly #now: () => Date;
  readonly #tokens = new Map<string, IssuedToken>();
  #keys: KeyPair[] | undefined;

  constructor(options: { world: World; origin: string; apiUrl: string; now: () => Date; seed: number }) {
    const { world, origin, apiUrl, now, seed } = options;
    this.#context = { world, origin, apiUrl, viewer: { accountId: null, seesPrivate: false } };
    this.#now = now;
    this.deliverer = new Deliverer({ appId: this.id, now, seed });
    world.listeners.add((event) => this.#onEvent(event));
  }

  /** The newest private key. */
  get privateKey(): string {
    return this.#keyPairs()[0]?.pem ?? '';
  }

  /** Replaces the private key; GitHub refuses earlier keys from then on. */
  replaceKey(): void {
    this.#keys = [makeKeyPair()];
  }

  /** Sets the address and the secret of deliveries. */
  deliverTo(serviceUrl: string, secret: string): void {
    this.deliverer.target = { url: `${serviceUrl}/v1/github/webhooks`, secret };
  }

  /** @param repositories the selected repositories; undefined: all. */
  install(
    account: Account,
    repositories?: readonly Repository[],
    permissions: Permissions = readPermissions,
  ): Installation {
    const { world } = this.#context;
    const installation: Installation = {
      id: world.newId(),
      accountId: account.id,
      selection: repositories === undefined ? 'all' : 'selected',
      repositoryIds: new Set(repositories?.map(({ id }) => id)),
      permissions,
      suspendedAt: null,
      createdAt: world.now(),
      updatedAt: world.now(),
    };
    this.installations.set(installation.id, installation);
    world.markChanged();
    this.#deliverInstallation('created', installation);
    return installation;
  }

  uninstall(installation: Installation): void {
    const delivery = this.#installationDelivery(installation, 'deleted');
    this.installations.delete(installation.id);
    for (const [token, issued] of this.#tokens) if (issued.installation === installation) this.#tokens.delete(token);
    this.#context.world.markChanged();
    this.deliverer.send(delivery);
  }

  suspend(installation: Installation): void {
    this.#updateInstallation(installation, { suspendedAt: this.#context.world.now() });
    this.#deliverInstallation('suspend', installation);
  }

  unsuspend(installation: Installation): void {
    this.#updateInstallation(installation, { suspendedAt: null });
    this.#deliverInstallation('unsuspend', installation);
  }

  acceptPermissions(installation: Installation, permissions: Permissions): void {
    this.#updateInstallation(installation, { permissions });
    this.#deliverInstallation('new_permissions_accepted', installation);
  }

  addRepositories(installation: Installation, repositories: readonly Repository[]): void {
    for (const { id } of repositories) installation.repositoryIds.add(id);
    this.#updateInstallation(installation, { selection: 'selected' });
    this.#deliverSelection('added', installation, repositories);
  }

  removeRepositories(installation: Installation, repositories: readonly Repository[]): void {
    for (const { id } of repositories) installation.repositoryIds.delete(id);
    this.#updateInstallation(installation, {});
    this.#deliverSelection('removed', installation, repositories);
  }

  /** Revokes all tokens before they expire, as GitHub does with a published token. */
  revokeTokens(): void {
    this.#tokens.clear();
  }

  covered(installation: Installation): Repository[] {
    return this.#context.world.repositories.filter((repository) => covers(installation, repository));
  }

  /** Returns the caller, undefined for credentials that do not belong to the App. */
  authenticate(authorization: string | undefined): AppCaller | undefined {
    if (authorization === undefined) return undefined;
    const secret = tokenIn(authorization);
    if (secret.startsWith('eyJ')) {
      const ids = [String(this.id), this.clientId];
      const keys = this.#keyPairs().map(({ publicKey }) => publicKey);
      const refusal = proofFault(secret, { ids, keys, isDeleted: this.isDeleted }, this.#now());
      const viewer = { accountId: null, seesPrivate: false };
      return refusal === undefined ? { name: 'app', viewer, installation: null } : { refusal };
    }
    if (!secret.startsWith('ghs_')) return undefined;
    const issued = this.#tokens.get(secret);
    if (issued === undefined || issued.expiresAt <= this.#now() || this.isDeleted) {
      return { refusal: { status: 401, message: 'Bad credentials' } };
    }
    const { installation } = issued;
    if (installation.suspendedAt !== null) {
      return { refusal: { status: 403, message: 'This installation has been suspended' } };
    }
    const shows = (repository: Repository): boolean => covers(installation, repository);
    return {
      name: `installation:${installation.id}`,
      viewer: {
        accountId: null,
        seesPrivate: true,
        shows,
        lacksStargazers: 'integration',
        ...(installation.permissions.members !== undefined && { readsMembersOf: installation.accountId }),
      },
      installation,
    };
  }

  /** Returns the account that an installation comments as, null when it may not comment. */
  commenter(installation: Installation | null, repository: Repository): Account | null {
    const mayComment = installation?.permissions.discussions === 'write' && covers(installation, repository);
    if (!mayComment) return null;
    const { world } = this.#context;
    const login = `${this.slug}[bot]`;
    return world.accountByLogin(login) ?? addAccount(world, { type: 'Bot', login, createdAt: world.now() });
  }

  issueToken(installation: Installation): { token: string; expiresAt: Date } {
    const token = `ghs_${randomBytes(18).toString('hex')}`;
    const expiresAt = new Date(this.#now().getTime() + tokenLifeMs);
    this.#tokens.set(token, { installation, expiresAt });
    return { token, expiresAt };
  }

  #onEvent(event: WorldEvent): void {
    if (event.name === 'repository' && event.action === 'transferred') this.#removeFromFormerSelections(event);
    for (const installation of this.installations.values()) {
      const { repository, ownerId } = event;
      const isDelivered =
        this.events.includes(event.name) &&
        installation.suspendedAt === null &&
        (repository === null ? ownerId === installation.accountId : covers(installation, repository));
      if (!isDelivered) continue;
      this.deliverer.send({
        event: event.name,
        action: event.action,
        installationId: installation.id,
        repositoryId: repository?.id ?? null,
        payload: { ...toPayload(this.#context, event), installation: { id: installation.id, node_id: 'MDI=' } },
      });
    }
  }

  /** Removes a transferred repository from selections of its former owner; the former owner gets no other event. */
  #removeFromFormerSelections({ repository }: WorldEvent): void {
    for (const installation of this.installations.values()) {
      if (repository === null || repository.ownerId === installation.accountId) continue;
      const wasCovered = installation.repositoryIds.delete(repository.id);
      if (wasCovered) this.#deliverSelection('removed', installation, [repository]);
    }
  }

  #updateInstallation(installation: Installation, changes: Partial<Installation>): void {
    Object.assign(installation, changes, { updatedAt: this.#context.world.now() });
    this.#context.world.markChanged();
  }

  #deliverInstallation(action: string, installation: Installation): void {
    this.deliverer.send(this.#installationDelivery(installation, action));
  }

  #installationDelivery(installation: Installation, action: string) {
    const { world } = this.#context;
    const account = world.accountById(installation.accountId);
    return {
      event: 'installation',
      action,
      installationId: installation.id,
      repositoryId: null,
      payload: {
        action,
        installation: describeInstallation(this.#context, this, installation),
        repositories: this.covered(installation).map((repository) => repositorySummary(this.#context, repository)),
        requester: null,
        sender: account && simpleAccount(this.#context, account),
      },
    };
  }

  #deliverSelection(
    action: 'added' | 'removed',
    installation: Installation,
    repositories: readonly Repository[],
  ): void {
    const summaries = repositories.map((repository) => repositorySummary(this.#context, repository));
    const account = this.#context.world.accountById(installation.accountId);
    this.deliverer.send({
      event: 'installation_repositories',
      action,
      installationId: installation.id,
      repositoryId: null,
      payload: {
        action,
        installation: describeInstallation(this.#context, this, installation),
        repository_selection: installation.selection,
        repositories_added: action === 'added' ? summaries : [],
        repositories_removed: action === 'removed' ? summaries : [],
        requester: null,
        sender: account && simpleAccount(this.#context, account),
      },
    });
  }

  #keyPairs(): KeyPair[] {
    this.#keys ??= [initialKeyPair()];
    return this.#keys;
  }
}

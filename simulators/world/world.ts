import type { WorldEvent } from './events.ts';
import type {
  Account,
  Comment,
  Discussion,
  DiscussionComment,
  Issue,
  Membership,
  PullRequest,
  Repository,
  Review,
  ReviewComment,
  Star,
  Team,
} from './model.ts';

/** A caller: anonymous, or the bearer of a token with the permissions of the token. */
export interface Viewer {
  accountId: number | null;
  /** True when the token shows private repositories that its bearer may see. */
  seesPrivate: boolean;
  /** For an installation of an App: returns whether it shows a private repository. */
  shows?: (repository: Repository) => boolean;
  /** Credentials to which GitHub refuses every list of stargazers; with `scope`, the lists seem to be empty. */
  lacksStargazers?: 'integration' | 'personal access token' | 'scope';
  /** For an installation with the permission "Members": the id of the account whose members it reads. */
  readsMembersOf?: number;
  /** True for a classic token without `read:org`, to which GitHub shows public members only. */
  lacksMembers?: boolean;
}

/** The access of a caller to a repository's stargazers; `empty`: the list seems to be empty. */
export type StargazerAccess = 'listed' | 'empty' | 'refused';

export const anonymousViewer: Viewer = { accountId: null, seesPrivate: false };

/** An item in a repository, and its parent. */
export type LocatedItem =
  | { kind: 'issue'; repository: Repository; item: Issue }
  | { kind: 'pull_request'; repository: Repository; item: PullRequest }
  | { kind: 'review'; repository: Repository; item: Review; pull: PullRequest }
  | { kind: 'comment'; repository: Repository; item: Comment; thread: Issue | PullRequest }
  | { kind: 'review_comment'; repository: Repository; item: ReviewComment; pull: PullRequest }
  | { kind: 'discussion'; repository: Repository; item: Discussion }
  | { kind: 'discussion_comment'; repository: Repository; item: DiscussionComment; discussion: Discussion };

/** The whole state of the simulated GitHub, and its rules of access. */
export class World {
  readonly accounts: Account[] = [];
  readonly memberships: Membership[] = [];
  readonly teams: Team[] = [];
  readonly repositories: Repository[] = [];
  /** Grows with every change, which makes derived data outdated. */
  version = 0;
  #nextId = 1000;
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  now(): Date {
    return new Date(Math.floor(this.#now().getTime() / 1000) * 1000);
  }

  newId(): number {
    this.#nextId += 1;
    return this.#nextId;
  }

  markChanged(): void {
    this.version += 1;
  }

  /** Functions that receive each event when it happens. */
  readonly listeners = new Set<(event: WorldEvent) => void>();

  emit(event: WorldEvent): void {
    for (const listener of this.listeners) listener(event);
  }

  readonly #items = new Map<string, LocatedItem>();

  /** Adds an item to a repository, where the API finds it by its id. */
  addItem(located: LocatedItem): void {
    this.#items.set(located.item.nodeId, located);
  }

  /** Removes items from their repository. */
  removeItems(...items: readonly { nodeId: string }[]): void {
    for (const { nodeId } of items) this.#items.delete(nodeId);
  }

  findItem(nodeId: string): LocatedItem | undefined {
    const found = this.#items.get(nodeId);
    return found !== undefined && this.repositoryById(found.repository.id) !== undefined ? found : undefined;
  }

  /** Returns the repository of an item, undefined when the item was removed. */
  repositoryOf(item: { nodeId: string }): Repository | undefined {
    return this.#items.get(item.nodeId)?.repository;
  }

  /** Returns the stars of accounts that still exist, in no order. */
  starsOf(repository: Repository): Star[] {
    return repository.stars.filter(({ accountId }) => this.accountById(accountId) !== undefined);
  }

  accountById(id: number): Account | undefined {
    return this.#index().byId.get(id);
  }

  accountByLogin(login: string): Account | undefined {
    return this.#index().byLogin.get(login.toLowerCase());
  }

  /** Returns the account that GitHub shows as the author of commits with this address. */
  accountByEmail(email: string): Account | undefined {
    return this.#index().byEmail.get(email.toLowerCase()) ?? this.#byNoreply(email.toLowerCase());
  }

  repository(owner: string, name: string): Repository | undefined {
    const ownerId = this.accountByLogin(owner)?.id;
    return ownerId === undefined ? undefined : this.#index().byName.get(`${ownerId}/${name.toLowerCase()}`);
  }

  readonly #formerNames: { ownerId: number; name: string; repositoryId: number }[] = [];

  /** Records a name before a rename or a transfer: hosts redirect from it until another repository has it. */
  recordFormerName({ id, ownerId, name }: Repository): void {
    this.#formerNames.push({ ownerId, name: name.toLowerCase(), repositoryId: id });
  }

  /** Returns the repository that had a name last, if no repository has it now. */
  repositoryByFormerName(owner: string, name: string): Repository | undefined {
    const ownerId = this.accountByLogin(owner)?.id;
    if (ownerId === undefined || this.repository(owner, name) !== undefined) return undefined;
    const former = this.#formerNames.findLast(
      (formerName) => formerName.ownerId === ownerId && formerName.name === name.toLowerCase(),
    );
    return former && this.repositoryById(former.repositoryId);
  }

  repositoryById(id: number): Repository | undefined {
    return this.#index().repositories.get(id);
  }

  owned(account: Account): Repository[] {
    return this.repositories.filter((repository) => repository.ownerId === account.id);
  }

  membership(organizationId: number, accountId: number): Membership | undefined {
    return this.memberships.find(
      (membership) => membership.organizationId === organizationId && membership.accountId === accountId,
    );
  }

  /** Returns the teams of an organization. */
  teamsOf({ id }: Account): Team[] {
    return this.teams.filter(({ organizationId }) => organizationId === id);
  }

  membersOf({ memberIds }: Team): Account[] {
    return memberIds.flatMap((id) => this.accountById(id) ?? []);
  }

  /**
   * Returns whether a caller sees the members of an organization that are not public: members and installations do
   * (docs.github.com, rest/orgs/members; server-to-server-permissions of github/docs, "Members").
   */
  canSeeMembers({ accountId, readsMembersOf, lacksMembers = false }: Viewer, organization: Account): boolean {
    if (readsMembersOf === organization.id) return true;
    return accountId !== null && !lacksMembers && this.membership(organization.id, accountId)?.state === 'active';
  }

  canSee(viewer: Viewer, repository: Repository): boolean {
    if (repository.visibility === 'public') return true;
    if (viewer.shows?.(repository)) return true;
    const { accountId, seesPrivate } = viewer;
    if (accountId === null || !seesPrivate) return false;
    const isMember = this.membership(repository.ownerId, accountId)?.state === 'active';
    return repository.ownerId === accountId || isMember || repository.collaboratorIds.includes(accountId);
  }

  /** Returns whether a caller may read the access of others to a repository: its owners, and installations that show it. */
  mayReadAccess(viewer: Viewer, repository: Repository): boolean {
    if (viewer.shows?.(repository)) return true;
    const { accountId } = viewer;
    if (accountId === null || !this.canSee(viewer, repository)) return false;
    const membership = this.membership(repository.ownerId, accountId);
    return repository.ownerId === accountId || (membership?.state === 'active' && membership.role === 'admin');
  }

  /**
   * GitHub lists stargazers for administrators and collaborators alone since July 2026 (changelog of 2026-06-30). It
   * refuses installations (pkgjs/statusboard#54) and fine-grained tokens that may not write contents
   * (star-history#539); other people get an empty list by GraphQL. Their number is public.
   */
  stargazerAccess({ accountId, lacksStargazers }: Viewer, repository: Repository): StargazerAccess {
    if (lacksStargazers !== undefined && lacksStargazers !== 'scope') return 'refused';
    if (accountId === null || lacksStargazers === 'scope') return 'empty';
    const membership = this.membership(repository.ownerId, accountId);
    const isAdmin = repository.ownerId === accountId || (membership?.state === 'active' && membership.role === 'admin');
    return isAdmin || repository.collaboratorIds.includes(accountId) ? 'listed' : 'empty';
  }

  #indexed: { version: number; index: Index } | undefined;

  #index(): Index {
    if (this.#indexed?.version !== this.version) {
      const living = this.accounts.filter((account) => !account.isDeleted);
      const index: Index = {
        byId: new Map(living.map((account) => [account.id, account])),
        byLogin: new Map(living.map((account) => [account.login.toLowerCase(), account])),
        byEmail: new Map(living.flatMap((account) => account.emails.map((email) => [email.toLowerCase(), account]))),
        byName: new Map(
          this.repositories.map((repository) => [`${repository.ownerId}/${repository.name.toLowerCase()}`, repository]),
        ),
        repositories: new Map(this.repositories.map((repository) => [repository.id, repository])),
      };
      this.#indexed = { version: this.version, index };
    }
    return this.#indexed.index;
  }

  /** Resolves GitHub's own addresses: `ID+login@...`, in which the id counts, and the older `login@...`. */
  #byNoreply(email: string): Account | undefined {
    const [, id, login] = /^(?:(\d+)\+)?([^@]+)@users\.noreply\.github\.com$/.exec(email) ?? [];
    if (id !== undefined) return this.accountById(Number(id));
    return login === undefined ? undefined : this.accountByLogin(login);
  }
}

interface Index {
  byId: Map<number, Account>;
  byLogin: Map<string, Account>;
  byEmail: Map<string, Account>;
  byName: Map<string, Repository>;
  repositories: Map<number, Repository>;
}

/** Returns an opaque id like those of GitHub's API; only this file decodes it. */
export function nodeId(prefix: string, id: number): string {
  return `${prefix}_${Buffer.from(`0:${id}`).toString('base64url')}`;
}

/** Returns the number in an opaque id, NaN for other texts. */
export function idIn(opaque: string): number {
  const [, coded = ''] = /^[A-Z]+_(.+)$/.exec(opaque) ?? [];
  return Number(/^0:(\d+)$/.exec(Buffer.from(coded, 'base64url').toString())?.[1]);
}

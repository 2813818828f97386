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
} from './model.ts';

/** Who asks: nobody in particular, or the bearer of a token with what the token allows. */
export interface Viewer {
  accountId: number | null;
  /** Whether the token shows private repositories that its bearer may see. */
  seesPrivate: boolean;
  /** Of an installation of an App: which private repositories it shows. */
  shows?: (repository: Repository) => boolean;
  /** Kinds of credentials to which GitHub refuses every list of stargazers, and `scope` for those that seem to see none. */
  lacksStargazers?: 'integration' | 'personal access token' | 'scope';
}

/** Whether a caller may list a repository's stargazers; `empty`: the list seems to be empty. */
export type StargazerAccess = 'listed' | 'empty' | 'refused';

export const anybody: Viewer = { accountId: null, seesPrivate: false };

/** Something in a repository, and what it belongs to. */
export type Placed =
  | { kind: 'issue'; repository: Repository; item: Issue }
  | { kind: 'pull_request'; repository: Repository; item: PullRequest }
  | { kind: 'review'; repository: Repository; item: Review; pull: PullRequest }
  | { kind: 'comment'; repository: Repository; item: Comment; thread: Issue | PullRequest }
  | { kind: 'review_comment'; repository: Repository; item: ReviewComment; pull: PullRequest }
  | { kind: 'discussion'; repository: Repository; item: Discussion }
  | { kind: 'discussion_comment'; repository: Repository; item: DiscussionComment; discussion: Discussion };

/** Everything that the simulated GitHub knows, and the rules of who may see what. */
export class World {
  readonly accounts: Account[] = [];
  readonly memberships: Membership[] = [];
  readonly repositories: Repository[] = [];
  /** Grows with every change, so that what is derived knows when it is outdated. */
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

  changed(): void {
    this.version += 1;
  }

  /** Hear of what happens, at the moment at which it does. */
  readonly listeners = new Set<(event: WorldEvent) => void>();

  happened(event: WorldEvent): void {
    for (const hear of this.listeners) hear(event);
  }

  readonly #places = new Map<string, Placed>();

  /** Something is in a repository from now on, and found by its id for the API. */
  place(placed: Placed): void {
    this.#places.set(placed.item.nodeId, placed);
  }

  /** It is not any more. */
  displace(...items: readonly { nodeId: string }[]): void {
    for (const { nodeId } of items) this.#places.delete(nodeId);
  }

  placeOf(nodeId: string): Placed | undefined {
    const found = this.#places.get(nodeId);
    return found !== undefined && this.repositoryById(found.repository.id) !== undefined ? found : undefined;
  }

  /** Where something is or, when it was removed, `undefined`. */
  repositoryOf(item: { nodeId: string }): Repository | undefined {
    return this.#places.get(item.nodeId)?.repository;
  }

  /** The stars of those who are still there, in no order. */
  starsOf(repository: Repository): Star[] {
    return repository.stars.filter(({ accountId }) => this.accountById(accountId) !== undefined);
  }

  accountById(id: number): Account | undefined {
    return this.#index().byId.get(id);
  }

  accountByLogin(login: string): Account | undefined {
    return this.#index().byLogin.get(login.toLowerCase());
  }

  /** Whom GitHub shows as author of a commit with this address. */
  accountByEmail(email: string): Account | undefined {
    return this.#index().byEmail.get(email.toLowerCase()) ?? this.#byNoreply(email.toLowerCase());
  }

  repository(owner: string, name: string): Repository | undefined {
    const ownerId = this.accountByLogin(owner)?.id;
    return ownerId === undefined ? undefined : this.#index().byName.get(`${ownerId}/${name.toLowerCase()}`);
  }

  readonly #formerNames: { ownerId: number; name: string; repositoryId: number }[] = [];

  /** To be called before a repository is renamed or given away: hosts lead on from its name until another one has it. */
  leaveName({ id, ownerId, name }: Repository): void {
    this.#formerNames.push({ ownerId, name: name.toLowerCase(), repositoryId: id });
  }

  /** The repository that had a name last, where none has it now. */
  formerly(owner: string, name: string): Repository | undefined {
    const ownerId = this.accountByLogin(owner)?.id;
    if (ownerId === undefined || this.repository(owner, name) !== undefined) return undefined;
    const left = this.#formerNames.findLast((one) => one.ownerId === ownerId && one.name === name.toLowerCase());
    return left && this.repositoryById(left.repositoryId);
  }

  repositoryById(id: number): Repository | undefined {
    return this.#index().repositories.get(id);
  }

  owned(account: Account): Repository[] {
    return this.repositories.filter((repository) => repository.ownerId === account.id);
  }

  membership(organizationId: number, accountId: number): Membership | undefined {
    return this.memberships.find((one) => one.organizationId === organizationId && one.accountId === accountId);
  }

  canSee(viewer: Viewer, repository: Repository): boolean {
    if (repository.visibility === 'public') return true;
    if (viewer.shows?.(repository)) return true;
    const { accountId, seesPrivate } = viewer;
    if (accountId === null || !seesPrivate) return false;
    const isMember = this.membership(repository.ownerId, accountId)?.state === 'active';
    return repository.ownerId === accountId || isMember || repository.collaboratorIds.includes(accountId);
  }

  /**
   * GitHub lists stargazers for administrators and collaborators alone since July 2026 (changelog of 2026-06-30). It refuses
   * installations (pkgjs/statusboard#54) and fine-grained tokens that may not write contents (star-history#539); other
   * people get an empty list by GraphQL. Their number is public.
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
        byName: new Map(this.repositories.map((one) => [`${one.ownerId}/${one.name.toLowerCase()}`, one])),
        repositories: new Map(this.repositories.map((one) => [one.id, one])),
      };
      this.#indexed = { version: this.version, index };
    }
    return this.#indexed.index;
  }

  /** GitHub's own addresses: `ID+login@...`, in which the id counts, and the older `login@...`. */
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

/** Opaque to everybody but this file, like GitHub's ids for its API. */
export function nodeId(prefix: string, id: number): string {
  return `${prefix}_${Buffer.from(`0:${id}`).toString('base64url')}`;
}

/** @returns NaN for what is no such id. */
export function idIn(opaque: string): number {
  const [, coded = ''] = /^[A-Z]+_(.+)$/.exec(opaque) ?? [];
  return Number(/^0:(\d+)$/.exec(Buffer.from(coded, 'base64url').toString())?.[1]);
}

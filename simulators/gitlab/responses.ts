import { toLineCounts } from '../world/line-counts.ts';
import type { Account, ChangedFile, Commit, Repository, Star } from '../world/model.ts';
import type { Viewer, World } from '../world/world.ts';
import type { Hidden } from './hidden.ts';

/** GitLab's responses about a simulated world. */

/** The context of a request; `viewer` is undefined for an invalid credential. */
export interface ResponseContext {
  world: World;
  url: string;
  query: URLSearchParams;
  maxPerPage: number;
  /** Longer lists do not report their length. */
  totalsUpTo: number;
  viewer: Viewer | undefined;
  hidden: Hidden;
  /** The scopes and the expiry date of the caller's token. */
  token: { scopes: string[]; lastDay: string | null };
}

export interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

export type Shape = Record<string, unknown>;

/** The user that owns everything that deleted accounts wrote. */
const ghost = { id: 999_999, login: 'ghost', name: 'Ghost User' };

export function user(
  { world, url, hidden }: Pick<ResponseContext, 'world' | 'url' | 'hidden'>,
  id: number | null,
): Shape {
  const account = (id === null ? undefined : world.accountById(id)) ?? ghost;
  return {
    id: account.id,
    username: account.login,
    name: account.name ?? '',
    state: hidden.blocked.get(account.id) ?? 'active',
    locked: false,
    avatar_url: `${url}/uploads/-/system/user/avatar/${account.id}/avatar.png`,
    web_url: `${url}/${account.login}`,
  };
}

export function profile(context: ResponseContext, account: Account): Shape {
  const isKept = context.hidden.profiles.has(account.id) || context.hidden.blocked.has(account.id);
  const isShown = !isKept || context.viewer?.accountId === account.id;
  return {
    ...user(context, account.id),
    bio: account.bio ?? '',
    location: null,
    public_email: '',
    linkedin: '',
    twitter: account.twitter ?? '',
    discord: '',
    website_url: account.websiteUrl ?? '',
    organization: null,
    job_title: '',
    pronouns: null,
    bot: account.type === 'Bot',
    work_information: null,
    local_time: null,
    ...(isShown && {
      created_at: time(account.createdAt),
      followers: account.followers,
      following: account.following,
      is_followed: false,
    }),
  };
}

export function group({ url, hidden }: ResponseContext, account: Account): Shape {
  return {
    id: account.id,
    web_url: `${url}/groups/${account.login}`,
    name: account.name ?? '',
    path: account.login.split('/').at(-1),
    description: account.bio,
    visibility: hidden.groups.get(account.id) ?? 'public',
    avatar_url: null,
    request_access_enabled: true,
    full_name: account.name ?? '',
    full_path: account.login,
    created_at: time(account.createdAt),
    parent_id: null,
  };
}

export function project(context: ResponseContext, repository: Repository): Shape {
  const { world, viewer, hidden, query } = context;
  const basic = basicProject(context, repository);
  if (viewer?.accountId === null) return basic;
  const origin = world.repositories.find(({ name, isFork }) => name === repository.name && !isFork);
  const isMember = isMemberOf(context, repository);
  return {
    ...basic,
    empty_repo: repository.commits.length === 0,
    archived: repository.isArchived,
    visibility: repository.visibility,
    open_issues_count: repository.issues.filter(({ closedAt }) => closedAt === null).length,
    ...(repository.isFork && { mr_default_target_self: false }),
    ...(repository.isFork &&
      origin !== undefined &&
      isVisible(context, origin) && { forked_from_project: basicProject(context, origin) }),
    issues_access_level: 'enabled',
    merge_requests_access_level: 'enabled',
    repository_access_level: 'enabled',
    ...hidden.parts.get(repository.id),
    ...(world.accountById(repository.ownerId)?.type !== 'Organization' && { owner: user(context, repository.ownerId) }),
    ...(query.get('statistics') === 'true' &&
      isMember && { statistics: { commit_count: repository.commits.length, storage_size: 0, repository_size: 0 } }),
  };
}

function basicProject({ world, url }: ResponseContext, repository: Repository): Shape {
  const owner = world.accountById(repository.ownerId);
  const path = `${owner?.login}/${repository.name}`;
  return {
    id: repository.id,
    description: repository.description,
    name: repository.name,
    name_with_namespace: `${owner?.name} / ${repository.name}`,
    path: repository.name,
    path_with_namespace: path,
    created_at: time(repository.createdAt),
    default_branch: repository.commits.length === 0 ? null : repository.defaultBranch,
    topics: [],
    http_url_to_repo: `${url}/${path}.git`,
    web_url: `${url}/${path}`,
    forks_count: repository.forkCount,
    avatar_url: null,
    star_count: repository.stars.length,
    last_activity_at: time(later(repository.updatedAt, repository.pushedAt)),
    namespace: {
      // The namespace of a user has an id of its own.
      id: owner?.type === 'Organization' ? owner.id : (owner?.id ?? 0) + 1_000_000,
      name: owner?.name ?? '',
      path: owner?.login.split('/').at(-1),
      kind: owner?.type === 'Organization' ? 'group' : 'user',
      full_path: owner?.login,
      parent_id: null,
      avatar_url: null,
      web_url: `${url}/${owner?.login}`,
    },
  };
}

/** Returns whether a project is visible. Internal projects are shown to all signed-in callers. */
export function isVisible({ world, viewer }: ResponseContext, repository: Repository): boolean {
  if (viewer === undefined) return false;
  return (repository.visibility === 'internal' && viewer.accountId !== null) || world.canSee(viewer, repository);
}

/** Returns whether the caller sees the parts of a public project that are limited to its members. */
export function isMemberOf({ world, viewer }: ResponseContext, { ownerId, collaboratorIds }: Repository): boolean {
  const id = viewer?.accountId ?? null;
  if (id === null) return false;
  return ownerId === id || collaboratorIds.includes(id) || world.membership(ownerId, id)?.state === 'active';
}

export function isPartShown(
  context: ResponseContext,
  repository: Repository,
  part: 'issues' | 'merge_requests' | 'repository',
): boolean {
  const level = context.hidden.parts.get(repository.id)?.[`${part}_access_level`] ?? 'enabled';
  return level === 'enabled' || (level === 'private' && isMemberOf(context, repository));
}

export function starrer(context: ResponseContext, { accountId, starredAt }: Star): Shape {
  return { starred_since: time(starredAt), user: user(context, accountId) };
}

export function commit(commit: Commit): Shape {
  const { oid, message, author, authoredAt } = commit;
  const { additions, deletions } = toLineCounts(commit);
  return {
    id: oid,
    title: message.split('\n', 1)[0] ?? '',
    author_name: author.name,
    author_email: author.email,
    created_at: time(authoredAt),
    stats: { additions, deletions, total: additions + deletions },
  };
}

export function diff({ path }: Pick<ChangedFile, 'path'>): Shape {
  return {
    old_path: path,
    new_path: path,
    new_file: false,
    renamed_file: false,
    deleted_file: false,
    diff: '@@ -1 +1 @@\n',
  };
}

function later(left: Date, right: Date | null): Date {
  return right !== null && right > left ? right : left;
}

export function time(at: Date): string;
export function time(at: Date | null): string | null;
export function time(at: Date | null): string | null {
  return at === null ? null : at.toISOString();
}

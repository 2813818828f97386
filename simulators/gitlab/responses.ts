import { lineCountsOf } from '../world/line-counts.ts';
import type { Account, ChangedFile, Commit, Repository, Star } from '../world/model.ts';
import type { Viewer, World } from '../world/world.ts';
import type { Hidden } from './hidden.ts';

/** GitLab's responses about a simulated world. */

/** The context of a request; `viewer` is undefined for an invalid credential. */
export interface Place {
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

export function user({ world, url, hidden }: Pick<Place, 'world' | 'url' | 'hidden'>, id: number | null): Shape {
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

export function profile(place: Place, account: Account): Shape {
  const isKept = place.hidden.profiles.has(account.id) || place.hidden.blocked.has(account.id);
  const isShown = !isKept || place.viewer?.accountId === account.id;
  return {
    ...user(place, account.id),
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

export function group({ url, hidden }: Place, account: Account): Shape {
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

export function project(place: Place, shown: Repository): Shape {
  const { world, viewer, hidden, query } = place;
  const basic = basicProject(place, shown);
  if (viewer?.accountId === null) return basic;
  const origin = world.repositories.find(({ name, isFork }) => name === shown.name && !isFork);
  const isMember = isMemberOf(place, shown);
  return {
    ...basic,
    empty_repo: shown.commits.length === 0,
    archived: shown.isArchived,
    visibility: shown.visibility,
    open_issues_count: shown.issues.filter(({ closedAt }) => closedAt === null).length,
    ...(shown.isFork && { mr_default_target_self: false }),
    ...(shown.isFork &&
      origin !== undefined &&
      isVisible(place, origin) && { forked_from_project: basicProject(place, origin) }),
    issues_access_level: 'enabled',
    merge_requests_access_level: 'enabled',
    repository_access_level: 'enabled',
    ...hidden.parts.get(shown.id),
    ...(world.accountById(shown.ownerId)?.type !== 'Organization' && { owner: user(place, shown.ownerId) }),
    ...(query.get('statistics') === 'true' &&
      isMember && { statistics: { commit_count: shown.commits.length, storage_size: 0, repository_size: 0 } }),
  };
}

function basicProject({ world, url }: Place, shown: Repository): Shape {
  const owner = world.accountById(shown.ownerId);
  const path = `${owner?.login}/${shown.name}`;
  return {
    id: shown.id,
    description: shown.description,
    name: shown.name,
    name_with_namespace: `${owner?.name} / ${shown.name}`,
    path: shown.name,
    path_with_namespace: path,
    created_at: time(shown.createdAt),
    default_branch: shown.commits.length === 0 ? null : shown.defaultBranch,
    topics: [],
    http_url_to_repo: `${url}/${path}.git`,
    web_url: `${url}/${path}`,
    forks_count: shown.forkCount,
    avatar_url: null,
    star_count: shown.stars.length,
    last_activity_at: time(later(shown.updatedAt, shown.pushedAt)),
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
export function isVisible({ world, viewer }: Place, shown: Repository): boolean {
  if (viewer === undefined) return false;
  return (shown.visibility === 'internal' && viewer.accountId !== null) || world.canSee(viewer, shown);
}

/** Returns whether the caller sees the parts of a public project that are limited to its members. */
export function isMemberOf({ world, viewer }: Place, { ownerId, collaboratorIds }: Repository): boolean {
  const id = viewer?.accountId ?? null;
  if (id === null) return false;
  return ownerId === id || collaboratorIds.includes(id) || world.membership(ownerId, id)?.state === 'active';
}

export function isPartShown(
  place: Place,
  shown: Repository,
  part: 'issues' | 'merge_requests' | 'repository',
): boolean {
  const level = place.hidden.parts.get(shown.id)?.[`${part}_access_level`] ?? 'enabled';
  return level === 'enabled' || (level === 'private' && isMemberOf(place, shown));
}

export function starrer(place: Place, { accountId, starredAt }: Star): Shape {
  return { starred_since: time(starredAt), user: user(place, accountId) };
}

export function commit(commit: Commit): Shape {
  const { oid, message, author, authoredAt } = commit;
  const { additions, deletions } = lineCountsOf(commit);
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

function later(one: Date, other: Date | null): Date {
  return other !== null && other > one ? other : one;
}

export function time(at: Date): string;
export function time(at: Date | null): string | null;
export function time(at: Date | null): string | null {
  return at === null ? null : at.toISOString();
}

import type { Call, KnownAccount, KnownRepository, ListedRepository, RepositoryPage } from '../provider.ts';
import type { RestClient } from '../rest/client.ts';
import { stepForward } from '../rest/lists.ts';
import { findInViews, listByViews } from '../rest/views.ts';
import { groupIdIn, groupIdOf } from './actors.ts';
import { readLanguages } from './graphql.ts';
import { type ProjectPayload, ProjectPayload as ProjectSchema, ProjectsPayload } from './payloads.ts';

/** GitLab writes down at most this often that something happened in a project. */
const activityToldEveryMs = 3_600_000;

/**
 * Tells whether a project is public. GitLab sends its visibility to signed-in readers alone; other readers see public projects
 * alone. A project that a token shows without its visibility is taken for private.
 */
export function isPublic(client: RestClient, { visibility }: ProjectPayload): boolean {
  return visibility === 'public' || (visibility === undefined && client.pace.tokens.length === 0);
}

export function isFork({ forked_from_project: origin, mr_default_target_self: ofFork }: ProjectPayload): boolean {
  return (origin !== undefined && origin !== null) || ofFork !== undefined;
}

/**
 * Whether a part of a project is shown to those for whom it is read: a public project may keep its issues, merge requests
 * or repository to its members, whom a configured token may be one of.
 */
export function isShown(level: string | undefined, access: string | null): boolean {
  return level === undefined || level === 'enabled' || (level === 'private' && access !== null);
}

/** Projects directly below a user or a group: public ones, then what each token shows besides. */
export function listRepositories(
  client: RestClient,
  { externalId, type }: KnownAccount,
  cursor: string | null,
  call: Call,
): Promise<RepositoryPage> {
  const order = { order_by: 'id', sort: 'asc' };
  // Subgroups are accounts of their own; what is shared with a group belongs to others.
  const ofGroup = {
    path: `/groups/${groupIdIn(externalId)}/projects`,
    query: { ...order, include_subgroups: 'false', with_shared: 'false' },
  };
  const ofUser = { path: `/users/${externalId}/projects`, query: order };
  const list = { ...(type === 'organization' ? ofGroup : ofUser), items: ProjectsPayload };
  const views = {
    list: (after: string | null, asked: Call) => stepForward(client, list, { cursor: after, since: null }, asked),
    isPublic: (project: ProjectPayload) => isPublic(client, project),
    toListed: (payloads: readonly ProjectPayload[], access: string | null, asked: Call) =>
      toListed(client, payloads, access, asked),
  };
  return listByViews(client, views, cursor, call);
}

/** One repository, also by a former name; null when there is none, or it is private and was not asked for. */
export async function findRepository(
  client: RestClient,
  owner: KnownAccount,
  name: string,
  { withPrivate }: { withPrivate: boolean },
  call: Call,
): Promise<ListedRepository | null> {
  const path = `/projects/${encodeURIComponent(`${owner.name}/${name}`)}`;
  const find = async (asked: Call) => (await client.get(path, ProjectSchema, asked))?.data;
  const isShownToAll = (project: ProjectPayload): boolean => isPublic(client, project);
  const found = await findInViews(client, find, isShownToAll, { withPrivate, call });
  // GitLab leads on from a former name, also to a project that was given away:
  // https://docs.gitlab.com/api/rest/#redirects
  if (found === null || !isOwnedBy(found.payload, owner)) return null;
  const [listed] = await toListed(client, [found.payload], found.access, call);
  return listed ?? null;
}

export function projectPath({ handle }: Pick<KnownRepository, 'handle'>): string {
  return `/projects/${encodeURIComponent(handle)}`;
}

/** A stored repository as it is now; null when it is elsewhere by now, or not the same to us as it was. */
export async function readUnchanged(
  client: RestClient,
  repository: KnownRepository,
  call: Call,
  { withStatistics = false }: { withStatistics?: boolean } = {},
): Promise<ProjectPayload | null> {
  const path = `${projectPath(repository)}${withStatistics ? '?statistics=true' : ''}`;
  const now = (await client.get(path, ProjectSchema, call))?.data;
  const isAsItWas =
    now !== undefined && isSame(now, repository) && isPublic(client, now) === (repository.access === null);
  return isAsItWas ? now : null;
}

/** Strangers are not told which user owns a project, only the path of the user's namespace. */
function isOwnedBy({ namespace, owner }: ProjectPayload, account: Pick<KnownAccount, 'externalId' | 'type' | 'name'>) {
  if (account.type === 'organization') return groupIdOf(namespace.id) === account.externalId;
  if (owner) return String(owner.id) === account.externalId;
  return namespace.full_path.toLowerCase() === account.name.toLowerCase();
}

function isSame(
  { path, namespace }: ProjectPayload,
  { owner, name }: Pick<KnownRepository, 'owner' | 'name'>,
): boolean {
  return `${namespace.full_path}/${path}`.toLowerCase() === `${owner}/${name}`.toLowerCase();
}

export async function toListed(
  client: RestClient,
  payloads: readonly ProjectPayload[],
  access: string | null,
  call: Call,
): Promise<ListedRepository[]> {
  const languages = await readLanguages(client, payloads, call);
  return payloads.map((payload) => ({
    externalId: String(payload.id),
    handle: String(payload.id),
    name: payload.path,
    description: payload.description ?? '',
    language: languages.get(payload.id) ?? '',
    license: '',
    defaultBranch: branchOf(payload, access),
    isPrivate: access !== null,
    access,
    isFork: isFork(payload),
    stars: payload.star_count,
    forks: payload.forks_count ?? null,
    openIssues: payload.open_issues_count ?? null,
    sizeKib: 0,
    // Of issues and merge requests nothing tells which changed last.
    tips: { commits: { total: null, changedAt: lastChange(payload, client.now()), revision: null } },
  }));
}

/** Empty when there is nothing to read, or nothing that may be. */
export function branchOf(payload: ProjectPayload, access: string | null): string {
  const isReadable = payload.empty_repo !== true && isShown(payload.repository_access_level, access);
  return isReadable ? (payload.default_branch ?? '') : '';
}

/** What happened soon after the time that is told was not written down: it may have happened until now. */
function lastChange({ last_activity_at: told }: ProjectPayload, now: Date): Date {
  return new Date(Math.min(Date.parse(told) + activityToldEveryMs, Math.max(now.getTime(), Date.parse(told))));
}

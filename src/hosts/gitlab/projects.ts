import { Type } from 'typebox';
import { CommitId } from '../http/checks.ts';
import type { Call, KnownAccount, KnownRepository, ListedRepository, RepositoryFile } from '../interface/provider.ts';
import { toRepositoryUrl } from '../interface/repositories.ts';
import type { RestClient, RestReaders } from '../rest/client.ts';
import { stepForward } from '../rest/lists.ts';
import { decodeText, findInViews, hasTokens, listByViews } from '../rest/views.ts';
import { groupIdIn, toGroupId } from './actors.ts';
import { readLanguages } from './graphql.ts';
import {
  type ProjectPayload,
  ProjectPayload as ProjectSchema,
  ProjectsPayload,
  SignedInProjectPayload,
  SignedInProjectsPayload,
} from './payloads.ts';

/** https://docs.gitlab.com/api/repository_files/ */
const FilePayload = Type.Object({
  blob_id: Type.String(),
  size: Type.Integer({ minimum: 0 }),
  encoding: Type.String(),
  content: Type.String(),
});
const BranchPayload = Type.Object({ commit: Type.Object({ id: CommitId }) });

/** The folders of items below a repository's page. */
export const itemFolders = {
  commit: ['-', 'commit'],
  issue: ['-', 'issues'],
  pull_request: ['-', 'merge_requests'],
  discussion: ['-', 'issues'],
};

/** The shortest time between two updates of a project's `last_activity_at`, in ms. */
const activityUpdateIntervalMs = 3_600_000;

const anonymousSchemas = { project: ProjectSchema, list: ProjectsPayload };
const signedInSchemas = { project: SignedInProjectPayload, list: SignedInProjectsPayload };

/** Returns the shapes of projects in responses to a client's requests. */
function schemasFor(client: RestClient) {
  return hasTokens(client) ? signedInSchemas : anonymousSchemas;
}

/**
 * Returns whether a project is public. GitLab sends the visibility only to signed-in readers; others see only public
 * projects. A project that a token shows without its visibility counts as private.
 */
export function isPublic(client: RestClient, { visibility }: ProjectPayload): boolean {
  return visibility === 'public' || (visibility === undefined && !hasTokens(client));
}

export function isFork({ forked_from_project: origin, mr_default_target_self: ofFork }: ProjectPayload): boolean {
  return (origin !== undefined && origin !== null) || ofFork !== undefined;
}

/**
 * Returns whether the readers of a project may see a part of it. A public project may show its issues, merge requests
 * or repository only to its members, and the owner of a configured token may be a member.
 */
export function isShown(level: string | undefined, credentialName: string | null): boolean {
  return level === undefined || level === 'enabled' || (level === 'private' && credentialName !== null);
}

/**
 * Lists the projects directly below a user or a group: first the public ones, then the private ones that each token
 * shows.
 */
export const listRepositories: RestReaders['listRepositories'] = (client, { externalId, type }, cursor, call) => {
  const order = { order_by: 'id', sort: 'asc' };
  // Subgroups are accounts of their own; projects that are shared with a group belong to other accounts.
  const ofGroup = {
    path: `/groups/${groupIdIn(externalId)}/projects`,
    query: { ...order, include_subgroups: 'false', with_shared: 'false' },
  };
  const ofUser = { path: `/users/${externalId}/projects`, query: order };
  const list = { ...(type === 'organization' ? ofGroup : ofUser), items: schemasFor(client).list };
  const views = {
    list: (after: string | null, viewCall: Call) => stepForward(client, list, { cursor: after, since: null }, viewCall),
    isPublic: (project: ProjectPayload) => isPublic(client, project),
    toListed: (payloads: readonly ProjectPayload[], credentialName: string | null, viewCall: Call) =>
      toListed(client, payloads, credentialName, viewCall),
  };
  return listByViews(client, views, cursor, call);
};

/** Finds a repository, also by a former name; null when there is none, or it is private and `withPrivate` is false. */
export const findRepository: RestReaders['findRepository'] = async (client, owner, name, { withPrivate }, call) => {
  const path = `/projects/${encodeURIComponent(`${owner.name}/${name}`)}`;
  const find = async (viewCall: Call) => (await client.get(path, schemasFor(client).project, viewCall))?.data;
  const isShownToAll = (project: ProjectPayload): boolean => isPublic(client, project);
  const found = await findInViews(client, find, isShownToAll, { withPrivate, call });
  // GitLab redirects from a former name, also to a project that was transferred to another owner:
  // https://docs.gitlab.com/api/rest/#redirects
  if (found === null || !isOwnedBy(found.payload, owner)) return null;
  const [listed] = await toListed(client, [found.payload], found.credentialName, call);
  return listed ?? null;
};

export function projectPath({ handle }: Pick<KnownRepository, 'handle'>): string {
  return `/projects/${encodeURIComponent(handle)}`;
}

/** Fetches a stored repository; null when it is absent, has another path by now, or its visibility changed. */
export async function readUnchanged(
  client: RestClient,
  repository: KnownRepository,
  call: Call,
  { withStatistics = false }: { withStatistics?: boolean } = {},
): Promise<ProjectPayload | null> {
  const path = `${projectPath(repository)}${withStatistics ? '?statistics=true' : ''}`;
  const now = (await client.get(path, schemasFor(client).project, call))?.data;
  const isAsItWas =
    now !== undefined && isSame(now, repository) && isPublic(client, now) === (repository.credentialName === null);
  return isAsItWas ? now : null;
}

/**
 * Compares the owner. Without a token GitLab does not send the user who owns a project, only the path of the namespace.
 */
function isOwnedBy({ namespace, owner }: ProjectPayload, account: Pick<KnownAccount, 'externalId' | 'type' | 'name'>) {
  if (account.type === 'organization') return toGroupId(namespace.id) === account.externalId;
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
  credentialName: string | null,
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
    defaultBranch: readBranch(payload, credentialName),
    isPrivate: credentialName !== null,
    credentialName,
    isFork: isFork(payload),
    stars: payload.star_count,
    forks: payload.forks_count ?? null,
    openIssues: payload.open_issues_count ?? null,
    sizeKib: 0,
    // The listing has no time of the last change of issues or merge requests.
    tips: { commits: { total: null, changedAt: lastChange(payload, client.now()), revision: null } },
  }));
}

/** Returns the default branch; empty when the repository is empty, or the readers of the project may not see it. */
function readBranch(payload: ProjectPayload, credentialName: string | null): string {
  const isReadable = payload.empty_repo !== true && isShown(payload.repository_access_level, credentialName);
  return isReadable ? (payload.default_branch ?? '') : '';
}

/**
 * Returns the latest possible time of the last change, because GitLab does not record changes soon after a recorded
 * one.
 */
function lastChange({ last_activity_at: recordedAt }: ProjectPayload, now: Date): Date {
  if (recordedAt === null) return now;
  return new Date(
    Math.min(Date.parse(recordedAt) + activityUpdateIntervalMs, Math.max(now.getTime(), Date.parse(recordedAt))),
  );
}

/**
 * Reads files at the newest commit of the default branch, with a request for each.
 * @returns null when the repository is absent, or its visibility changed.
 */
export const readFiles: RestReaders['readFiles'] = async (client, repository, paths, call) => {
  const now = await readUnchanged(client, repository, call);
  if (now === null) return null;
  const branch = readBranch(now, repository.credentialName);
  if (branch === '') return { revision: null, files: [] };
  const below = `${projectPath(repository)}/repository`;
  const address = `${below}/branches/${encodeURIComponent(branch)}`;
  const revision = (await client.get(address, BranchPayload, call))?.data.commit.id;
  if (revision === undefined) return null;
  const files: RepositoryFile[] = [];
  for (const path of paths) {
    const file = (await client.get(`${below}/files/${encodeURIComponent(path)}?ref=${revision}`, FilePayload, call))
      ?.data;
    if (file === undefined) continue;
    files.push({ path, oid: file.blob_id, sizeBytes: file.size, text: decodeText(file.encoding, file.content) });
  }
  return { revision, files };
};

export function fileUrl(
  url: string,
  repository: Pick<KnownRepository, 'owner' | 'name' | 'defaultBranch'>,
  path: string,
): string {
  return toRepositoryUrl(url, repository, ['-', 'raw', ...repository.defaultBranch.split('/'), ...path.split('/')]);
}

import { Type } from 'typebox';
import { AppError } from '../../model/errors.ts';
import { CommitId } from '../http/checks.ts';
import { toDate } from '../interface/collector.ts';
import { unlessDenied } from '../interface/denied.ts';
import type { Call, GitRemote, KnownRepository, ListedRepository, RepositoryFile } from '../interface/provider.ts';
import { toRepositoryUrl } from '../interface/repositories.ts';
import type { RestClient, RestReaders } from '../rest/client.ts';
import { stepFromOldest } from '../rest/lists.ts';
import { decodeText, findInViews, gitAuthorization, listByViews, listCredentialNames } from '../rest/views.ts';
import { RepositoriesPayload, RepositoryPayload, VersionPayload } from './payloads.ts';

/** The contents at a path: a list for a folder. Only files have content. */
const ContentsPayload = Type.Union([
  Type.Array(Type.Unknown()),
  Type.Object({
    type: Type.String(),
    sha: Type.String(),
    size: Type.Integer({ minimum: 0 }),
    encoding: Type.Optional(Type.Union([Type.Null(), Type.String()])),
    content: Type.Optional(Type.Union([Type.Null(), Type.String()])),
  }),
]);
const BranchPayload = Type.Object({ commit: Type.Union([Type.Null(), Type.Object({ id: CommitId })]) });

/** The folders of items below a repository's page. */
export const itemFolders = { commit: ['commit'], issue: ['issues'], pull_request: ['pulls'], discussion: ['issues'] };

/** The time for which the result of a check is used whether the instance responds without a token. */
const openForMs = 3_600_000;

/**
 * Returns whether all visitors of the host may see a repository: it and its owner must be public.
 */
export function isPublic({ private: isPrivate, internal, owner }: RepositoryPayload): boolean {
  return !isPrivate && !internal && owner.visibility === 'public';
}

/** Lists the repositories of an account: first the public ones, then the private ones that each token shows. */
export const listRepositories: RestReaders['listRepositories'] = (client, { name, type, externalId }, cursor, call) => {
  const kind = type === 'organization' ? 'orgs' : 'users';
  const list = { path: `/${kind}/${encodeURIComponent(name)}/repos`, items: RepositoriesPayload };
  const views = {
    list: async (after: string | null, viewCall: Call) => {
      const step = await stepFromOldest(client, list, { cursor: after, since: null }, viewCall);
      // The request names the account, and another account may have taken its name.
      const isOfOther = step?.items.some(({ owner }) => String(owner.id) !== externalId) ?? false;
      return isOfOther ? null : step;
    },
    isPublic,
    toListed: async (payloads: readonly RepositoryPayload[], credentialName: string | null) =>
      payloads.map((payload) => toListed(payload, credentialName)),
  };
  return listByViews(client, views, cursor, call);
};

export function repositoryPath({ owner, name }: Pick<KnownRepository, 'owner' | 'name'>): string {
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}

/** Finds a repository of an account by name; null when there is none, or it is private and `withPrivate` is false. */
export const findRepository: RestReaders['findRepository'] = async (client, owner, name, { withPrivate }, call) => {
  const path = repositoryPath({ owner: owner.name, name });
  const find = async (viewCall: Call) => (await client.get(path, RepositoryPayload, viewCall))?.data;
  const found = await findInViews(client, find, isPublic, { withPrivate, call });
  // The host redirects from a transferred repository to the one of its new owner.
  if (found === null || String(found.payload.owner.id) !== owner.externalId) return null;
  return toListed(found.payload, found.credentialName);
};

/** Fetches a stored repository; null when it is absent, another repository has its name, or its visibility changed. */
export async function readUnchanged(
  client: RestClient,
  repository: KnownRepository,
  call: Call,
): Promise<RepositoryPayload | null> {
  const now = (await client.get(repositoryPath(repository), RepositoryPayload, call))?.data;
  const isSame = now !== undefined && String(now.id) === repository.handle;
  return isSame && isPublic(now) === (repository.credentialName === null) ? now : null;
}

export function toListed(payload: RepositoryPayload, credentialName: string | null): ListedRepository {
  return {
    externalId: String(payload.id),
    handle: String(payload.id),
    name: payload.name,
    description: payload.description,
    language: payload.language,
    license: payload.licenses?.[0] ?? '',
    defaultBranch: payload.empty ? '' : payload.default_branch,
    isPrivate: credentialName !== null,
    credentialName,
    isFork: payload.fork,
    stars: counted(payload.stars_count),
    forks: counted(payload.forks_count),
    openIssues: counted(payload.open_issues_count),
    sizeKib: payload.size,
    // Gitea states no time of the last change of issues or pull requests.
    tips: { commits: { total: null, changedAt: toDate(payload.updated_at), revision: null } },
  };
}

/** Returns a count of the host, and 0 for a negative one, which is a fault of the host; null: it could not be read. */
export function counted(number: number | null): number | null {
  return number === null ? null : Math.max(0, number);
}

/**
 * Returns a function that finds the address and the authorization for git. An instance that requires sign-in needs a
 * token even for public repositories.
 */
export function createGitRemote(client: RestClient, url: string) {
  let known: { isOpen: boolean; until: Date } | undefined;
  const isOpen = async (call: Call): Promise<boolean> => {
    const now = client.now();
    if (known === undefined || known.until <= now) {
      known = { isOpen: await respondsWithoutToken(client, call), until: new Date(now.getTime() + openForMs) };
    }
    return known.isOpen;
  };
  return async (repository: KnownRepository, signal: AbortSignal): Promise<GitRemote> => {
    const call: Call = { urgency: 'background', signal, cost: { requests: 0, points: 0 } };
    const [first = null] = listCredentialNames(client);
    const needsToken = repository.credentialName === null && first !== null && !(await isOpen(call));
    // A token could also show a repository that is not public any more, so that this is checked first.
    if (needsToken && (await readUnchanged(client, repository, call)) === null) {
      throw new AppError('not_found', 'The repository is not public any more.');
    }
    return {
      url: `${toRepositoryUrl(url, repository)}.git`,
      authorization: gitAuthorization(client, needsToken ? first : repository.credentialName),
    };
  };
}

async function respondsWithoutToken(client: RestClient, call: Call): Promise<boolean> {
  const request = client.get('/version', VersionPayload, call, { isAnonymous: true });
  return (await request.catch(unlessDenied('denied'))) !== 'denied';
}

/**
 * Reads files at the newest commit of the default branch, with a request for each.
 * @returns null when the repository is absent, or its visibility changed.
 */
export const readFiles: RestReaders['readFiles'] = async (client, repository, paths, call) => {
  const now = await readUnchanged(client, repository, call);
  if (now === null) return null;
  if (now.empty) return { revision: null, files: [] };
  const branch = `${repositoryPath(repository)}/branches/${encodeURIComponent(now.default_branch)}`;
  const revision = (await client.get(branch, BranchPayload, call))?.data.commit?.id;
  if (revision === undefined) return null;
  const files: RepositoryFile[] = [];
  for (const path of paths) {
    const address = `${repositoryPath(repository)}/contents/${path.split('/').map(encodeURIComponent).join('/')}`;
    const file = (await client.get(`${address}?ref=${revision}`, ContentsPayload, call))?.data;
    if (file === undefined || !('sha' in file) || file.type !== 'file') continue;
    files.push({ path, oid: file.sha, sizeBytes: file.size, text: decodeText(file.encoding, file.content) });
  }
  return { revision, files };
};

/** https://docs.gitea.com/usage/permalinks */
export function fileUrl(
  url: string,
  repository: Pick<KnownRepository, 'owner' | 'name' | 'defaultBranch'>,
  path: string,
): string {
  return toRepositoryUrl(url, repository, [
    'raw',
    'branch',
    ...repository.defaultBranch.split('/'),
    ...path.split('/'),
  ]);
}

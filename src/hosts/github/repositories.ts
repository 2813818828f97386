import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { CounterName } from '../../model/counters.ts';
import { AppError } from '../../model/errors.ts';
import { toDate } from '../interface/collector.ts';
import { findFirst, isDenied } from '../interface/denied.ts';
import type {
  Call,
  KnownAccount,
  ListedRepository,
  RepositoryFile,
  RepositoryPage,
  StreamTip,
} from '../interface/provider.ts';
import type { GitHubClient, GitHubReaders } from './client.ts';
import { existing, TooHeavy } from './failures.ts';
import type { FilePayload, RepositoryPayload } from './payloads.ts';
import { namedRepository, ownedRepositories, repositoryFiles } from './queries.ts';

/** The folders of items below a repository's page. */
export const itemFolders = {
  commit: ['commit'],
  issue: ['issues'],
  pull_request: ['pull'],
  discussion: ['discussions'],
};

/**
 * The type and the terms of the search for each counter. https://docs.github.com/en/search-github/searching-on-github
 */
const searches: Partial<Record<CounterName, readonly [type: string, terms: string]>> = {
  commits: ['commits', 'author:'],
  issues: ['issues', 'is:issue author:'],
  pull_requests: ['pullrequests', 'is:pr author:'],
  reviews: ['pullrequests', 'is:pr reviewed-by:'],
  issues_closed: ['issues', 'is:issue is:closed author:'],
  pull_requests_merged: ['pullrequests', 'is:pr is:merged author:'],
  discussions: ['discussions', 'author:'],
  discussions_answered: ['discussions', 'is:answered answered-by:'],
};

const largestPage = 100;

/** The position of a listing: in the public view (`credentialName` null), or in the view of a credential. */
const ViewPosition = Type.Object({ credentialName: Type.Union([Type.Null(), Type.String()]), after: Type.String() });
type ViewPosition = Static<typeof ViewPosition>;

/**
 * Reads a page of the repositories of an account: public ones, then the private ones that each credential shows. Each
 * view lists the oldest first, so that new repositories never shift a page.
 */
export async function listRepositories(
  client: GitHubClient,
  owner: KnownAccount,
  cursor: string | null,
  call: Call,
): Promise<RepositoryPage> {
  const position = readPosition(cursor);
  const { credentialName } = position;
  const page = await listView(client, owner, position, call).catch((error: unknown) => {
    // The view of a revoked token is empty.
    if (credentialName === null || !isDenied(error)) throw error;
    return { repositories: [], total: 0, endCursor: null, isRefused: true };
  });
  const next =
    page.endCursor === null ? nextView(client, owner, credentialName) : { credentialName, after: page.endCursor };
  return {
    repositories: page.repositories,
    credentialName,
    total: page.total,
    endsView: page.endCursor === null,
    isRefused: page.isRefused,
    nextCursor: next === undefined ? null : JSON.stringify(next),
  };
}

interface View {
  repositories: ListedRepository[];
  total: number | null;
  endCursor: string | null;
  isRefused: boolean;
}

/** Reads a page of one view, and halves the page as long as GitHub cannot compute it. */
async function listView(
  client: GitHubClient,
  owner: KnownAccount,
  { credentialName, after }: ViewPosition,
  call: Call,
): Promise<View> {
  const viewCall = credentialName === null ? call : { ...call, credentialName };
  const privacy = credentialName === null ? 'PUBLIC' : 'PRIVATE';
  for (let first = largestPage; first >= 1; first = Math.floor(first / 2)) {
    try {
      const variables = { login: owner.name, after: after === '' ? null : after, first, privacy };
      const { data } = await client.graphql(ownedRepositories, variables, viewCall);
      if (data.repositoryOwner === null) {
        // A bot owns no repositories, and so is not a `RepositoryOwner`.
        if (owner.type === 'bot') return { repositories: [], total: 0, endCursor: null, isRefused: false };
        throw new AppError('not_found', 'GitHub does not know this account any more.');
      }
      const { nodes, pageInfo, totalCount } = data.repositoryOwner.repositories;
      return {
        repositories: nodes.map((node) => toListed(node, credentialName)),
        total: totalCount,
        endCursor: pageInfo.hasNextPage ? pageInfo.endCursor : null,
        isRefused: false,
      };
    } catch (error) {
      if (!(error instanceof TooHeavy)) throw error;
    }
  }
  throw new AppError('provider_unavailable', 'GitHub cannot list the repositories of this account just now.');
}

/** Reads a cursor. A cursor that is not JSON was stored before there were views, and belongs to the public view. */
function readPosition(cursor: string | null): ViewPosition {
  if (cursor === null) return { credentialName: null, after: '' };
  const parsed: unknown = cursor.startsWith('{') ? JSON.parse(cursor) : { credentialName: null, after: cursor };
  return Value.Parse(ViewPosition, parsed);
}

function nextView(client: GitHubClient, owner: KnownAccount, credentialName: string | null): ViewPosition | undefined {
  const credentialNames = privateCredentialNames(client, owner);
  const next = credentialNames[credentialName === null ? 0 : credentialNames.indexOf(credentialName) + 1];
  return next === undefined || (credentialName !== null && !credentialNames.includes(credentialName))
    ? undefined
    : { credentialName: next, after: '' };
}

/**
 * Returns the names of the credentials that may show private data; with an account, only those that may show its data.
 */
export function privateCredentialNames(client: GitHubClient, account?: Pick<KnownAccount, 'externalId'>): string[] {
  const mayShow = (installedOn: string | undefined): boolean =>
    account === undefined || installedOn === undefined || installedOn === account.externalId;
  return client.credentials.tokens
    .filter((token) => !token.seesOnlyPublic && mayShow(token.account))
    .map((token) => token.name);
}

/** Finds a repository, also by a former name; null when there is none, or it is private and `withPrivate` is false. */
export async function findRepository(
  client: GitHubClient,
  owner: KnownAccount,
  name: string,
  { withPrivate }: { withPrivate: boolean },
  call: Call,
): Promise<ListedRepository | null> {
  const views = withPrivate ? privateCredentialNames(client, owner) : [];
  const found = await findFirst([null, ...views], async (credentialName) => {
    const viewCall = credentialName === null ? call : { ...call, credentialName };
    const { data } = await client.graphql(namedRepository, { owner: owner.name, name }, viewCall);
    const { repository } = data;
    const isOfView = repository?.isPrivate === (credentialName !== null);
    return repository !== null && isOfView ? { repository, credentialName } : undefined;
  });
  // GitHub redirects the name of a transferred repository to its new owner.
  if (found === undefined || String(found.repository.owner.databaseId) !== owner.externalId) return null;
  return toListed(found.repository, found.credentialName);
}

export function toListed(payload: RepositoryPayload, credentialName: string | null): ListedRepository {
  return {
    externalId: String(payload.databaseId),
    handle: payload.id,
    name: payload.name,
    description: payload.description ?? '',
    language: payload.primaryLanguage?.name ?? '',
    license: payload.licenseInfo?.name ?? '',
    defaultBranch: payload.defaultBranchRef?.name ?? '',
    isPrivate: payload.isPrivate,
    credentialName,
    isFork: payload.isFork,
    stars: payload.stargazerCount,
    forks: payload.forkCount,
    // The sum corresponds to the number in GitHub's REST API, which counts pull requests as issues.
    openIssues:
      payload.openIssues === null || payload.openPullRequests === null
        ? null
        : payload.openIssues.totalCount + payload.openPullRequests.totalCount,
    sizeKib: payload.diskUsage,
    tips: {
      commits: {
        total: null,
        changedAt: toDate(payload.pushedAt),
        revision: payload.defaultBranchRef?.target?.oid ?? null,
      },
      issues: toTip(payload.issues),
      pull_requests: toTip(payload.pullRequests),
      discussions: toTip(payload.discussions),
      stars: { total: payload.stargazerCount, changedAt: null, revision: null },
    },
  };
}

function toTip(newest: RepositoryPayload['issues']): StreamTip {
  const changedAt = newest?.nodes[0]?.updatedAt ?? null;
  return { total: newest?.totalCount ?? null, changedAt: toDate(changedAt), revision: null };
}

/** Reads files of the default branch in one request; null when the repository's visibility changed. */
export const readFiles: GitHubReaders['readFiles'] = async (client, { handle, credentialName }, paths, call) => {
  const [a, b, c, d] = paths.map((path) => `HEAD:${path}`);
  const { data } = await client.graphql(repositoryFiles, { id: handle, a, b, c, d }, call);
  const node = existing(data.node);
  if (node.isPrivate !== (credentialName !== null)) return null;
  const found = [node.a, node.b, node.c, node.d];
  return {
    revision: node.defaultBranchRef?.target?.oid ?? null,
    files: paths.flatMap((path, index) => toFile(path, found[index] ?? null)),
  };
};

function toFile(path: string, file: FilePayload | null): RepositoryFile[] {
  if (file?.oid === undefined) return [];
  const isWhole = file.isTruncated !== true && file.isBinary !== true;
  return [{ path, oid: file.oid, sizeBytes: file.byteSize ?? 0, text: isWhole ? (file.text ?? null) : null }];
}

/** Returns the URL of the page that searches for the items of a user's counter; undefined when there is none. */
export function searchUrl(url: string, login: string, counter: CounterName): string | undefined {
  const search = searches[counter];
  if (search === undefined) return undefined;
  return `${url}/search?${new URLSearchParams({ type: search[0], q: `${search[1]}${login}` }).toString()}`;
}

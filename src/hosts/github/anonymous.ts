import type { Actor } from '../../model/account.ts';
import type { Contribution } from '../../model/contribution.ts';
import { type Counters, missingFrom } from '../../model/counters.ts';
import { AppError } from '../../model/errors.ts';
import type {
  AccountReport,
  Call,
  CommitIdentity,
  ContributionPage,
  KnownAccount,
  KnownRepository,
  ListedRepository,
  Position,
  RepositoryPage,
  Stream,
} from '../interface/provider.ts';
import { addOwner, type CommitOwners } from '../interface/streams.ts';
import { actorInAddress, restActor, restFacts } from './actors.ts';
import type { GitHubClient } from './client.ts';
import { fetchBearer, type NoReplyAddress, readNoReplyAddress } from './identities.ts';
import {
  RestAccountPayload,
  RestCommitsPayload,
  RestIssuesPayload,
  RestRepositoriesPayload,
  RestRepositoryPayload,
  RestSearchPayload,
} from './payloads.ts';
import { cursorBehind, perPage, queryAt, readPosition } from './streams/comments.ts';

/**
 * The streams that are read without a token, by GitHub's REST API with 60 requests an hour. The API does not list
 * reviews and discussions in bulk, and has no lifetime totals of them.
 */

export const anonymousStreams: readonly Stream[] = [
  { name: 'issues_and_pull_requests', covers: ['issue', 'pull_request'] },
];

/** The most requests, of the 60 an hour, that may be spent on adding up the stars of one account. */
const maxStarPages = 3;
const searches = [
  ['issues', 'type:issue'],
  ['issues_closed', 'type:issue is:closed'],
  ['pull_requests', 'type:pr'],
  ['pull_requests_merged', 'type:pr is:merged'],
] as const;

/** Yields a report on an account, or nothing when it is absent. @param path its path in the REST API, by name or id. */
export async function* reportByRest(
  client: GitHubClient,
  path: string,
  call: Call,
): AsyncGenerator<AccountReport, void, undefined> {
  const response = await client.rest(path, RestAccountPayload, call);
  if (response === null) return;
  const account = restFacts(response.data);
  if (account === null) return;
  const counters = account.type === 'organization' ? {} : await countByRest(client, account, call);
  const missing = account.type === 'organization' ? [] : missingFrom(counters);
  yield { account, counters, missing, memory: null };
}

/** Counts by searches and the list of repositories. Leaves out a counter when its request fails. */
async function countByRest(client: GitHubClient, account: Actor, call: Call): Promise<Partial<Counters>> {
  const author = account.type === 'bot' ? `app/${account.name.replace(/\[bot\]$/i, '')}` : account.name;
  const counts = await Promise.all([
    ...searches.map(async ([counter, words]): Promise<Partial<Counters>> => {
      const query = new URLSearchParams({ q: `author:${author} ${words} is:public`, per_page: '1' });
      const found = await ifAllowed(call, () =>
        client.rest(`/search/issues?${query.toString()}`, RestSearchPayload, call, 'search'),
      );
      return found && !found.data.incomplete_results ? { [counter]: found.data.total_count } : {};
    }),
    sumStarsByRest(client, account, call),
  ]);
  return Object.assign({}, ...counts);
}

async function sumStarsByRest(client: GitHubClient, account: Actor, call: Call): Promise<Partial<Counters>> {
  if (account.type === 'bot') return { stars: 0 };
  const counts = new Map<number, number>();
  for (let page = 1; page <= maxStarPages; page += 1) {
    const path = repositoriesPath(account.name, page);
    const listed = await ifAllowed(call, () => client.rest(path, RestRepositoriesPayload, call));
    // An unreadable repository makes the sum unknown.
    if (listed === null || listed.data.length < listed.listed) return {};
    for (const { id, fork, stargazers_count } of listed.data) {
      if (stargazers_count === null) return {};
      // A repository that moves to the next page meanwhile is read twice, but counts once.
      counts.set(id, fork ? 0 : stargazers_count);
    }
    if (listed.listed < perPage) return { stars: [...counts.values()].reduce((sum, count) => sum + count, 0) };
  }
  return {};
}

export async function listRepositoriesByRest(
  client: GitHubClient,
  owner: KnownAccount,
  cursor: string | null,
  call: Call,
): Promise<RepositoryPage> {
  const page = Number(cursor ?? '1');
  const response = await client.rest(repositoriesPath(owner.name, page), RestRepositoriesPayload, call);
  if (response === null) throw new AppError('not_found', 'GitHub does not know this account any more.');
  return {
    repositories: response.data.filter((repository) => !repository.private).map(toListed),
    credentialName: null,
    endsView: response.listed < perPage,
    isRefused: false,
    total: null,
    nextCursor: response.listed < perPage ? null : String(page + 1),
  };
}

export async function findRepositoryByRest(
  client: GitHubClient,
  owner: KnownAccount,
  name: string,
  call: Call,
): Promise<ListedRepository | null> {
  const path = `/repos/${encodeURIComponent(owner.name)}/${encodeURIComponent(name)}`;
  const response = await client.rest(path, RestRepositoryPayload, call);
  // GitHub redirects the name of a transferred repository to its new owner.
  const isOfOwner = response !== null && String(response.data.owner.id) === owner.externalId;
  return !isOfOwner || response.data.private ? null : toListed(response.data);
}

/**
 * Reads a page of issues and pull requests, the last changed last; its cursor is the time of the last change on it.
 */
export async function readIssuesByRest(
  client: GitHubClient,
  { owner, name }: KnownRepository,
  { cursor, since }: Position,
  call: Call,
): Promise<ContributionPage> {
  const position = readPosition(cursor, since);
  const query = queryAt(position);
  query.set('state', 'all');
  const path = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/issues?${query.toString()}`;
  const response = await client.rest(path, RestIssuesPayload, call);
  if (response === null) throw new AppError('not_found', 'GitHub does not show this repository any more.');
  const actors = new Map<string, Actor>();
  const contributions = response.data.map((issue): Contribution => {
    const actor = issue.user && restActor(issue.user);
    if (actor) actors.set(actor.externalId, actor);
    const merge = issue.pull_request;
    return {
      kind: merge === undefined ? 'issue' : 'pull_request',
      externalId: String(issue.id),
      parentExternalId: null,
      author: actor?.externalId ?? null,
      createdAt: new Date(issue.created_at),
      updatedAt: new Date(issue.updated_at ?? issue.created_at),
      closedAt: toDate(issue.closed_at),
      mergedAt: toDate(merge?.merged_at),
      answered: false,
      answeredBy: null,
      details: null,
    };
  });
  return {
    contributions,
    actors: [...actors.values()],
    wholeParents: [],
    nextCursor: cursorBehind(position, response.data, response.listed),
    total: null,
    pageSize: perPage,
  };
}

/**
 * Finds accounts by GitHub's no-reply addresses, otherwise as commit authors. REST shows no co-authors, so a no-reply
 * address without a number is that of the account with the login, unless it authored a commit.
 */
export async function resolveIdentitiesByRest(
  client: GitHubClient,
  { owner, name }: KnownRepository,
  identities: readonly CommitIdentity[],
  call: Call,
): Promise<CommitOwners> {
  const owners: CommitOwners = new Map();
  for (const { email, oid, isCoAuthor = false } of identities) {
    const address = readNoReplyAddress(client, email);
    if (address?.externalId !== undefined) owners.set(email, await accountIn(client, address, call));
    if (owners.has(email)) continue;
    if (isCoAuthor) {
      if (address !== undefined) owners.set(email, await fetchBearer(client, address, call));
      continue;
    }
    const path = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/commits?sha=${oid}&per_page=${perPage}`;
    const response = await client.rest(path, RestCommitsPayload, call);
    // One response lists a hundred commits, whose authors often have other addresses that are still to be resolved.
    for (const { commit, author } of response?.data ?? []) {
      const account = author !== null && 'id' in author ? restActor(author) : null;
      if (commit.author?.email !== undefined) addOwner(owners, commit.author.email, account);
    }
  }
  return owners;
}

/** Returns the account in a no-reply address; of github.com without one of the 60 requests an hour. */
async function accountIn(client: GitHubClient, address: NoReplyAddress, call: Call): Promise<Actor | null> {
  const { externalId, login } = address;
  if (externalId === undefined || client.noReplyHost !== 'github.com') return fetchBearer(client, address, call);
  return {
    externalId,
    handle: '',
    ...actorInAddress(externalId, login),
    displayName: '',
    avatarUrl: `https://avatars.githubusercontent.com/u/${externalId}?v=4`,
    nameMayBeOld: true,
  };
}

function repositoriesPath(name: string, page: number): string {
  return `/users/${encodeURIComponent(name)}/repos?type=owner&sort=created&direction=asc&per_page=${perPage}&page=${page}`;
}

/** Sends an optional request; returns null when it fails, for example because the quota is used up. */
async function ifAllowed<Result>(call: Call, send: () => Promise<Result | null>): Promise<Result | null> {
  try {
    return await send();
  } catch (error) {
    if (call.signal.aborted || !(error instanceof AppError)) throw error;
    return null;
  }
}

function toListed(payload: RestRepositoryPayload): ListedRepository {
  return {
    externalId: String(payload.id),
    handle: payload.node_id,
    name: payload.name,
    description: payload.description ?? '',
    language: payload.language ?? '',
    license: payload.license?.name ?? '',
    defaultBranch: payload.size === 0 && payload.pushed_at === null ? '' : payload.default_branch,
    isPrivate: payload.private,
    credentialName: null,
    isFork: payload.fork,
    stars: payload.stargazers_count,
    forks: payload.forks_count,
    openIssues: payload.open_issues_count,
    sizeKib: payload.size,
    tips: {
      commits: {
        total: null,
        changedAt: toDate(payload.pushed_at),
        revision: null,
      },
    },
  };
}

function toDate(text: string | null | undefined): Date | null {
  return text === null || text === undefined ? null : new Date(text);
}

import { newIssue } from '../../../bench/new-issue.ts';
import { toSyncContext } from '../../../bench/sync-context.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import type { ContributionPage, ListedRepository, Provider } from '../../../src/hosts/interface/provider.ts';
import type { Actor } from '../../../src/model/account.ts';
import { newCost, type SyncContext, type Work } from '../../../src/sync/context.ts';

/**
 * A host on which everything changes with each request: users own repositories and contribute to those of each other,
 * under names and images that change all the time.
 */

export const owners = 3;
export const repositoriesOfOwner = 4;
export const people = 6;

let requests = 0;

/** @param hiddenNames the repositories that are private now. */
export function createContext(connection: Connection, hiddenNames: ReadonlySet<string>): SyncContext {
  const find = async (_account: unknown, name: string) => listed(name, hiddenNames.has(name));
  const ownedBy = (owner: string) =>
    Array.from({ length: repositoriesOfOwner }, (_, index) => `repository-${owner.slice(5)}-${index}`);
  const provider = {
    name: 'github',
    accounts: {
      reportsTotals: false,
      async *refresh({ externalId }: { externalId: string }) {
        const account = { ...toActor(externalId), website: '', description: '', socials: null, followers: null };
        yield { account: { ...account, following: null }, counters: {}, missing: ['issues'], memory: null };
      },
      check: async (accounts: readonly { externalId: string }[]) =>
        new Map(
          accounts.map(({ externalId }) => [externalId, { ...toActor(externalId), isPublic: requests % 2 === 0 }]),
        ),
    },
    repositories: {
      find,
      list: async ({ externalId }: { externalId: string }) => ({
        repositories: ownedBy(externalId).map((name) => listed(name, hiddenNames.has(name))),
        nextCursor: null,
        total: null,
        credentialName: null,
        endsView: true,
        isRefused: false,
      }),
    },
    streams: {
      list: [
        { name: 'issues', covers: ['issue'] },
        { name: 'pull_requests', covers: ['pull_request', 'review'] },
        { name: 'stars', covers: ['star'] },
      ],
      read: async (stream: string) => toPage(stream),
    },
    polls: {
      repositories: { perHour: 250, quotas: 1 },
      readTip: async (repository: { name: string }) => ({
        repository: listed(repository.name, hiddenNames.has(repository.name)),
        page: toPage('issues'),
      }),
    },
  } as unknown as Provider;
  return toSyncContext(connection, provider, {
    freshForMs: 0,
    onFailure: ignore,
    onSkip: ignore,
    onDrift: ignore,
    onStreamFailure: ignore,
  });
}

/** The host shows something else each time, so that jobs report differences and lost races. */
function ignore(): void {}

export function newWork(): Work {
  return {
    call: { urgency: 'background', signal: new AbortController().signal, cost: newCost() },
    onProgress: () => {},
  };
}

/** Returns a page of items by owners and other people; each page names other accounts. */
function toPage(stream: string): ContributionPage {
  requests += 1;
  const authors = [
    `user-${requests % owners}`,
    `user-${(requests + 1) % owners}`,
    `person-${requests % people}`,
    `person-${(requests + 1) % people}`,
  ];
  const kind = stream === 'issues' ? 'issue' : stream === 'stars' ? 'star' : 'pull_request';
  return {
    contributions: authors.map((author, index) => ({
      ...newIssue(kind === 'star' ? author : `${(requests % 7) * 4 + index}`, author, new Date()),
      kind,
    })),
    actors: authors.map(toActor),
    wholeParents: [],
    nextCursor: null,
    total: null,
    pageSize: 50,
  };
}

/** Returns an account as the host shows it now. */
export function toActor(externalId: string): Actor {
  requests += 1;
  return {
    externalId,
    handle: externalId,
    type: 'user',
    name: `${externalId}-${requests % 5}`,
    displayName: `${requests % 4}`,
    avatarUrl: `https://images.example/${requests % 3}`,
  };
}

export function listed(name: string, isPrivate: boolean): ListedRepository {
  const tip = { total: null, changedAt: new Date(), revision: null };
  return {
    externalId: name,
    handle: name,
    name,
    description: '',
    language: '',
    license: '',
    defaultBranch: '',
    isPrivate,
    credentialName: isPrivate ? 'token' : null,
    isFork: false,
    stars: requests % 3,
    forks: 0,
    openIssues: 0,
    sizeKib: 0,
    tips: { issues: tip, pull_requests: tip, stars: tip },
  };
}

import type { ListedRepository, Provider, Streams } from '../src/hosts/interface/provider.ts';
import { newCost } from '../src/sync/context.ts';
import { newIssue } from './new-issue.ts';

/** The next issue that a host reports. */
interface NextIssue {
  id: string;
  /** The number in the name `person-N` of the author, which is the author's id at the host too. */
  author: string;
  /** The number of issues in the repository. */
  total: number;
}

/** Stands for a host without a network: each read of the repository returns one new issue. */
export function createIssueSource(repository: { externalId: string; name: string }, next: () => NextIssue): Provider {
  const provider = {
    name: 'github',
    accounts: { reportsTotals: true },
    repositories: { find: async () => listed(repository, next().total) },
    streams: {
      list: [{ name: 'issues', covers: ['issue'] }],
      read: async () => {
        const { id, author } = next();
        const actor = { externalId: author, handle: `U_${author}`, type: 'user', name: `person-${author}` } as const;
        return {
          contributions: [newIssue(id, author, new Date())],
          actors: [{ ...actor, displayName: '', avatarUrl: '' }],
          wholeParents: [],
          nextCursor: null,
          total: null,
          pageSize: 50,
        };
      },
    } satisfies Streams,
  };
  return provider as unknown as Provider;
}

/** Work in the background that nothing stops. */
export const unstoppedWork = {
  call: { urgency: 'background', signal: new AbortController().signal, cost: newCost() },
  onProgress: () => {},
} as const;

function listed({ externalId, name }: { externalId: string; name: string }, total: number): ListedRepository {
  return {
    externalId,
    handle: externalId,
    name,
    description: '',
    language: '',
    license: '',
    defaultBranch: '',
    isPrivate: false,
    credentialName: null,
    isFork: false,
    stars: 0,
    forks: 0,
    openIssues: 0,
    sizeKib: 0,
    tips: { issues: { total, changedAt: new Date(), revision: null } },
  };
}

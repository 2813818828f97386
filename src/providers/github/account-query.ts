import { type Static, Type } from 'typebox';
import type { Call } from '../provider.ts';
import { checkPayload } from './checks.ts';
import type { GitHubClient } from './client.ts';
import { OrganizationPayload, PublicCountsPayload, UserPayload, UserTotalsPayload, WindowPayload } from './payloads.ts';
import { accountFragments } from './queries.ts';
import { type ContributionWindow, type Span, toWindow } from './windows.ts';

/** Whom to ask for: a name, or a known account with the name that it last had. */
export interface Target {
  name: string;
  /** GitHub's id for its API; undefined when only the name is known. */
  handle: string | undefined;
  /** What is to be counted: what is public, whatever a token sees, or everything that the token sees. */
  counting: 'public' | 'seen';
}

export interface AccountAnswer {
  account: UserPayload | OrganizationPayload;
  /** Totals of what is public; undefined when they were not asked for, or are an organization's. */
  totals: (LifetimeTotals & { owned: UserTotalsPayload['owned'] }) | undefined;
  windows: ContributionWindow[];
  /** Spans whose windows leave repositories out. */
  cutShort: Span[];
}

/** Counters that GitHub totals over the whole life of an account. */
export interface LifetimeTotals {
  issues: number;
  issues_closed: number;
  pull_requests: number;
  pull_requests_merged: number;
  discussions: number;
  discussions_answered: number;
}

const AccountFrame = Type.Object({ account: Type.Union([Type.Null(), Type.Object({ kind: Type.String() })]) });

/**
 * Asks for an account of unknown kind, its totals and its contributions within spans, all in one request.
 * @returns null when there is no such account.
 * @throws TooHeavy when less has to be asked for at once.
 */
export async function askForAccount(
  client: GitHubClient,
  target: Target,
  wanted: { totals: boolean; spans: readonly Span[] },
  call: Call,
  now: Date,
): Promise<AccountAnswer | null> {
  // What a token sees besides what is public must not be counted; searches count what is public alone.
  const withPublicCounts =
    wanted.totals && target.counting === 'public' && !client.budget.tokens.every((token) => token.seesOnlyPublic);
  const query = {
    name: 'Account',
    text: accountQueryText(target, { ...wanted, withPublicCounts }),
    answer: AccountFrame,
  };
  const { data, token } = await client.graphql(query, variables(target, withPublicCounts), call);
  const { account } = data;
  if (account === null) return null;
  if (account.kind === 'Organization') {
    const organization = checkPayload(OrganizationPayload, account, query.name);
    return { account: organization, totals: undefined, windows: [], cutShort: [] };
  }
  const countsAll = target.counting === 'seen' || token.seesOnlyPublic;
  const user = checkPayload(UserPayload, account, query.name);
  const windows = wanted.spans.map((span, index) => {
    const field = Object.entries(account).find(([name]) => name === `w${index}`)?.[1];
    return toWindow(span, checkPayload(WindowPayload, field, `${query.name}/w${index}`), {
      countsAll,
      askedAt: now,
    });
  });
  const totals = wanted.totals ? checkPayload(UserTotalsPayload, account, query.name) : undefined;
  // The account was renamed meanwhile, and the searches asked for a name that is not its own any more.
  const isOtherName = withPublicCounts && user.login.toLowerCase() !== target.name.toLowerCase();
  const isUncounted = !countsAll && !withPublicCounts;
  if (totals !== undefined && (isOtherName || isUncounted)) {
    return askForAccount(client, { ...target, name: user.login }, wanted, call, now);
  }
  return {
    account: user,
    totals: totals && {
      ...(countsAll ? ownTotals(totals) : publicTotals(checkPayload(PublicCountsPayload, data, query.name))),
      owned: totals.owned,
    },
    windows,
    cutShort: windows.filter((window) => !window.isWhole).map(({ from, to }) => ({ from, to })),
  };
}

/** The text of the query; `w0`, `w1`, ... are the spans. */
export function accountQueryText(
  target: Target,
  wanted: { totals: boolean; withPublicCounts: boolean; spans: readonly Span[] },
): string {
  const root = target.handle === undefined ? 'repositoryOwner(login: $login)' : 'node(id: $id)';
  const parameters = [
    target.handle === undefined ? '$login: String!' : '$id: ID!',
    ...(wanted.withPublicCounts ? searches.map(({ variable }) => `$${variable}: String!`) : []),
  ];
  const windows = wanted.spans.map(
    ({ from, to }, index) =>
      `w${index}: contributionsCollection(from: "${from}T00:00:00Z", to: "${to}T23:59:59Z") { ...WindowFields }`,
  );
  const fragments = accountFragments
    .split(/(?=^fragment )/m)
    .filter((fragment) => wanted.totals || !fragment.startsWith('fragment UserTotals'))
    .filter((fragment) => wanted.spans.length > 0 || !fragment.startsWith('fragment WindowFields'));
  return [
    `query Account(${parameters.join(', ')}) {`,
    `  account: ${root} {`,
    '    kind: __typename',
    `    ... on User { ...UserFields ${wanted.totals ? '...UserTotals' : ''}`,
    ...windows.map((window) => `      ${window}`),
    '    }',
    '    ... on Organization { ...OrganizationFields }',
    '  }',
    ...(wanted.withPublicCounts
      ? searches.map(
          ({ field, variable, type, count }) =>
            `  ${field}: search(type: ${type}, first: 1, query: $${variable}) { ${count} }`,
        )
      : []),
    '  rateLimit { cost }',
    '}',
    ...fragments,
  ].join('\n');
}

/** Searches that count what is public, and the words of each. */
const searches = [
  { field: 'publicIssues', variable: 'qi', type: 'ISSUE', count: 'issueCount', words: 'author:NAME type:issue' },
  {
    field: 'publicIssuesClosed',
    variable: 'qc',
    type: 'ISSUE',
    count: 'issueCount',
    words: 'author:NAME type:issue is:closed',
  },
  { field: 'publicPullRequests', variable: 'qp', type: 'ISSUE', count: 'issueCount', words: 'author:NAME type:pr' },
  {
    field: 'publicPullRequestsMerged',
    variable: 'qm',
    type: 'ISSUE',
    count: 'issueCount',
    words: 'author:NAME type:pr is:merged',
  },
  { field: 'publicDiscussions', variable: 'qd', type: 'DISCUSSION', count: 'discussionCount', words: 'author:NAME' },
  {
    field: 'publicDiscussionsAnswered',
    variable: 'qa',
    type: 'DISCUSSION',
    count: 'discussionCount',
    words: 'answered-by:NAME',
  },
] as const;

function variables(target: Target, withPublicCounts: boolean): Record<string, string> {
  return {
    ...(target.handle === undefined ? { login: target.name } : { id: target.handle }),
    ...(withPublicCounts &&
      Object.fromEntries(
        searches.map(({ variable, words }) => [variable, `${words.replace('NAME', target.name)} is:public`]),
      )),
  };
}

function ownTotals(totals: UserTotalsPayload): LifetimeTotals {
  return {
    issues: totals.issues.totalCount,
    issues_closed: totals.issuesClosed.totalCount,
    pull_requests: totals.pullRequests.totalCount,
    pull_requests_merged: totals.pullRequestsMerged.totalCount,
    discussions: totals.repositoryDiscussions.totalCount,
    discussions_answered: totals.discussionsAnswered.totalCount,
  };
}

function publicTotals(counts: Static<typeof PublicCountsPayload>): LifetimeTotals {
  return {
    issues: counts.publicIssues.issueCount,
    issues_closed: counts.publicIssuesClosed.issueCount,
    pull_requests: counts.publicPullRequests.issueCount,
    pull_requests_merged: counts.publicPullRequestsMerged.issueCount,
    discussions: counts.publicDiscussions.discussionCount,
    discussions_answered: counts.publicDiscussionsAnswered.discussionCount,
  };
}

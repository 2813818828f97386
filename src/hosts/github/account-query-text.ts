import type { UserTotalsPayload } from './account-payloads.ts';
import { accountFragments } from './queries.ts';
import type { Span } from './windows.ts';

/** The requested account: a name, or a known account with its last known name. */
export interface Target {
  name: string;
  /** GitHub's id for its API; undefined when only the name is known. */
  handle: string | undefined;
  /** The scope of the counts: public items only, or all items that the token sees. */
  counting: 'public' | 'seen';
}

/** A span of days to request. `isLight`: without lists of repositories, because GitHub refuses some repository. */
export type WantedSpan = Span & { isLight?: true };

/** The fields of a user's totals. GitHub may fail to compute each of them. */
const totalFields = {
  issues: 'issues { totalCount }',
  issuesClosed: 'issuesClosed: issues(states: [CLOSED]) { totalCount }',
  pullRequests: 'pullRequests { totalCount }',
  pullRequestsMerged: 'pullRequestsMerged: pullRequests(states: [MERGED]) { totalCount }',
  repositoryDiscussions: 'repositoryDiscussions { totalCount }',
  discussionsAnswered: 'discussionsAnswered: repositoryDiscussionComments(onlyAnswers: true) { totalCount }',
  owned: `owned: repositories(
      first: 100, ownerAffiliations: [OWNER], privacy: PUBLIC, isFork: false
      orderBy: { field: STARGAZERS, direction: DESC }
    ) { pageInfo { hasNextPage endCursor } nodes { id stargazerCount } }`,
} as const satisfies Record<keyof UserTotalsPayload, string>;
type TotalField = keyof typeof totalFields;
export const allTotals: readonly TotalField[] = [
  'issues',
  'issuesClosed',
  'pullRequests',
  'pullRequestsMerged',
  'repositoryDiscussions',
  'discussionsAnswered',
  'owned',
];

export interface Wanted {
  totals: readonly TotalField[];
  spans: readonly WantedSpan[];
  /** The spans that GitHub has failed to compute so far. */
  tooHeavy?: readonly Span[];
}

/** Returns the text of the query, in which the aliases `w0`, `w1`, ... stand for the spans. */
export function accountQueryText(target: Target, wanted: Wanted & { withPublicCounts: boolean }): string {
  const root = target.handle === undefined ? 'repositoryOwner(login: $login)' : 'node(id: $id)';
  const parameters = [
    target.handle === undefined ? '$login: String!' : '$id: ID!',
    ...(wanted.withPublicCounts ? searches.map(({ variable }) => `$${variable}: String!`) : []),
  ];
  const windows = wanted.spans.map(
    ({ from, to, isLight }, index) =>
      `w${index}: contributionsCollection(from: "${from}T00:00:00Z", to: "${to}T23:59:59Z") { ...${isLight ? 'WindowTotals' : 'WindowFields'} }`,
  );
  const fragments = accountFragments
    .split(/(?=^fragment )/m)
    .filter((fragment) => wanted.spans.length > 0 || !fragment.startsWith('fragment WindowTotals'))
    .filter(
      (fragment) => wanted.spans.some(({ isLight }) => !isLight) || !fragment.startsWith('fragment WindowFields'),
    );
  return [
    `query Account(${parameters.join(', ')}) {`,
    `  account: ${root} {`,
    '    kind: __typename',
    '    ... on User { ...UserFields',
    ...wanted.totals.map((field) => `      ${totalFields[field]}`),
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

/** The searches that count public items, with their search terms. */
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

export function accountVariables(target: Target, withPublicCounts: boolean): Record<string, string> {
  return {
    ...(target.handle === undefined ? { login: target.name } : { id: target.handle }),
    ...(withPublicCounts &&
      Object.fromEntries(
        searches.map(({ variable, words }) => [variable, `${words.replace('NAME', target.name)} is:public`]),
      )),
  };
}

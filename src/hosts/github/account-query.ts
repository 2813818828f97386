import { type Static, type TProperties, Type } from 'typebox';
import { Value } from 'typebox/value';
import { orElse, type Refusal, type Refusals, refusalAt } from '../http/tolerant.ts';
import type { Call } from '../interface/provider.ts';
import type { GitHubClient } from './client.ts';
import { denied, unavailable } from './failures.ts';
import {
  Nullable,
  OrganizationPayload,
  PublicCountsPayload,
  SlicePayload,
  UserPayload,
  UserTotalsPayload,
} from './payloads.ts';
import { accountFragments } from './queries.ts';
import { type ContributionSlice, isCutShort, type Span, toSlice } from './year-slices.ts';

/** The requested account: a name, or a known account with its last known name. */
export interface Target {
  name: string;
  /** GitHub's id for its API; undefined when only the name is known. */
  handle: string | undefined;
  /** The scope of the counts: public items only, or all items that the token sees. */
  counting: 'public' | 'seen';
}

/** A span of days to request. `isLight`: without lists of repositories, because GitHub refuses some repository. */
type WantedSpan = Span & { isLight?: true };

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

interface Wanted {
  totals: readonly TotalField[];
  spans: readonly WantedSpan[];
  /** The spans that GitHub has failed to compute so far. */
  tooHeavy?: readonly Span[];
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

export interface AccountResponse {
  account: UserPayload | OrganizationPayload;
  /** Totals of public items; undefined when they were not requested, or the account is an organization. */
  totals: (LifetimeTotals & { owned: UserTotalsPayload['owned'] }) | undefined;
  slices: ContributionSlice[];
  /** The spans in whose slices GitHub left out repositories, because there are more than it lists. */
  cutShort: Span[];
  /** The spans that GitHub failed to compute. */
  tooHeavy: Span[];
}

/** The counters that GitHub totals over the whole life of an account; null where GitHub failed to compute the total. */
export interface LifetimeTotals {
  issues: number | null;
  issues_closed: number | null;
  pull_requests: number | null;
  pull_requests_merged: number | null;
  discussions: number | null;
  discussions_answered: number | null;
}

export const noTotals: LifetimeTotals = {
  issues: null,
  issues_closed: null,
  pull_requests: null,
  pull_requests_merged: null,
  discussions: null,
  discussions_answered: null,
};

/** Returns the shape of a response, in which the slices have the aliases `w0`, `w1`, ... */
function responseSchemaFor({ totals, spans }: Wanted, withPublicCounts: boolean) {
  const slices: TProperties = Object.fromEntries(
    spans.map((_span, index) => [`w${index}`, orElse(Nullable(SlicePayload), null)]),
  );
  const shapes = Object.fromEntries(totals.map((field) => [field, UserTotalsPayload.properties[field]]));
  const user = Type.Object({ ...UserPayload.properties, ...shapes, ...slices });
  return Type.Object({
    // Null: there is no such account, or a refused part made it null (`withoutRefused`).
    account: orElse(Nullable(Type.Union([user, OrganizationPayload])), null),
    ...(withPublicCounts ? PublicCountsPayload.properties : {}),
  });
}

/**
 * Fetches a user or organization, its totals and its contributions within spans, in one request. When GitHub refuses or
 * fails to compute a part, the result lacks only this part, which may take a further request.
 * @returns null when there is no such account.
 * @throws TooHeavy when GitHub cannot compute the response, so that less has to be requested at once.
 */
export async function fetchAccount(
  client: GitHubClient,
  target: Target,
  wanted: Wanted,
  call: Call,
  now: Date,
): Promise<AccountResponse | null> {
  // A token's totals may include private items, which must not be counted; searches count only public items.
  const hasTotals = wanted.totals.length > 0;
  const withPublicCounts =
    hasTotals && target.counting === 'public' && !client.credentials.tokens.every((token) => token.seesOnlyPublic);
  const query = {
    name: 'Account',
    text: accountQueryText(target, { ...wanted, withPublicCounts }),
    schema: responseSchemaFor(wanted, withPublicCounts),
  };
  const { data, token, refusals } = await client.graphql(query, accountVariables(target, withPublicCounts), call, {
    takesParts: true,
  });
  const { account } = data;
  if (account === null) {
    const rest = withoutRefused(wanted, refusals);
    return rest === null ? null : fetchAccount(client, target, rest, call, now);
  }
  if (account.kind === 'Organization') return { account, totals: undefined, slices: [], cutShort: [], tooHeavy: [] };
  const countsAll = target.counting === 'seen' || token.seesOnlyPublic;
  const { tooHeavy, ...known } = slicesIn(account, wanted.spans, refusals, { countsAll, requestedAt: now });
  const totals = hasTotals ? totalsIn(account) : undefined;
  // If the account was renamed, the searches counted the items of its former name.
  const isOtherName = withPublicCounts && account.login.toLowerCase() !== target.name.toLowerCase();
  const isUncounted = !countsAll && !withPublicCounts;
  if (totals !== undefined && (isOtherName || isUncounted)) {
    return fetchAccount(client, { ...target, name: account.login }, wanted, call, now);
  }
  return {
    account,
    totals: totals && {
      ...(countsAll ? ownTotals(totals) : publicTotals(Value.Check(PublicCountsPayload, data) ? data : {})),
      owned: totals.owned,
    },
    ...known,
    tooHeavy: [...tooHeavy, ...(wanted.tooHeavy ?? [])],
  };
}

/**
 * Returns the request without the parts whose refusal made the whole account null: in GraphQL, a failed field that must
 * not be null makes its parent null as well.
 * @returns null when nothing was refused, so that the account is absent.
 * @throws AppError `provider_denied` or `provider_unavailable` when the account itself is refused or failed.
 */
function withoutRefused({ totals, spans, tooHeavy = [] }: Wanted, refusals: Refusals): Wanted | null {
  const failed = new Map<string, Refusal>();
  for (const [pointer, refusal] of refusals) {
    // An error that names no part may be about the account.
    const [, root = 'account', field = ''] = pointer.split('/');
    if (root === 'account') failed.set(field, refusal);
  }
  if (failed.size === 0) return null;
  const known = new Set<string>([...totals, ...spans.map((_span, index) => `w${index}`)]);
  const other = [...failed].find(([field]) => !known.has(field));
  if (other !== undefined) throw other[1].reason === 'refused' ? denied(other[1].explanation) : unavailable();
  const next: WantedSpan[] = [];
  const heavy: Span[] = [];
  for (const [index, { from, to, isLight }] of spans.entries()) {
    const failure = failed.get(`w${index}`);
    if (failure === undefined) next.push(spans[index] ?? { from, to });
    else if (failure.reason === 'unreadable') heavy.push({ from, to });
    else if (!isLight) next.push({ from, to, isLight: true });
  }
  return { totals: totals.filter((field) => !failed.has(field)), spans: next, tooHeavy: [...tooHeavy, ...heavy] };
}

/**
 * Reads the slices. `tooHeavy` and `cutShort` are the spans that the caller requests again in smaller pieces. A span
 * that GitHub refused is in none of the results.
 */
function slicesIn(
  account: object,
  spans: readonly WantedSpan[],
  refusals: Refusals,
  options: { countsAll: boolean; requestedAt: Date },
): Pick<AccountResponse, 'slices' | 'cutShort' | 'tooHeavy'> {
  const slices: ContributionSlice[] = [];
  const cutShort: Span[] = [];
  const tooHeavy: Span[] = [];
  for (const [index, span] of spans.entries()) {
    const field: unknown = Object.entries(account).find(([name]) => name === `w${index}`)?.[1];
    const { from, to, isLight } = span;
    const payload = Value.Check(SlicePayload, field) ? field : undefined;
    const slice = payload && toSlice({ from, to }, payload, options);
    if (slice !== undefined) slices.push(slice);
    else if (refusalAt(refusals, ['account', `w${index}`])?.reason === 'unreadable') tooHeavy.push({ from, to });
    if (payload !== undefined && !isLight && isCutShort(payload)) cutShort.push({ from, to });
  }
  return { slices, cutShort, tooHeavy };
}

/** Reads the totals. A total is null when it was not requested because GitHub had failed to compute it. */
function totalsIn(account: object): UserTotalsPayload {
  const totals = Object.fromEntries(allTotals.map((field) => [field, Reflect.get(account, field) ?? null]));
  return Value.Parse(UserTotalsPayload, totals);
}

function ownTotals(totals: UserTotalsPayload): LifetimeTotals {
  return {
    issues: totals.issues?.totalCount ?? null,
    issues_closed: totals.issuesClosed?.totalCount ?? null,
    pull_requests: totals.pullRequests?.totalCount ?? null,
    pull_requests_merged: totals.pullRequestsMerged?.totalCount ?? null,
    discussions: totals.repositoryDiscussions?.totalCount ?? null,
    discussions_answered: totals.discussionsAnswered?.totalCount ?? null,
  };
}

function publicTotals(counts: Partial<Static<typeof PublicCountsPayload>>): LifetimeTotals {
  return {
    issues: counts.publicIssues?.issueCount ?? null,
    issues_closed: counts.publicIssuesClosed?.issueCount ?? null,
    pull_requests: counts.publicPullRequests?.issueCount ?? null,
    pull_requests_merged: counts.publicPullRequestsMerged?.issueCount ?? null,
    discussions: counts.publicDiscussions?.discussionCount ?? null,
    discussions_answered: counts.publicDiscussionsAnswered?.discussionCount ?? null,
  };
}

/** Returns the text of the query, in which the aliases `w0`, `w1`, ... stand for the spans. */
export function accountQueryText(target: Target, wanted: Wanted & { withPublicCounts: boolean }): string {
  const root = target.handle === undefined ? 'repositoryOwner(login: $login)' : 'node(id: $id)';
  const parameters = [
    target.handle === undefined ? '$login: String!' : '$id: ID!',
    ...(wanted.withPublicCounts ? searches.map(({ variable }) => `$${variable}: String!`) : []),
  ];
  const slices = wanted.spans.map(
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
    ...slices.map((slice) => `      ${slice}`),
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

function accountVariables(target: Target, withPublicCounts: boolean): Record<string, string> {
  return {
    ...(target.handle === undefined ? { login: target.name } : { id: target.handle }),
    ...(withPublicCounts &&
      Object.fromEntries(
        searches.map(({ variable, words }) => [variable, `${words.replace('NAME', target.name)} is:public`]),
      )),
  };
}

import { type Static, type TProperties, Type } from 'typebox';
import { Value } from 'typebox/value';
import { AppError } from '../../errors.ts';
import { orElse, type Refusals } from '../http/tolerant.ts';
import type { Call } from '../provider.ts';
import type { GitHubClient } from './client.ts';
import {
  Nullable,
  OrganizationPayload,
  PublicCountsPayload,
  UserPayload,
  UserTotalsPayload,
  WindowPayload,
} from './payloads.ts';
import { accountFragments } from './queries.ts';
import { type ContributionWindow, type Span, toWindow } from './windows.ts';

/** The account that is requested: a name, or a known account with its last name. */
export interface Target {
  name: string;
  /** GitHub's id for its API; undefined when only the name is known. */
  handle: string | undefined;
  /** The scope of the counts: public items, with any token, or everything that the token sees. */
  counting: 'public' | 'seen';
}

export interface AccountAnswer {
  account: UserPayload | OrganizationPayload;
  /** Totals of public items; undefined when they were not requested, or the account is an organization. */
  totals: (LifetimeTotals & { owned: UserTotalsPayload['owned'] }) | undefined;
  windows: ContributionWindow[];
  /** Spans whose windows leave repositories out, or were too much for GitHub. */
  cutShort: Span[];
}

/** Counters that GitHub totals over the whole life of an account; one that GitHub failed to compute is null. */
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

interface Wanted {
  totals: boolean;
  spans: readonly Span[];
}

/** Returns the shape of a response; windows are `w0`, `w1`, ... */
function answerTo({ totals, spans }: Wanted, withPublicCounts: boolean) {
  const windows: TProperties = Object.fromEntries(
    spans.map((_span, index) => [`w${index}`, orElse(Nullable(WindowPayload), null)]),
  );
  const user = Type.Object({ ...UserPayload.properties, ...(totals && UserTotalsPayload.properties), ...windows });
  return Type.Object({
    account: Nullable(Type.Union([user, OrganizationPayload])),
    ...(withPublicCounts ? PublicCountsPayload.properties : {}),
  });
}

/**
 * Fetches an account of unknown kind, its totals and its contributions within spans, all in one request. A part that GitHub
 * refuses or fails to compute is missing in the result, and everything else is there.
 * @returns null when there is no such account.
 * @throws TooHeavy when less has to be requested at once.
 */
export async function askForAccount(
  client: GitHubClient,
  target: Target,
  wanted: Wanted,
  call: Call,
  now: Date,
): Promise<AccountAnswer | null> {
  // Private items that a token sees must not be counted; searches count public items alone.
  const withPublicCounts =
    wanted.totals && target.counting === 'public' && !client.budget.tokens.every((token) => token.seesOnlyPublic);
  const query = {
    name: 'Account',
    text: accountQueryText(target, { ...wanted, withPublicCounts }),
    answer: answerTo(wanted, withPublicCounts),
  };
  const { data, token, refusals } = await client.graphql(query, variables(target, withPublicCounts), call, {
    takesParts: true,
  });
  const { account } = data;
  if (account === null) {
    const rest = withoutRefused(wanted, refusals);
    return rest === null ? null : askForAccount(client, target, rest, call, now);
  }
  if (account.kind === 'Organization') return { account, totals: undefined, windows: [], cutShort: [] };
  const countsAll = target.counting === 'seen' || token.seesOnlyPublic;
  const { windows, tooHeavy } = windowsIn(account, wanted.spans, refusals, { countsAll, askedAt: now });
  const totals = wanted.totals ? totalsIn(account) : undefined;
  // The account was renamed meanwhile, and the searches asked for a name that is not its own any more.
  const isOtherName = withPublicCounts && account.login.toLowerCase() !== target.name.toLowerCase();
  const isUncounted = !countsAll && !withPublicCounts;
  if (totals !== undefined && (isOtherName || isUncounted)) {
    return askForAccount(client, { ...target, name: account.login }, wanted, call, now);
  }
  return {
    account,
    totals: totals && {
      ...(countsAll ? ownTotals(totals) : publicTotals(Value.Check(PublicCountsPayload, data) ? data : {})),
      owned: totals.owned,
    },
    windows,
    cutShort: [...windows.filter((window) => !window.isWhole).map(({ from, to }) => ({ from, to })), ...tooHeavy],
  };
}

/**
 * Returns what can be requested without the parts whose refusal left the whole account empty: in GraphQL a field that must not
 * be null takes everything around it with it. Null: nothing was refused, the account is absent.
 * @throws AppError `provider_denied` when the account itself is refused.
 */
function withoutRefused({ totals, spans }: Wanted, refusals: Refusals): Wanted | null {
  const pointers = [...refusals.keys()].filter((pointer) => pointer.startsWith('/account'));
  if (pointers.length === 0) return null;
  const fields = new Set(pointers.map((pointer) => pointer.split('/')[2] ?? ''));
  const kept = spans.filter((_span, index) => !fields.has(`w${index}`));
  const refusesTotals = totals && Object.keys(UserTotalsPayload.properties).some((field) => fields.has(field));
  if (kept.length === spans.length && !refusesTotals) {
    const reason = [...refusals.values()].map(({ explanation }) => explanation).join('; ');
    throw new AppError('provider_denied', 'GitHub denies access with the configured token.', { reason });
  }
  return { totals: totals && !refusesTotals, spans: kept };
}

/** Reads the windows; those that were too much for GitHub are requested again in smaller pieces, refused ones are not. */
function windowsIn(
  account: object,
  spans: readonly Span[],
  refusals: Refusals,
  options: { countsAll: boolean; askedAt: Date },
): { windows: ContributionWindow[]; tooHeavy: Span[] } {
  const windows: ContributionWindow[] = [];
  const tooHeavy: Span[] = [];
  for (const [index, span] of spans.entries()) {
    const field: unknown = Object.entries(account).find(([name]) => name === `w${index}`)?.[1];
    const window = Value.Check(WindowPayload, field) ? toWindow(span, field, options) : undefined;
    if (window !== undefined) windows.push(window);
    else if (refusals.get(`/account/w${index}`)?.reason === 'unreadable') tooHeavy.push(span);
  }
  return { windows, tooHeavy };
}

function totalsIn(account: object): UserTotalsPayload | undefined {
  return Value.Check(UserTotalsPayload, account) ? account : undefined;
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

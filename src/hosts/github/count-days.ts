import type { Counters } from '../../model/counters.ts';
import type { Call, DayRange, KnownAccount } from '../interface/provider.ts';
import { withPublicToken } from './calendar.ts';
import type { GitHubClient } from './client.ts';
import { dayCounts } from './queries.ts';
import { addDays } from './windows.ts';

/** The most days that GitHub counts at once. */
const maxDays = 365;
/** The longest range. GitHub began in 2008; earlier days have only commits with an earlier date. */
const maxYears = 30;

/**
 * Counts a user's public contributions on whole days (UTC) by GitHub's own numbers, with a token that is known to see
 * only public data.
 * @returns null when there is no such token, the user no longer exists, or the range is too long.
 */
export async function countDays(
  client: GitHubClient,
  { handle }: Pick<KnownAccount, 'handle'>,
  range: DayRange,
  call: Call,
  now: Date,
): Promise<Partial<Counters> | null> {
  const parts = split(range);
  if (parts === undefined) return null;
  return withPublicToken(client, call, now, async (token) => {
    const sums = { commits: 0, issues: 0, pull_requests: 0, reviews: 0 };
    for (const { first, last } of parts) {
      const variables = { id: handle, from: `${first}T00:00:00Z`, to: `${last}T23:59:59Z` };
      const { data } = await client.graphql(dayCounts, variables, { ...call, credentialName: token.name });
      if (!token.showsPublicCalendars) return 'sees_more';
      const counts = data.node?.contributionsCollection;
      if (counts === undefined) return null;
      sums.commits += counts.totalCommitContributions;
      sums.issues += counts.totalIssueContributions;
      sums.pull_requests += counts.totalPullRequestContributions;
      sums.reviews += counts.totalPullRequestReviewContributions;
    }
    return sums;
  });
}

/** Splits a range into years; undefined when there are too many. */
function split({ first, last }: DayRange): DayRange[] | undefined {
  const parts: DayRange[] = [];
  for (let from = first; from <= last; from = addDays(from, maxDays)) {
    const to = addDays(from, maxDays - 1);
    parts.push({ first: from, last: to < last ? to : last });
    if (parts.length > maxYears) return undefined;
  }
  return parts;
}

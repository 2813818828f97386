import { AppError } from '../../errors.ts';
import type { Budget, Call } from '../provider.ts';
import type { GitHubClient } from './client.ts';
import { RateLimitPayload } from './payloads.ts';

/** What is left to spend, as GitHub says (asking is free), in one line for people. */
export async function describeBudget(client: GitHubClient, call: Call): Promise<Budget> {
  const { isAnonymous } = client.budget;
  if (client.budget.tokens.length === 0) return { description: 'the App is installed nowhere yet' };
  try {
    const answer = await client.rest('/rate_limit', RateLimitPayload, call);
    const resources = answer?.data.resources;
    const limit = isAnonymous ? resources?.core : resources?.graphql;
    if (limit === undefined) return { description: 'budget unknown' };
    const tokens = client.budget.tokens.length;
    return {
      description: isAnonymous
        ? `${limit.remaining} of ${limit.limit} requests left this hour; set GITHUB_TOKEN for more`
        : `${limit.remaining} of ${limit.limit} points left this hour${tokens > 1 ? ` on one of ${tokens} credentials` : ''}`,
    };
  } catch (error) {
    if (error instanceof AppError && error.code === 'provider_denied')
      return { description: 'the credentials are not accepted' };
    return { description: 'cannot be reached just now' };
  }
}

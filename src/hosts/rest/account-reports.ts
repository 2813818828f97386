import type { Static, TArray } from 'typebox';
import type { AccountFacts } from '../../model/account.ts';
import { type Counters, missingFrom } from '../../model/counters.ts';
import { readOrSkip } from '../http/tolerant.ts';
import type { Call } from '../interface/call.ts';
import type { AccountReport } from '../interface/provider.ts';
import type { RestClient } from './client.ts';
import { type List, readAll } from './lists.ts';

/** Reports an account with the counters that are known. Hosts with this API have no discussions. */
export function toReport(account: AccountFacts, known: Partial<Counters>): AccountReport {
  const counters: Partial<Counters> = { discussions: 0, discussions_answered: 0, ...known };
  return { account, counters, missing: missingFrom(counters), memory: null };
}

/**
 * Sums the stars of the repositories in a list.
 * @param readStars returns the id of a repository and its stars: 0 where they do not count, null where they are unknown.
 * @returns the counter; no counter when the list, or a number in it, cannot be read.
 */
export async function sumStars<Items extends TArray>(
  client: RestClient,
  list: List<Items>,
  readStars: (repository: Static<Items>[number]) => [id: number, stars: number | null],
  call: Call,
): Promise<Pick<Partial<Counters>, 'stars'>> {
  const repositories = await readOrSkip(call, { kind: 'stars' }, async () => (await readAll(client, list, call)) ?? []);
  if (repositories === undefined) return {};
  // A repository that moves to the next page during the reading is read twice.
  const counts = [...new Map(repositories.map(readStars)).values()];
  return counts.includes(null) ? {} : { stars: counts.reduce<number>((sum, stars) => sum + (stars ?? 0), 0) };
}

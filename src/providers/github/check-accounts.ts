import type { Actor } from '../../accounts/account.ts';
import type { Call, KnownAccount } from '../provider.ts';
import { restActor, toActor } from './actors.ts';
import type { GitHubClient } from './client.ts';
import { TooHeavy } from './failures.ts';
import { type ActorPayload, RestAccountPayload } from './payloads.ts';
import { accounts as accountsQuery } from './queries.ts';

/**
 * Returns how GitHub shows accounts now: all in one request, and those that are not in its answer one by one. GitHub leaves out
 * what it cannot compute or refuses to the token as well, so that only a 404 says that there is no such account. What GitHub
 * shows, it shows to everybody.
 */
export async function checkAccounts(
  client: GitHubClient,
  accounts: readonly KnownAccount[],
  call: Call,
): Promise<Map<string, Actor | null>> {
  const byHandle = accounts.filter(({ handle }) => handle !== '');
  const found = byHandle.length === 0 ? [] : await askFor(client, byHandle, call);
  const shown = found.map((payload) => toActor(payload)).filter((actor) => actor !== null);
  const checked = new Map<string, Actor | null>(shown.map((actor) => [actor.externalId, actor]));
  for (const { externalId } of accounts.filter((account) => !checked.has(account.externalId))) {
    const answer = await client.rest(`/user/${externalId}`, RestAccountPayload, call);
    checked.set(externalId, answer && restActor(answer.data));
  }
  return new Map([...checked].map(([id, actor]) => [id, actor && { ...actor, isPublic: true }]));
}

async function askFor(
  client: GitHubClient,
  accounts: readonly KnownAccount[],
  call: Call,
): Promise<(ActorPayload | null)[]> {
  try {
    const { data } = await client.graphql(accountsQuery, { ids: accounts.map(({ handle }) => handle) }, call);
    return data.nodes;
  } catch (error) {
    if (error instanceof TooHeavy) return [];
    throw error;
  }
}

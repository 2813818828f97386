import type { Actor } from '../../model/account.ts';
import { checkEach } from '../interface/denied.ts';
import type { Call, KnownAccount } from '../interface/provider.ts';
import { restActor, toActor } from './actors.ts';
import type { GitHubClient } from './client.ts';
import { TooHeavy } from './failures.ts';
import { type ActorPayload, RestAccountPayload } from './payloads.ts';
import { accounts as accountsQuery } from './queries.ts';

/**
 * Fetches accounts as GitHub shows them now: all in one request, then one by one the accounts that its response lacks.
 * The response also lacks accounts that GitHub cannot compute or refuses to the token, so that only a 404 proves that
 * there is no such account. Each account that GitHub shows is public.
 */
export async function checkAccounts(
  client: GitHubClient,
  accounts: readonly KnownAccount[],
  call: Call,
): Promise<Map<string, Actor | null>> {
  const byHandle = accounts.filter(({ handle }) => handle !== '');
  const found = byHandle.length === 0 ? [] : await fetchByHandle(client, byHandle, call);
  const visibleActors = found.map((payload) => toActor(payload)).filter((actor) => actor !== null);
  const checked = new Map<string, Actor | null>(visibleActors.map((actor) => [actor.externalId, actor]));
  const others = accounts.filter((account) => !checked.has(account.externalId));
  await checkEach(others, checked, async ({ externalId }) => {
    const response = await client.rest(`/user/${externalId}`, RestAccountPayload, call);
    checked.set(externalId, response && restActor(response.data));
  });
  return new Map([...checked].map(([id, actor]) => [id, actor && { ...actor, isPublic: true }]));
}

async function fetchByHandle(
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

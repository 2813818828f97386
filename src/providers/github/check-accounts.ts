import type { Actor } from '../../accounts/account.ts';
import type { Call, KnownAccount } from '../provider.ts';
import { restActor, toActor } from './actors.ts';
import type { GitHubClient } from './client.ts';
import { type ActorPayload, RestAccountPayload } from './payloads.ts';
import { accounts as accountsQuery } from './queries.ts';

/**
 * Returns how GitHub shows accounts now: all in one request, but those of which only the number is known. What GitHub shows, it
 * shows to everybody.
 */
export async function checkAccounts(
  client: GitHubClient,
  accounts: readonly KnownAccount[],
  call: Call,
): Promise<Map<string, Actor | null>> {
  const byHandle = accounts.filter(({ handle }) => handle !== '');
  const found = byHandle.length === 0 ? [] : await askFor(client, byHandle, call);
  const checked = new Map(byHandle.map(({ externalId }, index) => [externalId, toActor(found[index] ?? null)]));
  for (const { externalId } of accounts.filter(({ handle }) => handle === '')) {
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
  const { data } = await client.graphql(accountsQuery, { ids: accounts.map(({ handle }) => handle) }, call);
  return data.nodes;
}

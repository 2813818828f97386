import type { Actor } from '../../model/account.ts';
import type { CommitOwners } from '../interface/commit-owners.ts';
import type { Call, CommitIdentity, KnownRepository } from '../interface/provider.ts';
import type { RestClient } from '../rest/client.ts';
import { hasTokens } from '../rest/views.ts';
import { toActor } from './actors.ts';
import { readAuthors } from './graphql.ts';
import { UserPayload } from './payloads.ts';

/**
 * Looks up the accounts of addresses by the authors that GitLab shows of commits. GitLab does not show co-authors, so
 * only those with a private commit address of the instance are found.
 */
export async function resolveIdentities(
  client: RestClient,
  repository: KnownRepository,
  identities: readonly CommitIdentity[],
  call: Call,
): Promise<CommitOwners> {
  const authored = identities.filter(({ isCoAuthor = false }) => !isCoAuthor);
  const owners = await readAuthors(client, repository, [...new Set(authored.map(({ oid }) => oid))], call);
  for (const { email } of identities) {
    const bearer = owners.get(email) ? null : await bearerOf(client, email, call);
    if (bearer !== null) owners.set(email, bearer);
  }
  return owners;
}

/**
 * Finds the account of a private commit address, `ID-login@users.noreply.host`, by the id, because the login may be a
 * former one. https://docs.gitlab.com/user/profile/#use-an-automatically-generated-private-commit-email
 */
async function bearerOf(client: RestClient, email: string, call: Call): Promise<Actor | null> {
  const [, id, host] = /^(\d{1,15})-[^@]+@users\.noreply\.([^@]+)$/.exec(email) ?? [];
  // A request for an account by its id needs a token.
  if (id === undefined || host !== new URL(client.url).hostname || !hasTokens(client)) return null;
  return toActor((await client.get(`/users/${id}`, UserPayload, call))?.data ?? null);
}

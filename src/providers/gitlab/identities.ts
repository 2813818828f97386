import type { Actor } from '../../accounts/account.ts';
import type { Call, CommitIdentity, KnownRepository } from '../provider.ts';
import type { RestClient } from '../rest/client.ts';
import { toActor } from './actors.ts';
import { readAuthors } from './graphql.ts';
import { UserPayload } from './payloads.ts';

/**
 * Finds whose the addresses in commits are, by asking whom GitLab shows as their authors. Co-authors it shows nowhere; of
 * those only the addresses that it gave out itself can be told.
 */
export async function resolveIdentities(
  client: RestClient,
  repository: KnownRepository,
  identities: readonly CommitIdentity[],
  call: Call,
): Promise<Map<string, Actor | null>> {
  const oids = [...new Set(identities.map(({ oid }) => oid))];
  const { authors, told } = await readAuthors(client, repository, oids, call);
  const resolved = new Map<string, Actor | null>();
  for (const { email, oid } of identities) {
    const author = authors.get(email) ?? (await bearerOf(client, email, call));
    // Of a commit that is not shown nothing is known.
    if (author !== null || told.has(oid)) resolved.set(email, author);
  }
  return resolved;
}

/**
 * The account of a private commit address: `ID-login@users.noreply.host`, in which the id counts, for the login may be a former one.
 * https://docs.gitlab.com/user/profile/#use-an-automatically-generated-private-commit-email
 */
async function bearerOf(client: RestClient, email: string, call: Call): Promise<Actor | null> {
  const [, id, host] = /^(\d{1,15})-[^@]+@users\.noreply\.([^@]+)$/.exec(email) ?? [];
  // Who is not signed in may not ask for an account by its id.
  if (id === undefined || host !== new URL(client.url).hostname || client.pace.tokens.length === 0) return null;
  return toActor((await client.get(`/users/${id}`, UserPayload, call))?.data ?? null);
}

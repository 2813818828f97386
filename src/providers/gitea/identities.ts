import type { Actor } from '../../accounts/account.ts';
import { AppError } from '../../errors.ts';
import type { Call, CommitIdentity, KnownRepository } from '../provider.ts';
import type { RestClient } from '../rest/client.ts';
import { accountPath, toActor } from './accounts.ts';
import { CommitsPayload, ProfilePayload } from './payloads.ts';
import { repositoryPath } from './repositories.ts';

/** As many commits as Gitea tells at once, without what takes it long. */
const asked = { limit: '50', stat: 'false', verification: 'false', files: 'false' };

/**
 * Finds whose the addresses in commits are, by asking whom Gitea shows as their authors and committers: it knows all
 * addresses of an account, hidden ones too. Co-authors it shows nowhere; of those only its own addresses can be told.
 */
export async function resolveIdentities(
  client: RestClient,
  repository: KnownRepository,
  identities: readonly CommitIdentity[],
  call: Call,
): Promise<Map<string, Actor | null>> {
  const resolved = new Map<string, Actor | null>();
  const wanted = new Set(identities.map(({ email }) => email));
  for (const { email, oid } of identities) {
    if (resolved.has(email)) continue;
    const authors = await authorsFrom(client, repository, oid, call);
    // One answer names the authors of many commits, often of other addresses that are asked for.
    for (const [address, actor] of authors ?? []) {
      if (wanted.has(address) && !resolved.has(address)) resolved.set(address, actor);
    }
    if (resolved.has(email)) continue;
    const bearer = await bearerOf(client, email, call);
    // Of a commit that is not shown nothing is known.
    if (bearer !== null || authors !== null) resolved.set(email, bearer);
  }
  return resolved;
}

/** Whose the addresses in a commit and in those before it are; null: it is not shown. */
async function authorsFrom(
  client: RestClient,
  repository: KnownRepository,
  oid: string,
  call: Call,
): Promise<Map<string, Actor | null> | null> {
  const query = new URLSearchParams({ sha: oid, ...asked });
  const answer = await client.get(`${repositoryPath(repository)}/commits?${query.toString()}`, CommitsPayload, call);
  if (answer === null) return null;
  const found = new Map<string, Actor | null>();
  for (const { commit, author, committer } of answer.data) {
    if (commit.author !== null) found.set(commit.author.email.toLowerCase(), toActor(author));
    if (commit.committer !== null) found.set(commit.committer.email.toLowerCase(), toActor(committer));
  }
  return found;
}

/** An instance may answer nobody who is not signed in. */
function unlessDenied(error: unknown): null {
  if (error instanceof AppError && error.code === 'provider_denied') return null;
  throw error;
}

/**
 * The account that an address was given by the host itself: `login@noreply.host`, later versions also `ID+login@…`. To
 * somebody without a token Gitea shows this address alone, so that it says itself whose it is.
 */
async function bearerOf(client: RestClient, email: string, call: Call): Promise<Actor | null> {
  const [, name] = /^(?:\d{1,15}\+)?([\w.-]{1,100})@[^@]*noreply[^@]*$/.exec(email) ?? [];
  if (name === undefined) return null;
  const { access: _none, ...anybody } = call;
  const answer = client.get(accountPath(name), ProfilePayload, anybody, { isAnonymous: true });
  const profile = (await answer.catch(unlessDenied))?.data;
  const isTheirs = profile?.email.toLowerCase().replace(/^\d+\+/, '') === email.replace(/^\d+\+/, '');
  return profile !== undefined && isTheirs ? toActor(profile) : null;
}

import type { Actor } from '../../accounts/account.ts';
import { AppError } from '../../errors.ts';
import { addOwner, type CommitOwners } from '../commit-owners.ts';
import { unlessDenied } from '../denied.ts';
import type { Call, CommitIdentity, KnownRepository } from '../provider.ts';
import type { RestClient } from '../rest/client.ts';
import { accountPath, toActor } from './accounts.ts';
import { CommitPayload, CommitsPayload, ProfilePayload } from './payloads.ts';
import { repositoryPath } from './repositories.ts';

/** Requests as many commits as Gitea returns at once, without the parts that are slow to compute. */
const query = { limit: '50', stat: 'false', verification: 'false', files: 'false' };

/**
 * Finds the accounts of addresses by the authors and committers that Gitea shows for commits. Gitea finds authors by
 * all addresses of an account, including hidden ones, and returns null for an address without an account
 * (go-gitea/gitea, services/convert/git_commit.go). Gitea does not show co-authors, of whom only those with a noreply
 * address of the host are found.
 */
export async function resolveIdentities(
  client: RestClient,
  repository: KnownRepository,
  identities: readonly CommitIdentity[],
  call: Call,
): Promise<CommitOwners> {
  const owners: CommitOwners = new Map();
  for (const { email, oid, isCoAuthor = false } of identities) {
    if (owners.has(email)) continue;
    // One response shows the authors of many commits, and so often the accounts of further addresses.
    if (!isCoAuthor) await addOwnersFrom(client, repository, oid, owners, call);
    if (owners.has(email)) continue;
    const bearer = await bearerOf(client, email, call);
    if (bearer !== null) owners.set(email, bearer);
  }
  return owners;
}

/** Adds the accounts of the authors and committers of a commit and the commits before it, if Gitea shows the commit. */
async function addOwnersFrom(
  client: RestClient,
  repository: KnownRepository,
  oid: string,
  owners: CommitOwners,
  call: Call,
): Promise<void> {
  for (const { commit, author, committer } of await commitsFrom(client, repository, oid, call)) {
    if (commit.author !== null) addOwner(owners, commit.author.email, toActor(author));
    if (commit.committer !== null) addOwner(owners, commit.committer.email, toActor(committer));
  }
}

/** Lists a commit and up to 49 commits before it; an empty list when Gitea does not show the commit. */
async function commitsFrom(
  client: RestClient,
  repository: KnownRepository,
  oid: string,
  call: Call,
): Promise<CommitsPayload> {
  const path = repositoryPath(repository);
  const list = `${path}/commits?${new URLSearchParams({ sha: oid, ...query }).toString()}`;
  try {
    return (await client.get(list, CommitsPayload, call))?.data ?? [];
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'provider_unavailable' || call.signal.aborted) throw error;
    // Before 1.23 the list fails with 500 when there is no such commit (go-gitea/gitea#31977). The address of the
    // commit itself then responds with 404.
    const { limit: _none, ...parts } = query;
    const alone = `${path}/git/commits/${oid}?${new URLSearchParams(parts).toString()}`;
    const found = await client.get(alone, CommitPayload, call);
    return found === null ? [] : [found.data];
  }
}

/**
 * Finds the account to which the host itself gave an address: `login@noreply.host`, in later versions also
 * `ID+login@…`. Without a token Gitea shows only this address in a profile, so the profile proves that the address is
 * the account's.
 */
async function bearerOf(client: RestClient, email: string, call: Call): Promise<Actor | null> {
  const [, name] = /^(?:\d{1,15}\+)?([\w.-]{1,100})@[^@]*noreply[^@]*$/.exec(email) ?? [];
  if (name === undefined) return null;
  const request = client.get(accountPath(name), ProfilePayload, call, { isAnonymous: true });
  // An instance that requires sign-in denies the request.
  const profile = (await request.catch(unlessDenied(null)))?.data;
  const isOfProfile = profile?.email.toLowerCase().replace(/^\d+\+/, '') === email.replace(/^\d+\+/, '');
  return profile !== undefined && isOfProfile ? toActor(profile) : null;
}

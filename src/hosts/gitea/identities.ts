import type { Actor } from '../../model/account.ts';
import { AppError } from '../../model/errors.ts';
import { unlessDenied } from '../interface/denied.ts';
import { addOwner, type CommitOwners } from '../interface/history.ts';
import type { Call, KnownRepository } from '../interface/provider.ts';
import type { RestClient, RestReaders } from '../rest/client.ts';
import { accountPath, isOrganization, searchUser, toActor } from './accounts.ts';
import { CommitPayload, CommitsPayload, ProfilePayload } from './payloads.ts';
import { repositoryPath } from './repositories.ts';

/** Requests as many commits as Gitea returns at once, without the parts that are slow to compute. */
const query = { limit: '50', stat: 'false', verification: 'false', files: 'false' };

/**
 * Finds the accounts of addresses by the authors and committers that Gitea shows for commits. Gitea finds authors by
 * all addresses of an account, including hidden ones, and returns null for an address without an account
 * (go-gitea/gitea, services/convert/git_commit.go). Gitea does not show co-authors, of whom only those with a no-reply
 * address of the host are found.
 */
export const resolveIdentities: RestReaders['resolveIdentities'] = async (client, repository, identities, call) => {
  const owners: CommitOwners = new Map();
  for (const { email, oid, isCoAuthor = false } of identities) {
    // One response shows the authors of many commits, and so often the accounts of further addresses.
    if (!isCoAuthor && !owners.has(email)) await addOwnersFrom(client, repository, oid, owners, call);
  }
  const open = identities.filter(({ email }) => !owners.has(email) && ownAddress.test(email));
  const ofHost = open.length === 0 ? undefined : await findPlaceholder(client, repository.owner, call);
  for (const { email } of open) {
    const bearer = ofHost && (await fetchBearer(client, email, ofHost, call));
    if (bearer !== undefined) owners.set(email, bearer);
  }
  return owners;
};

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

/** The addresses that Gitea gives to accounts: `login@…`, or in newer releases `ID+login@…`. */
const ownAddress = /^(?:(?<id>\d{1,15})\+)?(?<login>[\w.-]{1,100})@(?<domain>[^@]+)$/;

/** The form of the addresses that a host gives to accounts. */
interface Placeholder {
  domain: string;
  hasId: boolean;
}

/**
 * Finds the form of the addresses that the host gives to accounts, whose domain is a free text (`NO_REPLY_ADDRESS` in
 * app.ini). Without a token, every profile shows this address in place of the real one (go-gitea/gitea,
 * services/convert/user.go; so does Forgejo), also that of an organization.
 * @returns undefined when the host does not show the profile without a token.
 */
async function findPlaceholder(client: RestClient, login: string, call: Call): Promise<Placeholder | undefined> {
  const profile = await readProfile(client, login, call);
  const { id, domain } = ownAddress.exec(profile?.email.toLowerCase() ?? '')?.groups ?? {};
  return domain === undefined ? undefined : { domain, hasId: id !== undefined };
}

/**
 * Fetches the account to which the host gave an address, as the host itself does (go-gitea/gitea, models/user/user.go,
 * `GetUserByEmail`): that with the id in it, whose name may be another now, or without an id that which has the name now.
 * @returns null where no account has the name now; undefined where the host did not give the address.
 */
async function fetchBearer(
  client: RestClient,
  email: string,
  ofHost: Placeholder,
  call: Call,
): Promise<Actor | null | undefined> {
  const { id, login = '', domain } = ownAddress.exec(email)?.groups ?? {};
  if (domain !== ofHost.domain || (id !== undefined && !ofHost.hasId)) return undefined;
  if (id !== undefined) return toActor(await searchUser(client, id, call).catch(unlessDenied(null))) ?? undefined;
  const profile = await readProfile(client, login, call);
  // Gitea redirects former names, and serves organizations as users.
  const isBearer = profile?.login.toLowerCase() === login && !(await isOrganization(client, profile, call));
  return isBearer ? toActor(profile) : null;
}

/** Reads a profile without a token; undefined when there is none, and on an instance that requires sign-in. */
async function readProfile(client: RestClient, login: string, call: Call): Promise<ProfilePayload | undefined> {
  const request = client.get(accountPath(login), ProfilePayload, call, { isAnonymous: true });
  return (await request.catch(unlessDenied(null)))?.data;
}

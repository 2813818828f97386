import type { AccountFacts, Actor } from '../../model/account.ts';
import type { Counters } from '../../model/counters.ts';
import { AppError } from '../../model/errors.ts';
import { checkEach, unlessDenied } from '../interface/denied.ts';
import type { AccountReport, Call, KnownAccount, KnownRepository } from '../interface/provider.ts';
import { addOwner, type CommitOwners } from '../interface/streams.ts';
import { sumStars, toReport } from '../rest/account-reports.ts';
import type { RestClient, RestReaders } from '../rest/client.ts';
import {
  AllRepositoriesPayload,
  CommitPayload,
  CommitsPayload,
  FoundUsersPayload,
  OrganizationPayload,
  ProfilePayload,
  UserPayload,
} from './payloads.ts';
import { counted, isPublic, repositoryPath } from './repositories.ts';

/** Returns the account of a payload; null for deleted accounts and the host's placeholders, which have ids below 1. */
export function toActor(payload: UserPayload | null): Actor | null {
  if (payload === null || payload.id < 1) return null;
  return {
    externalId: String(payload.id),
    handle: '',
    type: 'user',
    name: payload.login,
    displayName: payload.full_name,
    avatarUrl: payload.avatar_url,
    isPublic: payload.visibility === 'public',
  };
}

export function accountPath(name: string): string {
  return `/users/${encodeURIComponent(name)}`;
}

export function organizationPath(name: string): string {
  return `/orgs/${encodeURIComponent(name)}`;
}

/**
 * Yields reports on the account that has a name now. Only public users have counters, and only stars, because Gitea has
 * no search for an account's contributions on the whole host.
 */
export async function* reportAccount(
  client: RestClient,
  name: string,
  call: Call,
): AsyncGenerator<AccountReport, void, undefined> {
  const profile = (await client.get(accountPath(name), ProfilePayload, call))?.data;
  if (profile === undefined || profile.id < 1) return;
  const isHidden = profile.visibility !== 'public';
  const account = toFacts(profile, !isHidden && (await isOrganization(client, profile, call)));
  if (isHidden || account.type === 'organization') {
    yield { account, counters: {}, missing: [], memory: null };
    return;
  }
  yield toReport(account, {});
  yield toReport(account, await countStars(client, account.name, call));
}

/**
 * Yields reports on a stored account, by its name. After a rename Gitea redirects to the new name until another account
 * takes the old one; from then on only a search by id finds the account.
 */
export async function* refreshAccount(
  client: RestClient,
  account: KnownAccount,
  call: Call,
): AsyncGenerator<AccountReport, void, undefined> {
  let isFound = false;
  for await (const report of reportAccount(client, account.name, call)) {
    if (report.account.externalId !== account.externalId) break;
    isFound = true;
    yield report;
  }
  const found = isFound ? undefined : await findById(client, account, call);
  if (found) yield* reportAccount(client, found.login, call);
}

/** Fetches the current state of accounts, each by its name, or by its id when another account has that name. */
export const checkAccounts: RestReaders['checkAccounts'] = async (client, accounts, call) => {
  const checked = new Map<string, Actor | null>();
  return checkEach(accounts, checked, async (account) => {
    const named = (await client.get(accountPath(account.name), UserPayload, call))?.data;
    const isSame = named !== undefined && String(named.id) === account.externalId;
    const found = isSame ? named : await findById(client, account, call);
    // Where Gitea denies the search, an account that lost its name to another one cannot be found.
    if (found === undefined && named !== undefined) return;
    const actor = toActor(found ?? null);
    // Gitea serves organizations as users, too.
    checked.set(account.externalId, actor && { ...actor, type: account.type });
  });
};

/**
 * Finds a user by the immutable id; null when there is none, or Gitea does not show the user.
 * https://docs.gitea.com/api/#tag/user/operation/userSearch
 */
export async function searchUser(client: RestClient, id: string, call: Call): Promise<UserPayload | null> {
  const path = `/users/search?uid=${encodeURIComponent(id)}&limit=1`;
  const found = (await client.get(path, FoundUsersPayload, call))?.data.data ?? [];
  return found.find((user) => String(user.id) === id) ?? null;
}

/** Finds a stored account by its id; null when there is none; undefined for organizations, and when Gitea denies it. */
async function findById(
  client: RestClient,
  { externalId, type }: KnownAccount,
  call: Call,
): Promise<UserPayload | null | undefined> {
  // The search covers users only.
  if (type === 'organization') return undefined;
  return searchUser(client, externalId, call).catch(unlessDenied(undefined));
}

/**
 * Returns whether a profile is an organization's. Gitea serves organizations as users, too, without a mark in the
 * response.
 */
async function isOrganization(client: RestClient, { id, login }: ProfilePayload, call: Call): Promise<boolean> {
  const response = await client.get(organizationPath(login), OrganizationPayload, call);
  return response?.data.id === id;
}

function toFacts(profile: ProfilePayload, isAnOrganization: boolean): AccountFacts {
  return {
    externalId: String(profile.id),
    handle: '',
    type: isAnOrganization ? 'organization' : 'user',
    name: profile.login,
    displayName: profile.full_name,
    avatarUrl: profile.avatar_url,
    website: profile.website,
    description: profile.description,
    socials: [],
    followers: profile.followers_count,
    following: profile.following_count,
    isPublic: profile.visibility === 'public',
  };
}

/** Sums the stars of a user's public repositories except forks. */
function countStars(client: RestClient, name: string, call: Call): Promise<Partial<Counters>> {
  const list = { path: `${accountPath(name)}/repos`, items: AllRepositoriesPayload };
  return sumStars(
    client,
    list,
    (listed) => [listed.id, isPublic(listed) && !listed.fork ? counted(listed.stars_count) : 0],
    call,
  );
}

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

/** The addresses that Gitea gives to accounts: `login@…`, or in newer releases `ID+login@…`. */
const ownAddress = /^(?:(?<id>\d{1,15})\+)?(?<login>[\w.-]{1,100})@(?<domain>[^@]+)$/;

/** The form of the addresses that a host gives to accounts. */
interface Placeholder {
  domain: string;
  hasId: boolean;
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

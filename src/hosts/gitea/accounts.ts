import type { AccountFacts, Actor } from '../../model/account.ts';
import type { Counters } from '../../model/counters.ts';
import { checkEach, unlessDenied } from '../interface/denied.ts';
import type { AccountReport, Call, KnownAccount } from '../interface/provider.ts';
import { sumStars, toReport } from '../rest/account-reports.ts';
import type { RestClient, RestReaders } from '../rest/client.ts';
import {
  AllRepositoriesPayload,
  FoundUsersPayload,
  OrganizationPayload,
  ProfilePayload,
  UserPayload,
} from './payloads.ts';
import { counted, isPublic } from './repositories.ts';

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
export async function isOrganization(client: RestClient, { id, login }: ProfilePayload, call: Call): Promise<boolean> {
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

import type { AccountFacts, Actor, Social } from '../../model/account.ts';
import type { Counters } from '../../model/counters.ts';
import { AppError } from '../../model/errors.ts';
import { checkEach } from '../interface/denied.ts';
import type { AccountReport, Call, KnownAccount } from '../interface/provider.ts';
import { sumStars, toReport } from '../rest/account-reports.ts';
import type { RestClient, RestReaders } from '../rest/client.ts';
import { readPage } from '../rest/lists.ts';
import { hasTokens } from '../rest/views.ts';
import { groupActor, groupIdIn, groupPath, toActor } from './actors.ts';
import { readAuthors } from './graphql.ts';
import {
  AllProjectsPayload,
  GroupPayload,
  IdentifiedPayload,
  ProfilePayload,
  UserPayload,
  UsersPayload,
} from './payloads.ts';
import { isFork, isPublic } from './projects.ts';

/**
 * Reports the account that has a name now. Groups that are not public are left out; users that are not public
 * are reported without counters.
 */
export async function* reportAccount(
  client: RestClient,
  name: string,
  call: Call,
): AsyncGenerator<AccountReport, void, undefined> {
  const user = name.includes('/') ? undefined : await findUser(client, name, call);
  if (user !== undefined) yield* reportUser(client, user, call);
  else yield* reportGroup(client, name, call);
}

/** Reports a stored account by its id. Without a token, a user is looked up by name. */
export async function* refreshAccount(
  client: RestClient,
  { name, externalId, type }: KnownAccount,
  call: Call,
): AsyncGenerator<AccountReport, void, undefined> {
  if (type === 'organization') {
    yield* reportGroup(client, groupIdIn(externalId), call);
    return;
  }
  if (hasTokens(client)) {
    yield* reportUser(client, { id: Number(externalId) }, call);
    return;
  }
  const user = await findUser(client, name, call);
  // Without a token, a user who lost the name to another one cannot be found.
  if (user !== undefined && String(user.id) === externalId) yield* reportUser(client, user, call);
}

async function findUser(client: RestClient, username: string, call: Call): Promise<UserPayload | undefined> {
  const query = new URLSearchParams({ username });
  const found = (await client.get(`/users?${query.toString()}`, UsersPayload, call))?.data ?? [];
  return found.find((user) => user.username.toLowerCase() === username.toLowerCase());
}

/**
 * Reports a user, without counters when the profile is not public. Without a token GitLab shows no profiles. No list of
 * a user's items contains reviews, commits and their repositories, so that their counters are missing.
 */
async function* reportUser(
  client: RestClient,
  user: UserPayload | { id: number },
  call: Call,
): AsyncGenerator<AccountReport, void, undefined> {
  const profile = hasTokens(client) ? (await client.get(`/users/${user.id}`, ProfilePayload, call))?.data : undefined;
  const payload = profile ?? ('username' in user && !hasTokens(client) ? user : null);
  const actor = profile === undefined ? toActor(payload) : profileActor(profile);
  if (payload === null || actor === null) return;
  const account = { ...actor, ...toProfile(profile) };
  if (account.isPublic === false) {
    yield { account, counters: {}, missing: [], memory: null };
    return;
  }
  yield toReport(account, {});
  const [counted, stars] = await Promise.all([
    countPublic(client, payload.id, call),
    countStars(client, payload.id, call),
  ]);
  yield toReport(account, { ...counted, ...stars });
}

function profileActor(profile: ProfilePayload): Actor | null {
  const actor = toActor(profile);
  if (actor === null) return null;
  const isPublic = typeof profile.followers === 'number' && profile.private_profile !== true;
  return { ...actor, ...(profile.bot === true && { type: 'bot' }), isPublic: isPublic && actor.isPublic !== false };
}

/** Looks up the current state of users. Without a token, a user whose name changed cannot be found and is left out. */
export const checkAccounts: RestReaders['checkAccounts'] = async (client, accounts, call) => {
  const checked = new Map<string, Actor | null>();
  const users = accounts.filter(({ type }) => type !== 'organization');
  return checkEach(users, checked, async ({ name, externalId }) => {
    if (hasTokens(client)) {
      const profile = (await client.get(`/users/${externalId}`, ProfilePayload, call))?.data;
      checked.set(externalId, profile === undefined ? null : profileActor(profile));
      return;
    }
    const user = await findUser(client, name, call);
    if (user !== undefined && String(user.id) === externalId) checked.set(externalId, toActor(user));
  });
};

type Profile = Omit<AccountFacts, keyof Actor>;

function toProfile(profile: ProfilePayload | undefined): Profile {
  return {
    website: profile?.website_url ?? '',
    description: profile?.bio ?? '',
    socials: profile === undefined ? null : toSocials(profile),
    followers: profile?.followers ?? null,
    following: profile?.following ?? null,
  };
}

const socialAddresses = { twitter: 'https://twitter.com/', linkedin: 'https://www.linkedin.com/in/' } as const;

/** Reads the social accounts, which users enter as a name or as a whole address. */
function toSocials(profile: ProfilePayload): Social[] {
  return (['twitter', 'linkedin'] as const).flatMap((provider) => {
    const name = (profile[provider] ?? '').trim();
    if (name === '') return [];
    const url = /^https?:\/\//i.test(name) ? name : `${socialAddresses[provider]}${encodeURIComponent(name)}`;
    return [{ provider, name, url }];
  });
}

/** @param name the full path, or the id. */
async function* reportGroup(
  client: RestClient,
  name: string,
  call: Call,
): AsyncGenerator<AccountReport, void, undefined> {
  const group = (await client.get(groupPath(name), GroupPayload, call))?.data;
  if (group === undefined || group.visibility !== 'public') return;
  const groupProfile: Profile = {
    website: '',
    description: group.description ?? '',
    socials: [],
    followers: 0,
    following: 0,
  };
  yield { account: { ...groupActor(group), ...groupProfile }, counters: {}, missing: [], memory: null };
}

const searches = [
  ['issues', '/issues', {}],
  ['issues_closed', '/issues', { state: 'closed' }],
  ['pull_requests', '/merge_requests', {}],
  ['pull_requests_merged', '/merge_requests', { state: 'merged' }],
] as const;

/** Counts the items that a user opened on the whole instance, without a token, as that would include private items. */
async function countPublic(client: RestClient, id: number, call: Call): Promise<Partial<Counters>> {
  const counts = await Promise.all(
    searches.map(async ([counter, path, more]): Promise<Partial<Counters>> => {
      const query = { scope: 'all', author_id: String(id), ...more, per_page: '1' };
      const list = { path, query, items: IdentifiedPayload };
      const page = await readPage(client, list, 1, call, { isAnonymous: true }).catch(unlessFailed);
      return page === null || page.total === null ? {} : { [counter]: page.total };
    }),
  );
  return Object.assign({}, ...counts);
}

/**
 * Returns null, for an unknown count, where an instance refuses or limits anonymous requests, or fails on many items.
 */
function unlessFailed(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}

/** Sums the stars of a user's projects except forks, which GitLab marks only in responses to requests with a token. */
async function countStars(client: RestClient, id: number, call: Call): Promise<Partial<Counters>> {
  if (!hasTokens(client)) return {};
  const list = { path: `/users/${id}/projects`, query: { order_by: 'id', sort: 'asc' }, items: AllProjectsPayload };
  return sumStars(
    client,
    list,
    (project) => [project.id, isPublic(client, project) && !isFork(project) ? project.star_count : 0],
    call,
  );
}

/**
 * Looks up the accounts of addresses by the authors that GitLab shows of commits. GitLab does not show co-authors, so
 * only those with a private commit address of the instance are found.
 */
export const resolveIdentities: RestReaders['resolveIdentities'] = async (client, repository, identities, call) => {
  const authored = identities.filter(({ isCoAuthor = false }) => !isCoAuthor);
  const owners = await readAuthors(client, repository, [...new Set(authored.map(({ oid }) => oid))], call);
  for (const { email } of identities) {
    const bearer = owners.get(email) ? null : await findBearer(client, email, call);
    if (bearer !== null) owners.set(email, bearer);
  }
  return owners;
};

/**
 * Finds the account of a private commit address, `ID-login@users.noreply.host`, by the id, because the login may be a
 * former one. https://docs.gitlab.com/user/profile/#use-an-automatically-generated-private-commit-email
 */
async function findBearer(client: RestClient, email: string, call: Call): Promise<Actor | null> {
  const [, id, host] = /^(\d{1,15})-[^@]+@users\.noreply\.([^@]+)$/.exec(email) ?? [];
  // A request for an account by its id needs a token.
  if (id === undefined || host !== new URL(client.url).hostname || !hasTokens(client)) return null;
  return toActor((await client.get(`/users/${id}`, UserPayload, call))?.data ?? null);
}

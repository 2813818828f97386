import type { AccountFacts, Actor } from '../../accounts/account.ts';
import { type CounterName, type Counters, counterNames } from '../../contributions/counters.ts';
import { readOrSkip } from '../http/read-or-skip.ts';
import type { AccountReport, Call, KnownAccount } from '../provider.ts';
import type { RestClient } from '../rest/client.ts';
import { readAll } from '../rest/lists.ts';
import { AllRepositoriesPayload, OrganizationPayload, ProfilePayload, type UserPayload } from './payloads.ts';
import { counted, isPublic } from './repositories.ts';

/** Null for those who are no accounts: deleted ones, and the host's own stand-ins. */
export function toActor(payload: UserPayload | null): Actor | null {
  if (payload === null || payload.id < 1) return null;
  return {
    externalId: String(payload.id),
    handle: '',
    type: 'user',
    name: payload.login,
    displayName: payload.full_name,
    avatarUrl: payload.avatar_url,
  };
}

export function accountPath(name: string): string {
  return `/users/${encodeURIComponent(name)}`;
}

export function organizationPath(name: string): string {
  return `/orgs/${encodeURIComponent(name)}`;
}

/** Who has a name now; nobody who is not to be seen by everybody. */
export async function* reportAccount(
  client: RestClient,
  name: string,
  call: Call,
): AsyncGenerator<AccountReport, void, undefined> {
  const profile = (await client.get(accountPath(name), ProfilePayload, call))?.data;
  if (profile === undefined || profile.id < 1 || profile.visibility !== 'public') return;
  const account = toFacts(profile, await isOrganization(client, profile, call));
  if (account.type === 'organization') {
    yield { account, counters: {}, missing: [], memory: null };
    return;
  }
  yield toReport(account, undefined);
  yield toReport(account, await sumStars(client, account.name, call));
}

/** A stored account is asked for by its name; there is no asking by an id. Renamed, its old name leads to the new one. */
export async function* refreshAccount(
  client: RestClient,
  { name, externalId }: KnownAccount,
  call: Call,
): AsyncGenerator<AccountReport, void, undefined> {
  for await (const report of reportAccount(client, name, call)) {
    // Somebody else has the name now: whose it was is gone.
    if (report.account.externalId !== externalId) return;
    yield report;
  }
}

/** Organizations answer as users too; nothing in that answer tells them apart. */
async function isOrganization(client: RestClient, { id, login }: ProfilePayload, call: Call): Promise<boolean> {
  const answer = await client.get(organizationPath(login), OrganizationPayload, call);
  return answer?.data.id === id;
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
  };
}

/** No search tells what somebody did on the whole host; there are no discussions. */
function toReport(account: AccountFacts, stars: number | undefined): AccountReport {
  const counters: Partial<Counters> = {
    discussions: 0,
    discussions_answered: 0,
    ...(stars !== undefined && { stars }),
  };
  const missing: CounterName[] = counterNames.filter((name) => counters[name] === undefined);
  return { account, counters, missing, memory: null };
}

async function sumStars(client: RestClient, name: string, call: Call): Promise<number | undefined> {
  const list = { path: `${accountPath(name)}/repos`, items: AllRepositoriesPayload };
  const repositories = await readOrSkip(call, { kind: 'stars' }, async () => (await readAll(client, list, call)) ?? []);
  if (repositories === undefined) return undefined;
  // A page that moved is read twice.
  const earning = new Map(repositories.filter((one) => isPublic(one) && !one.fork).map((one) => [one.id, one]));
  const stars = [...earning.values()].map(({ stars_count: count }) => counted(count));
  return stars.includes(null) ? undefined : stars.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

import type { Actor } from '../../model/account.ts';
import type { Call, CommitIdentity, KnownRepository } from '../interface/provider.ts';
import { addOwner, type CommitOwners } from '../interface/streams.ts';
import { isBotName, restActor, toActor } from './actors.ts';
import type { GitHubClient, GitHubReaders, Query } from './client.ts';
import { TooHeavy } from './failures.ts';
import { CommitAuthorsPayload, RestAccountPayload } from './payloads.ts';

/** The most authors and co-authors of a commit that a query reads. */
const authorsPerCommit = 50;

/**
 * Finds the accounts of email addresses by the authors that GitHub shows for commits, otherwise by the no-reply address
 * itself, as for bots, which GraphQL does not show as authors.
 */
export const resolveIdentities: GitHubReaders['resolveIdentities'] = async (client, repository, identities, call) => {
  const shown = new Set<string>();
  const owners = await fetchAuthors(client, repository, identities, { shown, call });
  for (const { email, isCoAuthor = false } of identities) {
    const address = owners.get(email) ? undefined : readNoReplyAddress(client, email);
    if (address === undefined) continue;
    // Without a number in the address, GitHub's response about a commit decides. It never names a bot.
    const isByAnswer = address.externalId === undefined && !isBotName(address.login);
    if (isByAnswer && shown.has(email)) owners.set(email, null);
    else if (!isByAnswer || isCoAuthor) owners.set(email, await fetchBearer(client, address, call));
  }
  return owners;
};

/** A no-reply address that GitHub gave to an account. */
export interface NoReplyAddress {
  /** Undefined in addresses from before July 2017, which belong to the account that has the login now. */
  externalId: string | undefined;
  login: string;
}

/**
 * Reads a no-reply address, `ID+LOGIN@users.noreply.github.com` or `LOGIN@users.noreply.github.com`. Enterprise servers
 * and ghe.com have their own host in it, and the same number is another account there.
 * github/docs, content/account-and-profile/…/setting-your-commit-email-address.md
 * @param email in lower case.
 * @returns undefined for any other address, also for one of another host.
 */
export function readNoReplyAddress(client: GitHubClient, email: string): NoReplyAddress | undefined {
  const [, externalId, login, host] = /^(?:(\d{1,15})\+)?([^@+]+)@users\.noreply\.([^@]+)$/.exec(email) ?? [];
  return login === undefined || host !== client.noReplyHost ? undefined : { externalId, login };
}

/**
 * Fetches the account to which GitHub gave an address: that with the number in it, whose login may be a former one, or
 * without a number that which has the login now.
 */
export async function fetchBearer(
  client: GitHubClient,
  { externalId, login }: NoReplyAddress,
  call: Call,
): Promise<Actor | null> {
  if (externalId !== undefined) return fetchAccount(client, `/user/${externalId}`, call);
  const account = await fetchAccount(client, `/users/${encodeURIComponent(login)}`, call);
  return account?.name.toLowerCase() === login ? account : null;
}

/** Fetches a user or bot; null when there is none, and for organizations, which have no addresses. */
async function fetchAccount(client: GitHubClient, path: string, call: Call): Promise<Actor | null> {
  const response = await client.rest(path, RestAccountPayload, call);
  const account = response && restActor(response.data);
  return account?.type === 'organization' ? null : account;
}

/** The call of a lookup, and the addresses that GitHub showed in its responses, with or without an account. */
interface Answer {
  shown: Set<string>;
  call: Call;
}

async function fetchAuthors(
  client: GitHubClient,
  repository: KnownRepository,
  identities: readonly CommitIdentity[],
  answer: Answer,
): Promise<CommitOwners> {
  try {
    return await fetchAuthorsAtOnce(client, repository, identities, answer);
  } catch (error) {
    if (!(error instanceof TooHeavy) || identities.length <= 1) throw error;
    const half = Math.ceil(identities.length / 2);
    const first = await fetchAuthors(client, repository, identities.slice(0, half), answer);
    const second = await fetchAuthors(client, repository, identities.slice(half), answer);
    for (const [email, owner] of second) addOwner(first, email, owner);
    return first;
  }
}

async function fetchAuthorsAtOnce(
  client: GitHubClient,
  { owner, name }: KnownRepository,
  identities: readonly CommitIdentity[],
  { shown, call }: Answer,
): Promise<CommitOwners> {
  const oids = [...new Set(identities.map(({ oid }) => oid))];
  const variables = Object.fromEntries(oids.map((oid, index) => [`o${index}`, oid]));
  const { data } = await client.graphql(commitAuthors(oids.length), { owner, name, ...variables }, call);
  const emails = new Set(identities.map(({ email }) => email));
  const owners: CommitOwners = new Map();
  for (const commit of Object.values(data.repository ?? {})) {
    const authorEmail = commit?.author?.email?.toLowerCase();
    for (const { email: given, user } of commit?.authors?.nodes ?? []) {
      const email = given?.toLowerCase() ?? '';
      const account = toActor(user);
      shown.add(email);
      // GitHub reads co-authors from the message, so a co-author without account proves nothing. Only the author's
      // address identifies the author in the list, because the first entry may have been left out as unreadable.
      if (emails.has(email) && (account !== null || email === authorEmail)) addOwner(owners, email, account);
    }
  }
  return owners;
}

/** Returns the query for the authors of `count` commits. */
export function commitAuthors(count: number): Query<typeof CommitAuthorsPayload> {
  const indexes = Array.from({ length: count }, (_, index) => index);
  const text = [
    `query CommitAuthors($owner: String!, $name: String!, ${indexes.map((index) => `$o${index}: GitObjectID!`).join(', ')}) {`,
    '  repository(owner: $owner, name: $name) {',
    ...indexes.map((index) => `    c${index}: object(oid: $o${index}) { ...Authors }`),
    '  }',
    '  rateLimit { cost }',
    '}',
    'fragment Authors on Commit {',
    '  author { email }',
    `  authors(first: ${authorsPerCommit}) { nodes { email user { kind: __typename id databaseId login name avatarUrl } } }`,
    '}',
  ].join('\n');
  return { name: 'CommitAuthors', schema: CommitAuthorsPayload, text };
}

import type { Actor } from '../../accounts/account.ts';
import { addOwner, type CommitOwners } from '../commit-owners.ts';
import type { Call, CommitIdentity, KnownRepository } from '../provider.ts';
import { actorInAddress, restActor, toActor } from './actors.ts';
import type { GitHubClient, Query } from './client.ts';
import { TooHeavy } from './failures.ts';
import { CommitAuthorsPayload, RestAccountPayload } from './payloads.ts';

/** The most authors and co-authors of a commit that a query reads. */
const authorsPerCommit = 50;

/**
 * Finds the accounts of email addresses by the authors that GitHub shows for commits, otherwise by the id in a no-reply
 * address, as for bots, which GraphQL does not show as authors.
 */
export async function resolveIdentities(
  client: GitHubClient,
  repository: KnownRepository,
  identities: readonly CommitIdentity[],
  call: Call,
): Promise<CommitOwners> {
  const owners = await fetchAuthors(client, repository, identities, call);
  for (const { email } of identities) {
    const named = owners.get(email) ? undefined : accountIn(email);
    if (named !== undefined) owners.set(email, await fetchById(client, named.externalId, call));
  }
  return owners;
}

/**
 * Returns the account in a no-reply address of GitHub: `ID+login@users.noreply.github.com`.
 * @returns undefined for any other address.
 */
export function accountIn(email: string): Actor | undefined {
  const [, externalId, name] = /^(\d{1,15})\+([^@]+)@users\.noreply\./.exec(email) ?? [];
  if (externalId === undefined || name === undefined) return undefined;
  return {
    externalId,
    handle: '',
    ...actorInAddress(externalId, name),
    displayName: '',
    avatarUrl: `https://avatars.githubusercontent.com/u/${externalId}?v=4`,
    nameMayBeOld: true,
  };
}

/** Fetches an account by its id; null when there is none. */
async function fetchById(client: GitHubClient, id: string, call: Call): Promise<Actor | null> {
  const response = await client.rest(`/user/${id}`, RestAccountPayload, call);
  return response && restActor(response.data);
}

async function fetchAuthors(
  client: GitHubClient,
  repository: KnownRepository,
  identities: readonly CommitIdentity[],
  call: Call,
): Promise<CommitOwners> {
  try {
    return await fetchAuthorsAtOnce(client, repository, identities, call);
  } catch (error) {
    if (!(error instanceof TooHeavy) || identities.length <= 1) throw error;
    const half = Math.ceil(identities.length / 2);
    const first = await fetchAuthors(client, repository, identities.slice(0, half), call);
    const second = await fetchAuthors(client, repository, identities.slice(half), call);
    for (const [email, owner] of second) addOwner(first, email, owner);
    return first;
  }
}

async function fetchAuthorsAtOnce(
  client: GitHubClient,
  { owner, name }: KnownRepository,
  identities: readonly CommitIdentity[],
  call: Call,
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

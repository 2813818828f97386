import type { Actor } from '../../accounts/account.ts';
import type { Call, CommitIdentity, KnownRepository } from '../provider.ts';
import { isBotName, restActor, toActor } from './actors.ts';
import type { GitHubClient, Query } from './client.ts';
import { TooHeavy } from './failures.ts';
import { CommitAuthorsPayload, RestAccountPayload } from './payloads.ts';

/** Authors of one commit that are asked for: author and co-authors. */
const authorsPerCommit = 50;

/**
 * Finds whose the addresses in commits are, by asking who GitHub shows as authors of the commits.
 * Bots, which GitHub does not show as such, are found by the id in their address.
 */
export async function resolveIdentities(
  client: GitHubClient,
  repository: KnownRepository,
  identities: readonly CommitIdentity[],
  call: Call,
): Promise<Map<string, Actor | null>> {
  const resolved = await askForAuthors(client, repository, identities, call);
  for (const { email } of identities) {
    if (resolved.has(email)) continue;
    const named = accountIn(email);
    resolved.set(email, named === undefined ? null : await askForId(client, named.externalId, call));
  }
  return resolved;
}

/**
 * The account in an address that GitHub made: `ID+login@users.noreply.github.com`.
 * @returns undefined for any other address.
 */
export function accountIn(email: string): Actor | undefined {
  const [, externalId, name] = /^(\d{1,15})\+([^@]+)@users\.noreply\./.exec(email) ?? [];
  if (externalId === undefined || name === undefined) return undefined;
  return {
    externalId,
    handle: '',
    type: isBotName(name) ? 'bot' : 'user',
    name,
    displayName: '',
    avatarUrl: `https://avatars.githubusercontent.com/u/${externalId}?v=4`,
    nameMayBeOld: true,
  };
}

/** Asks for one account by its id; null when there is none. */
async function askForId(client: GitHubClient, id: string, call: Call): Promise<Actor | null> {
  const answer = await client.rest(`/user/${id}`, RestAccountPayload, call);
  return answer && restActor(answer.data);
}

async function askForAuthors(
  client: GitHubClient,
  repository: KnownRepository,
  identities: readonly CommitIdentity[],
  call: Call,
): Promise<Map<string, Actor | null>> {
  try {
    return await askForAuthorsAtOnce(client, repository, identities, call);
  } catch (error) {
    if (!(error instanceof TooHeavy) || identities.length <= 1) throw error;
    const half = Math.ceil(identities.length / 2);
    const first = await askForAuthors(client, repository, identities.slice(0, half), call);
    const second = await askForAuthors(client, repository, identities.slice(half), call);
    return new Map([...first, ...second]);
  }
}

async function askForAuthorsAtOnce(
  client: GitHubClient,
  { owner, name }: KnownRepository,
  identities: readonly CommitIdentity[],
  call: Call,
): Promise<Map<string, Actor | null>> {
  const oids = [...new Set(identities.map(({ oid }) => oid))];
  const variables = Object.fromEntries(oids.map((oid, index) => [`o${index}`, oid]));
  const { data } = await client.graphql(commitAuthors(oids.length), { owner, name, ...variables }, call);
  const wanted = new Set(identities.map(({ email }) => email));
  const found = new Map<string, Actor | null>();
  for (const commit of Object.values(data.repository ?? {})) {
    for (const author of commit?.authors?.nodes ?? []) {
      const email = author?.email?.toLowerCase() ?? '';
      const actor = wanted.has(email) ? toActor(author?.user ?? null) : null;
      if (actor !== null) found.set(email, actor);
    }
  }
  return found;
}

/** The query for the authors of so many commits. */
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
    `  authors(first: ${authorsPerCommit}) { nodes { email user { kind: __typename id databaseId login name avatarUrl } } }`,
    '}',
  ].join('\n');
  return { name: 'CommitAuthors', answer: CommitAuthorsPayload, text };
}

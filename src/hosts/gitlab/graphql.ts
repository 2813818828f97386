import { type Static, type TSchema, Type } from 'typebox';
import type { Actor } from '../../model/account.ts';
import { AppError } from '../../model/errors.ts';
import { Count, Name, Nullable, optionalText, Text } from '../http/checks.ts';
import { describeItems, optional, orElse, type Refusals, toPointer } from '../http/tolerant.ts';
import type { Call, KnownRepository } from '../interface/provider.ts';
import { addOwner, type CommitOwners } from '../interface/streams.ts';
import { checkPayload, invalid } from '../rest/checks.ts';
import type { RestClient } from '../rest/client.ts';
import { toActor } from './actors.ts';
import type { ProjectPayload } from './payloads.ts';

/**
 * Reads the facts that only GitLab's GraphQL API has: authors of commits, sizes of merge requests, languages of
 * projects. https://docs.gitlab.com/api/graphql/reference/. The complexity of a query is limited to 200; a commit has
 * about 20.
 */

const atOnce = { commits: 8, mergeRequests: 20, projects: 20 };

const Path = optional(Type.Array(Type.Union([Type.String(), Type.Integer()])));
const Answer = Type.Object({
  data: Type.Optional(Type.Unknown()),
  errors: Type.Optional(Type.Array(Type.Object({ path: Path }))),
});

async function sendQuery<Schema extends TSchema>(
  client: RestClient,
  request: { query: string; variables: object },
  schema: Schema,
  call: Call,
): Promise<Static<Schema>> {
  const response = await client.post(client.besideApi('/api/graphql'), request, Answer, call);
  const { data = null, errors = [] } = response?.data ?? {};
  if (data === null) throw invalid('a GraphQL query has errors and no data');
  return checkPayload(schema, data, 'graphql', call, failedParts(errors));
}

/** Finds the parts of the data that errors are about. */
function failedParts(errors: readonly { path?: readonly (string | number)[] }[]): Refusals {
  const failure = { reason: 'unreadable', explanation: '' } as const;
  return new Map(errors.map(({ path = [] }) => [toPointer(path), failure] as const));
}

const User = Type.Object({ id: Name, username: Name, name: orElse(Text, ''), avatarUrl: optionalText(), state: Text });
const CommitPayload = Type.Object({ sha: Name, authorEmail: Nullable(Text), author: Nullable(User) });
const CommitsPayload = Type.Object({
  project: Nullable(
    Type.Object({
      repository: Nullable(
        Type.Record(Type.String(), orElse(Nullable(Type.Object({ lastCommit: Nullable(CommitPayload) })), null)),
      ),
    }),
  ),
});

/**
 * Reads the authors of commits, except of commits that GitLab does not show. GitLab finds accounts by all their
 * addresses, including hidden ones.
 */
export async function readAuthors(
  client: RestClient,
  repository: Pick<KnownRepository, 'owner' | 'name'>,
  oids: readonly string[],
  call: Call,
): Promise<CommitOwners> {
  const owners: CommitOwners = new Map();
  const possible = oids.filter((oid) => /^[\da-f]{40,64}$/.test(oid));
  for (const some of inParts(possible, atOnce.commits)) {
    for (const { authorEmail, author } of await readCommits(client, repository, some, call)) {
      if (authorEmail) addOwner(owners, authorEmail, toAuthor(author));
    }
  }
  return owners;
}

type CommitPayload = Static<typeof CommitPayload>;

async function readCommits(
  client: RestClient,
  { owner, name }: Pick<KnownRepository, 'owner' | 'name'>,
  oids: readonly string[],
  call: Call,
): Promise<CommitPayload[]> {
  const commits = oids.map(
    (oid, index) =>
      `c${index}: tree(ref: "${oid}") { lastCommit { sha authorEmail author { id username name avatarUrl state } } }`,
  );
  const query = `query Authors($path: ID!) { project(fullPath: $path) { repository { ${commits.join(' ')} } } }`;
  const { project } = await sendQuery(client, { query, variables: { path: `${owner}/${name}` } }, CommitsPayload, call);
  return Object.values(project?.repository ?? {}).flatMap((tree) => {
    const commit = tree?.lastCommit;
    return commit && oids.includes(commit.sha) ? [commit] : [];
  });
}

function toAuthor(user: Static<typeof User> | null): Actor | null {
  const [, id] = /^gid:\/\/gitlab\/User\/(\d{1,15})$/.exec(user?.id ?? '') ?? [];
  if (user === null || id === undefined) return null;
  const { username, name, avatarUrl: avatar_url, state } = user;
  return toActor({ id: Number(id), username, name, avatar_url, state });
}

const SizesPayload = Type.Object({
  project: Nullable(
    Type.Object({
      mergeRequests: Nullable(
        Type.Object({
          nodes: describeItems(
            'merge request size',
            Type.Object({
              iid: Name,
              commitCount: orElse(Nullable(Count), null),
              diffStatsSummary: orElse(
                Nullable(Type.Object({ additions: Count, deletions: Count, fileCount: Count })),
                null,
              ),
            }),
          ),
        }),
      ),
    }),
  ),
});

export interface MergeRequestSize {
  additions: number | null;
  deletions: number | null;
  changedFiles: number | null;
  commits: number | null;
}

/** Reads the sizes of merge requests, by number. Merge requests whose size GitLab does not report are left out. */
export async function readSizes(
  client: RestClient,
  { owner, name }: Pick<KnownRepository, 'owner' | 'name'>,
  numbers: readonly number[],
  call: Call,
): Promise<Map<number, MergeRequestSize>> {
  const found = new Map<number, MergeRequestSize>();
  const query = `query Sizes($path: ID!, $iids: [String!], $first: Int) { project(fullPath: $path) {
    mergeRequests(iids: $iids, first: $first) { nodes {
      iid commitCount diffStatsSummary { additions deletions fileCount } } } } }`;
  for (const some of inParts(numbers, atOnce.mergeRequests)) {
    const variables = { path: `${owner}/${name}`, iids: some.map(String), first: some.length };
    const data = await sendQuery(client, { query, variables }, SizesPayload, call);
    for (const { iid, commitCount, diffStatsSummary: stats } of data.project?.mergeRequests?.nodes ?? []) {
      const { additions = null, deletions = null, fileCount: changedFiles = null } = stats ?? {};
      found.set(Number(iid), { additions, deletions, changedFiles, commits: commitCount });
    }
  }
  return found;
}

const LanguagesPayload = Type.Object({
  projects: Nullable(
    Type.Object({
      nodes: describeItems(
        'languages',
        Type.Object({
          id: Name,
          languages: orElse(Nullable(Type.Array(Type.Object({ name: Text, share: Nullable(Type.Number()) }))), null),
        }),
      ),
    }),
  ),
});

/** Reads the main language of each project, by id. Projects whose languages GitLab does not report are left out. */
export async function readLanguages(
  client: RestClient,
  projects: readonly Pick<ProjectPayload, 'id'>[],
  call: Call,
): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  const query = `query Languages($ids: [ID!], $first: Int) { projects(ids: $ids, first: $first) { nodes {
    id languages { name share } } } }`;
  for (const some of inParts(projects, atOnce.projects)) {
    const variables = { ids: some.map(({ id }) => `gid://gitlab/Project/${id}`), first: some.length };
    const data = await sendQuery(client, { query, variables }, LanguagesPayload, call).catch(unlessNotComputed);
    for (const { id, languages } of data?.projects?.nodes ?? []) {
      const [most] = (languages ?? []).toSorted((one, other) => (other.share ?? 0) - (one.share ?? 0));
      if (most !== undefined) found.set(Number(id.split('/').at(-1)), most.name);
    }
  }
  return found;
}

/** Returns null where GitLab fails to compute the response to a query. */
export function unlessNotComputed(error: unknown): null {
  if (error instanceof AppError && error.code === 'provider_invalid_response') return null;
  throw error;
}

function inParts<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, part) =>
    items.slice(part * size, (part + 1) * size),
  );
}

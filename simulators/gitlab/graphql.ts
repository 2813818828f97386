import { buildSchema, type DocumentNode, getOperationAST, graphql, Kind, parse, visit } from 'graphql';
import type { Account, Repository } from '../world/model.ts';
import { isPartShown, isVisible, type Reply, type ResponseContext } from './responses.ts';

/**
 * The GraphQL operations of the service, in the schema of https://docs.gitlab.com/api/graphql/reference/. An operation
 * that this schema lacks is an error, and so is one that is too complex.
 */
export const gitlabSchema = buildSchema(`
  type Query { project(fullPath: ID!): Project  projects(ids: [ID!], first: Int): ProjectConnection }
  type ProjectConnection { nodes: [Project] }
  type Project {
    id: ID!
    languages: [RepositoryLanguage!]
    repository: Repository
    mergeRequests(iids: [String!], first: Int): MergeRequestConnection
  }
  type RepositoryLanguage { name: String!  share: Float  color: String }
  type Repository { tree(path: String, ref: String): Tree }
  type Tree { lastCommit: Commit }
  type Commit { sha: String!  authorEmail: String  author: UserCore }
  type UserCore { id: ID!  username: String!  name: String!  avatarUrl: String  state: UserState! }
  enum UserState { active blocked banned }
  type MergeRequestConnection { nodes: [MergeRequest] }
  type MergeRequest { iid: String!  commitCount: Int  diffStatsSummary: DiffStatsSummary }
  type DiffStatsSummary { additions: Int!  deletions: Int!  changes: Int!  fileCount: Int! }
`);

/** https://docs.gitlab.com/api/graphql/#limits */
const limits = { complexity: 200, characters: 10_000 };
const costs: Record<string, number> = { lastCommit: 10, diffStatsSummary: 2, tree: 2 };

export async function executeGraphql(context: ResponseContext, body: string): Promise<Reply> {
  const { query, variables } = JSON.parse(body) as { query: string; variables: Record<string, unknown> };
  if (query.length > limits.characters) throw new Error('a GraphQL query is too long');
  if (toComplexity(parse(query)) > limits.complexity) throw new Error('a GraphQL query is too complex');
  const rootValue = {
    project: ({ fullPath }: { fullPath: string }) => {
      const found = named(context, fullPath);
      return found === undefined ? null : project(context, found);
    },
    projects: ({ ids, first }: { ids: string[]; first: number }) => ({
      nodes: ids
        .map((id) => context.world.repositoryById(Number(/^gid:\/\/gitlab\/Project\/(\d+)$/.exec(id)?.[1])))
        .filter((found) => found !== undefined && isVisible(context, found))
        .slice(0, first)
        .map((found) => found && project(context, found)),
    }),
  };
  const { data, errors } = await graphql({ schema: gitlabSchema, source: query, variableValues: variables, rootValue });
  if (errors !== undefined) throw new Error(`GraphQL: ${errors.map(({ message }) => message).join('; ')}`);
  return { status: 200, body: { data } };
}

/** Returns the name of the operation in a query, such as `graphql Authors`. */
export function operationName(query: string): string {
  return `graphql ${getOperationAST(parse(query))?.name?.value ?? 'unnamed'}`;
}

function named(context: ResponseContext, fullPath: string): Repository | undefined {
  const cut = fullPath.lastIndexOf('/');
  const found = context.world.repository(fullPath.slice(0, cut), fullPath.slice(cut + 1));
  return found !== undefined && isVisible(context, found) ? found : undefined;
}

function project(context: ResponseContext, repository: Repository) {
  const { commits, pullRequests, language } = repository;
  const less = { name: 'Shell', share: 1.5 };
  return {
    id: `gid://gitlab/Project/${repository.id}`,
    languages: language === null ? [] : [less, { name: language, share: 98.5 }],
    repository: isPartShown(context, repository, 'repository')
      ? {
          tree: ({ ref }: { ref: string }) => {
            const found = commits.find(({ oid }) => oid === ref);
            if (found === undefined) return null;
            const account = findAuthor(context, found.author.email);
            const author = account && {
              id: `gid://gitlab/User/${account.id}`,
              username: account.login,
              name: account.name ?? '',
              avatarUrl: `/uploads/-/system/user/avatar/${account.id}/avatar.png`,
              state: context.hidden.blocked.get(account.id) ?? 'active',
            };
            return { lastCommit: { sha: found.oid, authorEmail: found.author.email, author } };
          },
        }
      : null,
    mergeRequests: ({ iids, first }: { iids: string[]; first: number }) => ({
      nodes: pullRequests
        .filter(({ number }) => iids.includes(String(number)))
        .slice(0, first)
        .map(({ number, files, commitCount }) => ({
          iid: String(number),
          commitCount,
          diffStatsSummary: {
            additions: files.reduce((sum, { additions }) => sum + additions, 0),
            deletions: files.reduce((sum, { deletions }) => sum + deletions, 0),
            changes: 0,
            fileCount: files.length,
          },
        })),
    }),
  };
}

/** Finds the account of an address, including the address that GitLab gave to it. */
function findAuthor({ world, url }: ResponseContext, email: string): Account | null {
  const { hostname } = new URL(url);
  const byGeneratedAddress = world.accounts.find(
    (account) =>
      !account.isDeleted &&
      `${account.id}-${account.login}@users.noreply.${hostname}`.toLowerCase() === email.toLowerCase(),
  );
  return world.accountByEmail(email) ?? byGeneratedAddress ?? null;
}

function toComplexity(document: DocumentNode): number {
  let sum = 0;
  visit(document, {
    [Kind.FIELD]: ({ name }) => {
      sum += costs[name.value] ?? 1;
    },
  });
  return sum;
}

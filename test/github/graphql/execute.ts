import { schema as github } from '@octokit/graphql-schema';
import {
  buildSchema,
  type DocumentNode,
  execute,
  type GraphQLError,
  type GraphQLFieldResolver,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql';
import { accountFields } from './actors.ts';
import { commentFields, discussionCommentFields, reviewCommentFields } from './comments.ts';
import { commitFields } from './commits.ts';
import { type QueryCost, queryCost, type Variables } from './cost.ts';
import { discussionFields, issueFields } from './items.ts';
import { mutationFields } from './mutations.ts';
import { findNode } from './nodes.ts';
import { pullRequestFields, reviewFields } from './pull-requests.ts';
import { type Fields, notFound, type Question, type Teller } from './question.ts';
import { repositoryFields } from './repositories.ts';
import { search } from './search.ts';

const schema = buildSchema(github.idl, { assumeValid: true });
/** Documented: what a single query may ask for. */
const maxNodes = 500_000;

/** A query that can be executed, with what it will cost. */
export interface Prepared {
  document: DocumentNode;
  operation: OperationDefinitionNode;
  variables: Variables;
  cost: QueryCost;
}

/** What GitHub sends as the body of an answer. */
export interface GraphqlBody {
  data?: unknown;
  errors?: { type?: string; path?: readonly (string | number)[]; message: string }[];
}

/** @returns the body of a refusal for what is no valid query. */
export function prepare(request: {
  query: string;
  variables?: Variables | undefined;
  operationName?: string | undefined;
}): Prepared | GraphqlBody {
  const { variables = {} } = request;
  let document: DocumentNode;
  try {
    document = parse(request.query);
  } catch (error) {
    return { errors: [{ message: `Parse error: ${(error as Error).message}` }] };
  }
  const faults = validate(schema, document);
  if (faults.length > 0) return { errors: faults.map(toError) };
  const operation = getOperationAST(document, request.operationName);
  if (!operation) return { errors: [{ message: 'No operation was named.' }] };
  const cost = queryCost(document, operation, variables);
  if (cost.nodes > maxNodes) {
    const message = `This query requests up to ${cost.nodes} possible nodes which exceeds the maximum limit of ${maxNodes}.`;
    return { errors: [{ type: 'MAX_NODE_LIMIT_EXCEEDED', message }] };
  }
  return { document, operation, variables, cost };
}

/** @returns the body of the answer, and how much of heavy accounts it had to count. */
export async function answer(
  { document, operation, variables }: Prepared,
  from: Pick<Question, 'world' | 'viewer' | 'commenter' | 'origin' | 'rateLimit'>,
): Promise<{ body: GraphqlBody; load: number }> {
  const question: Question = { ...from, load: 0, tell: undefined as unknown as Teller };
  question.tell = tellerOf(question);
  const result = await execute({
    schema,
    document,
    operationName: operation.name?.value,
    variableValues: variables,
    rootValue: operation.operation === 'mutation' ? mutationFields(question) : rootFields(question),
    fieldResolver: resolveField,
    typeResolver: (value) => String((value as Fields)['__typename']),
  });
  const { data, errors } = result;
  return {
    body: { data, ...(errors && { errors: errors.map(toError) }) },
    load: question.load,
  };
}

/** A field that the simulator has no answer for is an error that names it, never a silent null. */
const resolveField: GraphQLFieldResolver<Fields, unknown> = (source, args, _context, info) => {
  const value = source[info.fieldName];
  if (value === undefined) throw new Error(`the simulator does not know ${info.parentType.name}.${info.fieldName}`);
  return typeof value === 'function' ? value(args) : value;
};

function toError(error: GraphQLError): NonNullable<GraphqlBody['errors']>[number] {
  const { type } = error.extensions;
  return {
    ...(typeof type === 'string' && { type }),
    ...(error.path && { path: error.path }),
    message: error.message,
  };
}

function tellerOf(question: Question): Teller {
  return {
    author: (id) => {
      const account = question.world.accountById(id);
      return account === undefined ? null : accountFields(question, account);
    },
    account: (account) => accountFields(question, account),
    repository: (repository) => repositoryFields(question, repository),
    commit: (repository, commit) => commitFields(question, repository, commit),
    issue: (repository, issue) => issueFields(question, repository, issue),
    pullRequest: (repository, pull) => pullRequestFields(question, repository, pull),
    review: (repository, pull, review) => reviewFields(question, repository, pull, review),
    comment: (repository, thread, comment) => commentFields(question, repository, thread, comment),
    reviewComment: (repository, pull, comment) => reviewCommentFields(question, repository, pull, comment),
    discussion: (repository, discussion) => discussionFields(question, repository, discussion),
    discussionComment: (repository, discussion, comment) =>
      discussionCommentFields(question, repository, discussion, comment),
  };
}

function rootFields(question: Question): Fields {
  const { world, viewer, tell } = question;
  const account = (login: string, types: readonly string[], what: string): Fields => {
    const found = world.accountByLogin(login);
    if (found === undefined || !types.includes(found.type)) {
      throw notFound(`Could not resolve to ${what} with the login of '${login}'.`);
    }
    return tell.account(found);
  };
  return {
    viewer: () => {
      const found = viewer.accountId === null ? undefined : world.accountById(viewer.accountId);
      if (found === undefined) throw notFound('There is no viewer.');
      return tell.account(found);
    },
    user: ({ login }: { login: string }) => account(login, ['User'], 'a User'),
    organization: ({ login }: { login: string }) => account(login, ['Organization'], 'an Organization'),
    repositoryOwner: ({ login }: { login: string }) => {
      const found = world.accountByLogin(login);
      // As on GitHub: no error, just nothing.
      return found?.type === 'User' || found?.type === 'Organization' ? tell.account(found) : null;
    },
    repository: ({ owner, name, followRenames }: { owner: string; name: string; followRenames?: boolean }) => {
      const found =
        world.repository(owner, name) ?? (followRenames === false ? undefined : world.formerly(owner, name));
      if (found === undefined || !world.canSee(viewer, found)) {
        throw notFound(`Could not resolve to a Repository with the name '${owner}/${name}'.`);
      }
      return tell.repository(found);
    },
    node: ({ id }: { id: string }) => findNode(question, id),
    // Of those that are not found each is null, with an error of its own.
    nodes: ({ ids }: { ids: string[] }) => ids.map((id) => foundOrError(() => findNode(question, id))),
    search: (args: Parameters<typeof search>[1]) => search(question, args),
    rateLimit: question.rateLimit,
  };
}

function foundOrError(find: () => Fields): Fields | Error {
  try {
    return find();
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

import {
  type DocumentNode,
  execute,
  type GraphQLError,
  type GraphQLFieldResolver,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql';
import type { Account, Repository } from '../../world/model.ts';
import type { Fault } from '../faults.ts';
import { accountFields } from './actors.ts';
import { commentFields, discussionCommentFields, reviewCommentFields } from './comments.ts';
import { commitFields } from './commits.ts';
import { type QueryCost, queryCost, type Variables } from './cost.ts';
import { fieldFailure } from './field-errors.ts';
import { type FieldRequest, type FieldResolver, type Fields, notFound } from './field-request.ts';
import { discussionFields, issueFields } from './items.ts';
import { mutationFields } from './mutations.ts';
import { findNode } from './nodes.ts';
import { pullRequestFields, reviewFields } from './pull-requests.ts';
import { repositoryFields } from './repositories.ts';
import { schema } from './schema.ts';
import { search } from './search.ts';

/** The documented limit of nodes in a single query. */
const maxNodes = 500_000;

/** A query that is ready to be executed, with its cost. */
export interface Prepared {
  document: DocumentNode;
  operation: OperationDefinitionNode;
  variables: Variables;
  cost: QueryCost;
}

/** The body of a response of GitHub. */
export interface GraphqlBody {
  data?: unknown;
  errors?: {
    type?: string;
    path?: readonly (string | number)[];
    extensions?: Record<string, unknown>;
    locations?: readonly { line: number; column: number }[];
    message: string;
  }[];
}

/** The state that decides about single fields during the execution of a query. */
interface Execution {
  fault: Fault | undefined;
  refusalOf: (accountId: number) => GraphQLError | undefined;
  /** Errors of fields that have a value nevertheless. */
  errors: GraphQLError[];
}

/** Prepares a query; returns the body of a refusal for an invalid one. */
export function prepare(request: {
  query: string;
  variables?: Variables | undefined;
  operationName?: string | undefined;
}): Prepared | GraphqlBody {
  const { variables = {} } = request;
  const document = checked(request.query);
  if (!('kind' in document)) return document;
  const operation = getOperationAST(document, request.operationName);
  if (!operation) return { errors: [{ message: 'No operation was named.' }] };
  const cost = queryCost(document, operation, variables);
  if (cost.nodes > maxNodes) {
    const message = `This query requests up to ${cost.nodes} possible nodes which exceeds the maximum limit of ${maxNodes}.`;
    return { errors: [{ type: 'MAX_NODE_LIMIT_EXCEEDED', message }] };
  }
  return { document, operation, variables, cost };
}

const maxChecked = 200;
const checkedTexts = new Map<string, DocumentNode>();

/** Parses and validates a query. The result is cached, because validation takes longer than execution. */
function checked(text: string): DocumentNode | GraphqlBody {
  const cached = checkedTexts.get(text);
  if (cached !== undefined) return cached;
  let document: DocumentNode;
  try {
    document = parse(text);
  } catch (error) {
    return { errors: [{ message: `Parse error: ${(error as Error).message}` }] };
  }
  const faults = validate(schema, document);
  if (faults.length > 0) return { errors: faults.map(toError) };
  if (checkedTexts.size >= maxChecked) checkedTexts.clear();
  checkedTexts.set(text, document);
  return document;
}

/**
 * Executes a query.
 * @returns the body of the response, and the number of contributions of heavy accounts that it counted.
 */
export async function executeQuery(
  { document, operation, variables }: Prepared,
  {
    fault,
    refusalOf,
    ...from
  }: Pick<FieldRequest, 'world' | 'viewer' | 'commenter' | 'origin' | 'rateLimit'> & Omit<Execution, 'errors'>,
): Promise<{ body: GraphqlBody; load: number }> {
  const context: FieldRequest = { ...from, load: 0, fieldsOf: undefined as unknown as FieldResolver };
  context.fieldsOf = toResolver(context);
  const execution: Execution = { fault, refusalOf, errors: [] };
  const result = await execute({
    schema,
    contextValue: execution,
    document,
    operationName: operation.name?.value,
    variableValues: variables,
    rootValue: operation.operation === 'mutation' ? mutationFields(context) : rootFields(context),
    fieldResolver: resolveField,
    typeResolver: (value) => String((value as Fields)['__typename']),
  });
  const errors = [...(result.errors ?? []), ...execution.errors];
  return {
    body: { data: result.data, ...(errors.length > 0 && { errors: errors.map(toError) }) },
    load: context.load,
  };
}

/** Resolves a field; a field that the simulator does not support is an error that names it, never a silent null. */
const resolveField: GraphQLFieldResolver<Fields, Execution> = (source, args, execution, info) => {
  const failure = fieldFailure(execution.fault, args, info);
  if (failure !== undefined) {
    if (!('value' in failure)) throw failure.error;
    execution.errors.push(failure.error);
    return failure.value;
  }
  const value = source[info.fieldName];
  if (value === undefined) throw new Error(`the simulator does not know ${info.parentType.name}.${info.fieldName}`);
  const resolved: unknown = typeof value === 'function' ? value(args) : value;
  // graphql-js treats an error inside a list as the failure of one element.
  if (Array.isArray(resolved)) return resolved.map((element: unknown) => refusalFor(element, execution) ?? element);
  return refusalFor(resolved, execution) ?? resolved;
};

/** Ids of the accounts that own an object or its repository. */
const owners = new WeakMap<object, number>();

function refusalFor(value: unknown, { refusalOf }: Execution): GraphQLError | undefined {
  const owner = typeof value === 'object' && value !== null ? owners.get(value) : undefined;
  return owner === undefined ? undefined : refusalOf(owner);
}

function toError(error: GraphQLError): NonNullable<GraphqlBody['errors']>[number] {
  const { type, ...extensions } = error.extensions;
  return {
    ...(typeof type === 'string' && { type }),
    ...(error.path && { path: error.path }),
    ...(Object.keys(extensions).length > 0 && { extensions }),
    ...(error.locations && { locations: error.locations }),
    message: error.message,
  };
}

function inside({ ownerId }: Repository, fields: Fields): Fields {
  owners.set(fields, ownerId);
  return fields;
}

function toResolver(context: FieldRequest): FieldResolver {
  const fieldsOfAccount = (account: Account): Fields => {
    const fields = accountFields(context, account);
    if (account.type === 'Organization') owners.set(fields, account.id);
    return fields;
  };
  return {
    author: (id) => {
      const account = context.world.accountById(id);
      return account === undefined ? null : fieldsOfAccount(account);
    },
    account: fieldsOfAccount,
    repository: (repository) => inside(repository, repositoryFields(context, repository)),
    commit: (repository, commit) => inside(repository, commitFields(context, repository, commit)),
    issue: (repository, issue) => inside(repository, issueFields(context, repository, issue)),
    pullRequest: (repository, pull) => inside(repository, pullRequestFields(context, repository, pull)),
    review: (repository, pull, review) => inside(repository, reviewFields(context, repository, pull, review)),
    comment: (repository, thread, comment) => inside(repository, commentFields(context, repository, thread, comment)),
    reviewComment: (repository, pull, comment) =>
      inside(repository, reviewCommentFields(context, repository, pull, comment)),
    discussion: (repository, discussion) => inside(repository, discussionFields(context, repository, discussion)),
    discussionComment: (repository, discussion, comment) =>
      inside(repository, discussionCommentFields(context, repository, discussion, comment)),
  };
}

function rootFields(context: FieldRequest): Fields {
  const { world, viewer, fieldsOf } = context;
  const account = (login: string, types: readonly string[], kind: string): Fields => {
    const found = world.accountByLogin(login);
    if (found === undefined || !types.includes(found.type)) {
      throw notFound(`Could not resolve to ${kind} with the login of '${login}'.`);
    }
    return fieldsOf.account(found);
  };
  return {
    viewer: () => {
      const found = viewer.accountId === null ? undefined : world.accountById(viewer.accountId);
      if (found === undefined) throw notFound('There is no viewer.');
      return fieldsOf.account(found);
    },
    user: ({ login }: { login: string }) => account(login, ['User'], 'a User'),
    organization: ({ login }: { login: string }) => account(login, ['Organization'], 'an Organization'),
    repositoryOwner: ({ login }: { login: string }) => {
      const found = world.accountByLogin(login);
      // GitHub returns null without an error here.
      return found?.type === 'User' || found?.type === 'Organization' ? fieldsOf.account(found) : null;
    },
    repository: ({ owner, name, followRenames }: { owner: string; name: string; followRenames?: boolean }) => {
      const found =
        world.repository(owner, name) ??
        (followRenames === false ? undefined : world.repositoryByFormerName(owner, name));
      if (found === undefined || !world.canSee(viewer, found)) {
        throw notFound(`Could not resolve to a Repository with the name '${owner}/${name}'.`);
      }
      return fieldsOf.repository(found);
    },
    node: ({ id }: { id: string }) => findNode(context, id),
    // Each node that is not found is null, with an error of its own.
    nodes: ({ ids }: { ids: string[] }) => ids.map((id) => foundOrError(() => findNode(context, id))),
    search: (args: Parameters<typeof search>[1]) => search(context, args),
    rateLimit: context.rateLimit,
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

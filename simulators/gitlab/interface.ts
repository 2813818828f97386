import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import {
  Award,
  Count,
  Diff,
  exactly,
  Flag,
  Group,
  Issue,
  Member,
  MergeRequest,
  Moment,
  Note,
  optional,
  Profile,
  Project,
  paging,
  parameters,
  Revision,
  sort,
  Text,
  User,
  Whole,
} from './shapes.ts';

/**
 * The endpoints of GitLab that the service calls, written by hand from the published documentation, because GitLab's
 * own description (https://docs.gitlab.com/api/openapi/) lacks parameters and responses of several of them. Every
 * request and response of the simulated GitLab must match: an unknown path, parameter, value or field fails the test.
 */

const listOfAll = parameters({
  ...paging,
  scope: Type.Enum(['all']),
  author_id: Whole,
  state: optional(Type.Enum(['opened', 'closed', 'locked', 'merged', 'all'])),
});
const inProject = {
  ...paging,
  scope: optional(Type.Enum(['all'])),
  order_by: optional(Type.Enum(['created_at', 'updated_at'])),
  sort,
  created_after: optional(Moment),
  updated_after: optional(Moment),
  updated_before: optional(Moment),
};
const inGroup = {
  ...paging,
  scope: Type.Enum(['all']),
  updated_after: optional(Moment),
};
const notes = parameters({ ...paging, order_by: optional(Type.Enum(['created_at', 'updated_at'])), sort });
const projects = { ...paging, order_by: optional(Type.Enum(['id', 'name', 'created_at'])), sort };

interface Endpoint {
  query: TObject;
  response: TSchema;
}

const list = (query: TObject, item: TSchema): Endpoint => ({ query, response: Type.Array(item) });
const single = (query: TObject, response: TSchema): Endpoint => ({ query, response });
const noParameters = parameters({});

const endpoints = {
  /** https://docs.gitlab.com/api/metadata/ */
  '/metadata': single(noParameters, exactly({ version: Text, revision: Text, enterprise: Type.Boolean() })),
  '/user': single(noParameters, Profile),
  /** https://docs.gitlab.com/api/personal_access_tokens/#self-inform */
  '/personal_access_tokens/self': single(
    noParameters,
    exactly({
      id: Count,
      name: Text,
      revoked: Type.Boolean(),
      created_at: Moment,
      scopes: Type.Array(Text),
      user_id: Count,
      last_used_at: Moment,
      active: Type.Boolean(),
      expires_at: Type.Union([Text, Type.Null()]),
    }),
  ),
  '/users': list(parameters({ ...paging, username: Text }), User),
  '/users/:id': single(noParameters, Profile),
  '/users/:user_id/projects': list(parameters(projects), Project),
  '/groups/:id': single(parameters({ with_projects: optional(Flag) }), Group),
  '/groups/:id/projects': list(
    parameters({ ...projects, include_subgroups: optional(Flag), with_shared: optional(Flag) }),
    Project,
  ),
  '/groups/:id/issues': list(
    parameters({ ...inGroup, state: optional(Type.Enum(['opened', 'closed', 'all'])) }),
    Issue,
  ),
  '/groups/:id/merge_requests': list(
    parameters({ ...inGroup, state: optional(Type.Enum(['opened', 'closed', 'locked', 'merged', 'all'])) }),
    MergeRequest,
  ),
  '/groups/:id/members': list(parameters({ ...paging }), Member),
  '/groups/:id/members/all/:user_id': single(noParameters, Member),
  '/projects/:id/members/all/:user_id': single(noParameters, Member),
  '/issues': list(listOfAll, Issue),
  '/merge_requests': list(listOfAll, MergeRequest),
  '/projects/:id': single(parameters({ statistics: optional(Flag) }), Project),
  '/projects/:id/issues': list(
    parameters({
      ...inProject,
      state: optional(Type.Enum(['opened', 'closed', 'all'])),
      confidential: optional(Flag),
      search: optional(Text),
      in: optional(Type.Enum(['title', 'description', 'title,description'])),
    }),
    Issue,
  ),
  '/projects/:id/issues/:iid': single(noParameters, Issue),
  '/projects/:id/merge_requests': list(
    parameters({ ...inProject, state: optional(Type.Enum(['opened', 'closed', 'locked', 'merged', 'all'])) }),
    MergeRequest,
  ),
  '/projects/:id/issues/:iid/closed_by': list(parameters(paging), MergeRequest),
  '/projects/:id/issues/:iid/notes': list(notes, Note),
  '/projects/:id/merge_requests/:iid/notes': list(notes, Note),
  '/projects/:id/issues/:iid/award_emoji': list(parameters(paging), Award),
  '/projects/:id/merge_requests/:iid/award_emoji': list(parameters(paging), Award),
  '/projects/:id/issues/:iid/notes/:note_id/award_emoji': list(parameters(paging), Award),
  '/projects/:id/merge_requests/:iid/notes/:note_id/award_emoji': list(parameters(paging), Award),
  '/projects/:id/merge_requests/:iid/diffs': list(parameters(paging), Diff),
  /** https://docs.gitlab.com/api/project_starring/#list-users-who-starred-a-project */
  '/projects/:id/starrers': list(parameters(paging), exactly({ starred_since: Moment, user: User })),
  /** https://docs.gitlab.com/api/commits/ */
  '/projects/:id/repository/commits/:sha': single(
    parameters({ stats: optional(Flag) }),
    exactly({
      id: Revision,
      title: Text,
      author_name: Text,
      author_email: Text,
      created_at: Moment,
      stats: exactly({ additions: Count, deletions: Count, total: Count }),
    }),
  ),
  '/projects/:id/repository/commits/:sha/diff': list(parameters(paging), Diff),
  /** https://docs.gitlab.com/api/branches/ */
  '/projects/:id/repository/branches/:branch': single(
    noParameters,
    exactly({ name: Text, default: Type.Boolean(), commit: exactly({ id: Revision, title: Text }) }),
  ),
  /** https://docs.gitlab.com/api/repository_files/ */
  '/projects/:id/repository/files/:path': single(
    parameters({ ref: Text }),
    exactly({
      file_name: Text,
      file_path: Text,
      size: Count,
      encoding: Type.Enum(['base64']),
      content: Text,
      ref: Text,
      blob_id: Revision,
      commit_id: Revision,
    }),
  ),
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;

export const endpointNames = Object.keys(endpoints) as EndpointName[];

/** Returns the schema of the response of an endpoint. */
export function responseSchema(name: string): TSchema | undefined {
  return endpointNames.includes(name as EndpointName) ? endpoints[name as EndpointName].response : undefined;
}

/** Returns the names of all parameters of an endpoint. */
export function listParameters(name: EndpointName): string[] {
  return Object.keys(endpoints[name].query.properties);
}

/** Endpoints that write. */
const writing = {
  /** https://docs.gitlab.com/api/notes/#create-an-issue-note */
  '/projects/:id/issues/:iid/notes': { body: exactly({ body: Type.String({ minLength: 1 }) }), response: Note },
} as const satisfies { [Name in EndpointName]?: { body: TObject; response: TSchema } };

type WritingName = keyof typeof writing;

const patterns = Object.keys(endpoints)
  // Literal path segments take precedence over parameters.
  .toSorted((left, right) => left.split(':').length - right.split(':').length)
  .map((name) => ({
    name: name as EndpointName,
    pattern: new RegExp(`^${name.replace(/:\w+/g, '([^/]+)')}$`),
  }));

/** A request, split into the endpoint of the documentation and the values of its parameters. */
export interface Described {
  name: EndpointName;
  parameters: string[];
  /** The body of a write; undefined for a read. */
  writtenBody?: Static<(typeof writing)[WritingName]['body']>;
}

/** Finds the endpoint of a request. @throws Error for a request that the documentation does not know. */
export function checkRequest(method: string, path: string, query: URLSearchParams, body?: unknown): Described {
  const endpoint = patterns.find(({ pattern }) => pattern.test(path));
  if (!['GET', 'POST'].includes(method) || endpoint === undefined)
    throw new Error(`${method} ${path} is not in the interface`);
  const { name, pattern } = endpoint;
  const described = { name, parameters: (pattern.exec(path)?.slice(1) ?? []).map(decodeURIComponent) };
  if (method === 'POST') {
    if (!isWriting(name) || query.size > 0) throw new Error(`${method} ${path} is not in the interface`);
    const schema = writing[name].body;
    expect(`${method} ${name}`, schema, body);
    return { ...described, writtenBody: Value.Parse(schema, body) };
  }
  expect(`${name}?${query.toString()}`, endpoints[name].query, Object.fromEntries(query));
  return described;
}

function isWriting(name: EndpointName): name is WritingName {
  return name in writing;
}

function expect(subject: string, schema: TSchema, value: unknown): void {
  const [fault] = Value.Errors(schema, value);
  if (fault !== undefined) throw new Error(`${subject}: ${fault.instancePath} ${fault.message}`);
}

/** Checks a response. @throws Error for a response that GitLab could not send. */
export function checkResponse({ name, writtenBody }: Described, body: unknown): void {
  expect(name, writtenBody !== undefined && isWriting(name) ? writing[name].response : endpoints[name].response, body);
}

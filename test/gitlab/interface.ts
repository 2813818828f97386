import { type TObject, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';

/**
 * GitLab's interface, as far as the service asks it: written by hand from its published documentation, for its own description
 * (https://docs.gitlab.com/api/openapi/) lacks the parameters and answers of several of these. Every request and every answer
 * of the simulated GitLab must fit: an unknown path, parameter or value, and a field that no documentation names, fails the test.
 */

const Whole = Type.String({ pattern: '^\\d{1,9}$' });
const Flag = Type.Enum(['true', 'false']);
const Moment = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{3})?Z$' });
const Revision = Type.String({ pattern: '^[\\da-f]{40}$' });
const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);
const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const exactly = <Properties extends Record<string, TSchema>>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });
const parameters = <Properties extends Record<string, TSchema>>(properties: Properties) => exactly(properties);

const Text = Type.String();
const Id = Type.Integer({ minimum: 1 });
const Count = Type.Integer({ minimum: 0 });
const paging = {
  page: optional(Whole),
  per_page: optional(Type.String({ pattern: '^(?:[1-9]|[1-9]\\d|100)$' })),
};
const sort = optional(Type.Enum(['asc', 'desc']));

/** https://docs.gitlab.com/api/users/#list-users */
const User = exactly({
  id: Id,
  username: Text,
  name: Text,
  state: Type.Enum(['active', 'blocked']),
  locked: Type.Boolean(),
  avatar_url: nullable(Text),
  web_url: Text,
});
/** https://docs.gitlab.com/api/users/#get-a-single-user. Times and followers are told of public profiles alone. */
const Profile = exactly({
  ...User.properties,
  created_at: optional(Moment),
  bio: nullable(Text),
  location: nullable(Text),
  public_email: nullable(Text),
  linkedin: Text,
  twitter: Text,
  discord: Text,
  website_url: Text,
  organization: nullable(Text),
  job_title: Text,
  pronouns: nullable(Text),
  bot: Type.Boolean(),
  work_information: nullable(Text),
  followers: optional(Count),
  following: optional(Count),
  is_followed: optional(Type.Boolean()),
  local_time: nullable(Text),
});
/** https://docs.gitlab.com/api/groups/#get-a-single-group */
const Group = exactly({
  id: Id,
  web_url: Text,
  name: Text,
  path: Text,
  description: nullable(Text),
  visibility: Type.Enum(['public', 'internal', 'private']),
  avatar_url: nullable(Text),
  request_access_enabled: Type.Boolean(),
  full_name: Text,
  full_path: Text,
  created_at: Moment,
  parent_id: nullable(Id),
});
/** https://docs.gitlab.com/api/members/ */
const Member = exactly({
  ...User.properties,
  access_level: Type.Enum([5, 10, 15, 20, 30, 40, 50]),
  expires_at: nullable(Text),
  created_at: Moment,
  membership_state: Type.Enum(['active', 'awaiting']),
});
const Namespace = exactly({
  id: Id,
  name: Text,
  path: Text,
  kind: Type.Enum(['user', 'group']),
  full_path: Text,
  parent_id: nullable(Id),
  avatar_url: nullable(Text),
  web_url: Text,
});
const AccessLevel = Type.Enum(['disabled', 'private', 'enabled']);
/** https://docs.gitlab.com/api/projects/. Who is not signed in is told what comes first alone. */
const stranger = {
  id: Id,
  description: nullable(Text),
  name: Text,
  name_with_namespace: Text,
  path: Text,
  path_with_namespace: Text,
  created_at: Moment,
  default_branch: optional(nullable(Text)),
  topics: Type.Array(Text),
  http_url_to_repo: Text,
  web_url: Text,
  forks_count: Count,
  avatar_url: nullable(Text),
  star_count: Count,
  last_activity_at: Moment,
  namespace: Namespace,
};
const Project = exactly({
  ...stranger,
  empty_repo: optional(Type.Boolean()),
  archived: optional(Type.Boolean()),
  visibility: optional(Type.Enum(['public', 'internal', 'private'])),
  open_issues_count: optional(Count),
  forked_from_project: optional(exactly(stranger)),
  mr_default_target_self: optional(Type.Boolean()),
  issues_access_level: optional(AccessLevel),
  merge_requests_access_level: optional(AccessLevel),
  repository_access_level: optional(AccessLevel),
  statistics: optional(exactly({ commit_count: Count, storage_size: Count, repository_size: Count })),
});
const item = {
  id: Id,
  iid: Id,
  project_id: Id,
  title: Text,
  description: nullable(Text),
  created_at: Moment,
  updated_at: Moment,
  closed_at: nullable(Moment),
  closed_by: nullable(User),
  labels: Type.Array(Text),
  author: User,
  assignees: Type.Array(User),
  user_notes_count: Count,
  upvotes: Count,
  downvotes: Count,
  web_url: Text,
};
/** https://docs.gitlab.com/api/issues/#list-project-issues */
const Issue = exactly({
  ...item,
  state: Type.Enum(['opened', 'closed']),
  confidential: Type.Boolean(),
  issue_type: Type.Enum(['issue', 'incident', 'test_case', 'task']),
});
/** https://docs.gitlab.com/api/merge_requests/#list-project-merge-requests */
const MergeRequest = exactly({
  ...item,
  state: Type.Enum(['opened', 'closed', 'locked', 'merged']),
  draft: Type.Boolean(),
  merged_at: nullable(Moment),
  merge_user: nullable(User),
  reviewers: Type.Array(User),
});
/** https://docs.gitlab.com/api/notes/ */
const Note = exactly({
  id: Id,
  type: nullable(Type.Enum(['DiscussionNote', 'DiffNote'])),
  body: Text,
  author: User,
  created_at: Moment,
  updated_at: Moment,
  system: Type.Boolean(),
  noteable_id: Id,
  noteable_type: Type.Enum(['Issue', 'MergeRequest']),
  noteable_iid: Id,
  project_id: Id,
  resolvable: Type.Boolean(),
  confidential: Type.Boolean(),
  internal: Type.Boolean(),
});
/** https://docs.gitlab.com/api/emoji_reactions/ */
const Award = exactly({
  id: Id,
  name: Text,
  user: User,
  created_at: Moment,
  updated_at: Moment,
  awardable_id: Id,
  awardable_type: Type.Enum(['Issue', 'MergeRequest', 'Note']),
});
const Diff = exactly({
  old_path: Text,
  new_path: Text,
  new_file: Type.Boolean(),
  renamed_file: Type.Boolean(),
  deleted_file: Type.Boolean(),
  diff: Text,
});

const everybodys = parameters({
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
const notes = parameters({ ...paging, order_by: optional(Type.Enum(['created_at', 'updated_at'])), sort });
const projects = { ...paging, order_by: optional(Type.Enum(['id', 'name', 'created_at'])), sort };

interface Endpoint {
  query: TObject;
  answer: TSchema;
}

const list = (query: TObject, one: TSchema): Endpoint => ({ query, answer: Type.Array(one) });
const single = (query: TObject, answer: TSchema): Endpoint => ({ query, answer });
const nothing = parameters({});

const endpoints = {
  '/version': single(nothing, exactly({ version: Text, revision: Text })),
  '/user': single(nothing, Profile),
  '/users': list(parameters({ ...paging, username: Text }), User),
  '/users/:id': single(nothing, Profile),
  '/users/:user_id/projects': list(parameters(projects), Project),
  '/groups/:id': single(parameters({ with_projects: optional(Flag) }), Group),
  '/groups/:id/projects': list(
    parameters({ ...projects, include_subgroups: optional(Flag), with_shared: optional(Flag) }),
    Project,
  ),
  '/groups/:id/members/all/:user_id': single(nothing, Member),
  '/issues': list(everybodys, Issue),
  '/merge_requests': list(everybodys, MergeRequest),
  '/projects/:id': single(parameters({ statistics: optional(Flag) }), Project),
  '/projects/:id/issues': list(
    parameters({ ...inProject, state: optional(Type.Enum(['opened', 'closed', 'all'])), confidential: optional(Flag) }),
    Issue,
  ),
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
    nothing,
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

const patterns = Object.keys(endpoints)
  // What is written out comes before what a parameter stands for.
  .toSorted((one, other) => one.split(':').length - other.split(':').length)
  .map((name) => ({
    name: name as EndpointName,
    pattern: new RegExp(`^${name.replace(/:\w+/g, '([^/]+)')}$`),
  }));

/** A request, told apart into what the description writes and what stands for its parameters. */
export interface Described {
  name: EndpointName;
  parameters: string[];
}

/** @throws Error for a request that the documentation does not know. */
export function checkRequest(method: string, path: string, query: URLSearchParams): Described {
  const known = patterns.find(({ pattern }) => pattern.test(path));
  if (method !== 'GET' || known === undefined) throw new Error(`${method} ${path} is not in the interface`);
  const given = Object.fromEntries(query);
  const [fault] = Value.Errors(endpoints[known.name].query, given);
  if (fault !== undefined) throw new Error(`${known.name}?${query}: ${fault.instancePath} ${fault.message}`);
  return { name: known.name, parameters: (known.pattern.exec(path)?.slice(1) ?? []).map(decodeURIComponent) };
}

/** @throws Error for an answer that GitLab could not give. */
export function checkAnswer(name: EndpointName, body: unknown): void {
  const [fault] = Value.Errors(endpoints[name].answer, body);
  if (fault !== undefined) throw new Error(`${name}: ${fault.instancePath} ${fault.message}`);
}

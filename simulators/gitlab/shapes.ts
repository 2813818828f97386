import { type TSchema, Type } from 'typebox';

/** Types of GitLab's payloads, from its documentation; see `interface.ts`. */

export const Whole = Type.String({ pattern: '^\\d{1,9}$' });
export const Flag = Type.Enum(['true', 'false']);
export const Moment = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{3})?Z$' });
export const Revision = Type.String({ pattern: '^[\\da-f]{40}$' });
export const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);
const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
export const exactly = <Properties extends Record<string, TSchema>>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });
export const parameters = <Properties extends Record<string, TSchema>>(properties: Properties) => exactly(properties);

export const Text = Type.String();
const Id = Type.Integer({ minimum: 1 });
export const Count = Type.Integer({ minimum: 0 });
export const paging = {
  page: optional(Whole),
  per_page: optional(Type.String({ pattern: '^(?:[1-9]|[1-9]\\d|100)$' })),
};
export const sort = optional(Type.Enum(['asc', 'desc']));

/** https://docs.gitlab.com/api/users/#list-users */
export const User = exactly({
  id: Id,
  username: Text,
  name: Text,
  // gitlabhq/gitlabhq, app/graphql/types/user_state_enum.rb
  state: Type.Enum(['active', 'blocked', 'deactivated', 'banned', 'ldap_blocked', 'blocked_pending_approval']),
  locked: Type.Boolean(),
  avatar_url: nullable(Text),
  web_url: Text,
});
/** https://docs.gitlab.com/api/users/#get-a-single-user. Only public profiles show times and followers. */
export const Profile = exactly({
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
export const Group = exactly({
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
export const Member = exactly({
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
/** https://docs.gitlab.com/api/projects/. Callers who are not signed in get only these first fields. */
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
export const Project = exactly({
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
  /** The owner, which only projects outside groups have. */
  owner: optional(User),
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
export const Issue = exactly({
  ...item,
  state: Type.Enum(['opened', 'closed']),
  confidential: Type.Boolean(),
  issue_type: Type.Enum(['issue', 'incident', 'test_case', 'task']),
});
/** https://docs.gitlab.com/api/merge_requests/#list-project-merge-requests */
export const MergeRequest = exactly({
  ...item,
  state: Type.Enum(['opened', 'closed', 'locked', 'merged']),
  draft: Type.Boolean(),
  merged_at: nullable(Moment),
  merge_user: nullable(User),
  reviewers: Type.Array(User),
});
/** https://docs.gitlab.com/api/notes/ */
export const Note = exactly({
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
export const Award = exactly({
  id: Id,
  name: Text,
  user: User,
  created_at: Moment,
  updated_at: Moment,
  awardable_id: Id,
  awardable_type: Type.Enum(['Issue', 'MergeRequest', 'Note']),
});
export const Diff = exactly({
  old_path: Text,
  new_path: Text,
  new_file: Type.Boolean(),
  renamed_file: Type.Boolean(),
  deleted_file: Type.Boolean(),
  diff: Text,
});

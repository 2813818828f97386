import { type Static, type TSchema, Type } from 'typebox';

/**
 * Shapes of just those fields of GitLab's answers that are used, as https://docs.gitlab.com/api/rest/ describes them. More may
 * come; less, or others, is an error. What only some versions, or only those who are signed in, are told is optional.
 */

export const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const Text = Type.String();
const Count = Type.Integer({ minimum: 0 });
const Id = Type.Integer({ minimum: 1 });
const Time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d' });

/**
 * An account as everything mentions it. https://docs.gitlab.com/api/users/; `state` is in gitlabhq/gitlabhq,
 * lib/api/entities/user_basic.rb.
 */
export const UserPayload = Type.Object({
  id: Id,
  username: Text,
  name: Text,
  avatar_url: Nullable(Text),
  state: Type.Optional(Text),
});
export type UserPayload = Static<typeof UserPayload>;
export const UsersPayload = Type.Array(UserPayload);

const OptionalText = Type.Optional(Nullable(Text));

/**
 * The account itself. Of a private profile, or a blocked account, followers are told only to the user and to administrators,
 * the latter with `private_profile`: gitlabhq/gitlabhq, lib/api/entities/user.rb and app/policies/user_policy.rb.
 */
export const ProfilePayload = Type.Object({
  ...UserPayload.properties,
  bio: OptionalText,
  website_url: OptionalText,
  twitter: OptionalText,
  linkedin: OptionalText,
  bot: Type.Optional(Nullable(Type.Boolean())),
  private_profile: Type.Optional(Nullable(Type.Boolean())),
  followers: Type.Optional(Nullable(Count)),
  following: Type.Optional(Nullable(Count)),
});
export type ProfilePayload = Static<typeof ProfilePayload>;

/** https://docs.gitlab.com/api/groups/ */
export const GroupPayload = Type.Object({
  id: Id,
  name: Text,
  full_path: Text,
  description: Nullable(Text),
  visibility: Text,
  avatar_url: Nullable(Text),
});
export type GroupPayload = Static<typeof GroupPayload>;

/** https://docs.gitlab.com/api/members/ */
export const MemberPayload = Type.Object({
  id: Id,
  access_level: Count,
  membership_state: Type.Optional(Text),
});

/** `disabled`, `private` (its members alone see it) or `enabled`. */
const AccessLevel = Type.Optional(Text);

/** https://docs.gitlab.com/api/projects/. Strangers are told the first half alone. */
export const ProjectPayload = Type.Object({
  id: Id,
  path: Text,
  description: Nullable(Text),
  namespace: Type.Object({ id: Id, full_path: Text }),
  /** Of what belongs to no group. */
  owner: Type.Optional(Nullable(Type.Object({ id: Id }))),
  star_count: Count,
  forks_count: Type.Optional(Count),
  default_branch: OptionalText,
  last_activity_at: Time,
  visibility: Type.Optional(Text),
  empty_repo: Type.Optional(Type.Boolean()),
  open_issues_count: Type.Optional(Count),
  /** Of a fork of what may be seen; the other of each fork. */
  forked_from_project: Type.Optional(Nullable(Type.Object({}))),
  mr_default_target_self: Type.Optional(Type.Boolean()),
  issues_access_level: AccessLevel,
  merge_requests_access_level: AccessLevel,
  repository_access_level: AccessLevel,
  /** For those who may report issues, when it is asked for. */
  statistics: Type.Optional(Nullable(Type.Object({ commit_count: Count }))),
});
export type ProjectPayload = Static<typeof ProjectPayload>;
export const ProjectsPayload = Type.Array(ProjectPayload);

const Item = {
  id: Id,
  iid: Id,
  author: Nullable(UserPayload),
  assignees: Type.Optional(Nullable(Type.Array(UserPayload))),
  labels: Type.Array(Text),
  state: Text,
  created_at: Time,
  updated_at: Time,
  closed_at: Type.Optional(Nullable(Time)),
};

/** https://docs.gitlab.com/api/issues/ */
export const IssuePayload = Type.Object({
  ...Item,
  closed_by: Type.Optional(Nullable(UserPayload)),
  confidential: Type.Boolean(),
  user_notes_count: Count,
});
export type IssuePayload = Static<typeof IssuePayload>;
export const IssuesPayload = Type.Array(IssuePayload);

/** An issue as a place for comments. */
export const TitledPayload = Type.Object({ iid: Id, title: Text, state: Text, confidential: Type.Boolean() });
export type TitledPayload = Static<typeof TitledPayload>;

/** https://docs.gitlab.com/api/merge_requests/ */
export const MergeRequestPayload = Type.Object({
  ...Item,
  merged_at: Nullable(Time),
  reviewers: Type.Optional(Nullable(Type.Array(UserPayload))),
});
export type MergeRequestPayload = Static<typeof MergeRequestPayload>;
export const MergeRequestsPayload = Type.Array(MergeRequestPayload);

/** https://docs.gitlab.com/api/notes/: comments, and what the host itself notes of what happened. */
export const NotePayload = Type.Object({
  id: Id,
  /** `DiffNote` at a line of the changes. */
  type: Type.Optional(Nullable(Text)),
  body: Text,
  author: Nullable(UserPayload),
  system: Type.Boolean(),
  created_at: Time,
  updated_at: Time,
  /** For members alone; the other is the older name. */
  internal: Type.Optional(Type.Boolean()),
  confidential: Type.Optional(Nullable(Type.Boolean())),
});
export type NotePayload = Static<typeof NotePayload>;
export const NotesPayload = Type.Array(NotePayload);

/** https://docs.gitlab.com/api/emoji_reactions/ */
export const AwardPayload = Type.Object({ name: Text, user: Nullable(UserPayload) });
export type AwardPayload = Static<typeof AwardPayload>;
export const AwardsPayload = Type.Array(AwardPayload);

export const StarrersPayload = Type.Array(Type.Object({ starred_since: Time, user: UserPayload }));
export const IdentifiedPayload = Type.Array(Type.Object({ id: Id }));
export const VersionPayload = Type.Object({ version: Text });

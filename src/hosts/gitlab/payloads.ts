import { type Static, Type } from 'typebox';
import {
  Count,
  ExactName,
  Id,
  ItemNumber,
  Name,
  Nullable,
  optionalText,
  optionalTime,
  Text,
  Time,
} from '../http/checks.ts';
import { describeItems, optional, orElse, orElseUncounted } from '../http/tolerant.ts';

/**
 * Shapes of the fields of GitLab's responses that are used, as https://docs.gitlab.com/api/rest/ describes them.
 * Responses have more fields. A field without a mark is required (see `http/tolerant.ts`). Fields that some versions
 * leave out, or that only signed-in readers get, are optional.
 */

/**
 * An account in any response. https://docs.gitlab.com/api/users/; `state` is in gitlabhq/gitlabhq,
 * lib/api/entities/user_basic.rb.
 */
export const UserPayload = Type.Object({
  id: Id,
  username: Name,
  name: orElse(Text, ''),
  avatar_url: optionalText(),
  state: Type.Optional(Text),
});
export type UserPayload = Static<typeof UserPayload>;
export const UsersPayload = describeItems('account', UserPayload);
/** The author of an item; null where there is none. */
const AuthorPayload = Nullable(UserPayload);
const PeoplePayload = optional(Nullable(Type.Array(orElse(Nullable(UserPayload), null))));

const OptionalText = optional(Nullable(Text));

/** An unknown visibility counts as private. */
const Visibility = orElse(
  Type.Union([Type.Literal('public'), Type.Literal('internal'), Type.Literal('private')]),
  'private',
);

/**
 * The profile of an account. GitLab shows the followers of a private profile, or of a blocked account, only to the user
 * and to administrators, to the latter with `private_profile`: gitlabhq/gitlabhq, lib/api/entities/user.rb and
 * app/policies/user_policy.rb.
 */
export const ProfilePayload = Type.Object({
  ...UserPayload.properties,
  username: ExactName,
  bio: OptionalText,
  website_url: OptionalText,
  twitter: OptionalText,
  linkedin: OptionalText,
  bot: optional(Nullable(Type.Boolean())),
  private_profile: Type.Optional(Nullable(Type.Boolean())),
  // Absent where the profile is private.
  followers: optional(Nullable(Count)),
  following: optional(Nullable(Count)),
});
export type ProfilePayload = Static<typeof ProfilePayload>;

/** https://docs.gitlab.com/api/groups/ */
export const GroupPayload = Type.Object({
  id: Id,
  name: orElse(Text, ''),
  full_path: ExactName,
  description: optionalText(),
  visibility: Visibility,
  avatar_url: optionalText(),
});
export type GroupPayload = Static<typeof GroupPayload>;

/** https://docs.gitlab.com/api/members/ */
export const MemberPayload = Type.Object({
  id: Id,
  access_level: Count,
  membership_state: Type.Optional(Text),
});
/** A member of a group in its list. */
export const GroupMemberPayload = Type.Object({ id: Id, state: Text });

export type MemberPayload = Static<typeof MemberPayload>;

export const BearerPayload = Type.Object({ id: Id, is_admin: optional(Type.Boolean()) });

/** `private`: visible to members only; an unknown level is treated so. `public` occurs for pages alone. */
const AccessLevel = orElse(Type.Optional(Type.Enum(['disabled', 'private', 'enabled', 'public'])), 'private');

/**
 * https://docs.gitlab.com/api/projects/. Responses to requests without a token have only the first half of the fields.
 */
export const ProjectPayload = Type.Object({
  id: Id,
  path: ExactName,
  description: optionalText(),
  namespace: Type.Object({ id: Id, full_path: ExactName }),
  /** The user who owns the project; absent when a group does. */
  owner: Type.Optional(Nullable(Type.Object({ id: Id }))),
  star_count: orElse(Nullable(Count), null),
  forks_count: optional(Count),
  default_branch: OptionalText,
  last_activity_at: optionalTime(),
  visibility: Type.Optional(Visibility),
  empty_repo: Type.Optional(Type.Boolean()),
  open_issues_count: optional(Count),
  /** Present in a fork whose origin the token may see; `mr_default_target_self` is present in every fork. */
  forked_from_project: Type.Optional(Nullable(Type.Object({}))),
  mr_default_target_self: Type.Optional(Type.Boolean()),
  issues_access_level: AccessLevel,
  merge_requests_access_level: AccessLevel,
  repository_access_level: AccessLevel,
  /** Present on request, for accounts that may report issues. */
  statistics: optional(Nullable(Type.Object({ commit_count: Count }))),
});
export type ProjectPayload = Static<typeof ProjectPayload>;
/** A project as requests with a token see it: a missing visibility counts as private and is reported. */
export const SignedInProjectPayload = Type.Object({ ...ProjectPayload.properties, visibility: Visibility });
export const ProjectsPayload = describeItems('repository', ProjectPayload);
export const SignedInProjectsPayload = describeItems('repository', SignedInProjectPayload);
/** Projects for a sum over all of them: an unreadable one makes the sum unknown. */
export const AllProjectsPayload = Type.Array(ProjectPayload);

const Item = {
  id: Id,
  iid: ItemNumber,
  title: optionalText(),
  author: AuthorPayload,
  assignees: PeoplePayload,
  labels: orElse(describeItems('label', Text), []),
  state: Name,
  created_at: Time,
  updated_at: optionalTime(),
  closed_at: orElseUncounted(Type.Optional(Nullable(Time)), null),
};

/** https://docs.gitlab.com/api/issues/ */
export const IssuePayload = Type.Object({
  ...Item,
  closed_by: optional(Nullable(UserPayload)),
  confidential: Type.Boolean(),
  user_notes_count: orElse(Nullable(Count), null),
});
export type IssuePayload = Static<typeof IssuePayload>;
export const IssuesPayload = describeItems('issue', IssuePayload);

/** An issue as a place for comments. */
export const TitledPayload = Type.Object({ iid: ItemNumber, title: Text, state: Text, confidential: Type.Boolean() });
export type TitledPayload = Static<typeof TitledPayload>;

/** https://docs.gitlab.com/api/merge_requests/ */
export const MergeRequestPayload = Type.Object({
  ...Item,
  merged_at: orElseUncounted(Nullable(Time), null),
  merge_user: optional(Nullable(UserPayload)),
  reviewers: PeoplePayload,
});
export type MergeRequestPayload = Static<typeof MergeRequestPayload>;
export const MergeRequestsPayload = describeItems('pull_request', MergeRequestPayload);

/** A comment, or a record of an event that the host itself wrote. https://docs.gitlab.com/api/notes/ */
export const NotePayload = Type.Object({
  id: Id,
  /** Null for a comment outside a thread. The types are the classes of notes in GitLab's app/models. */
  type: Type.Optional(
    Nullable(
      Type.Union([
        Type.Literal('DiffNote'),
        Type.Literal('LegacyDiffNote'),
        Type.Literal('DiscussionNote'),
        Type.Literal('Note'),
      ]),
    ),
  ),
  body: Text,
  author: AuthorPayload,
  system: Type.Boolean(),
  created_at: Time,
  updated_at: optionalTime(),
  /** True for notes that only members see; `confidential` is the older name. */
  internal: Type.Optional(Type.Boolean()),
  confidential: Type.Optional(Nullable(Type.Boolean())),
});
export type NotePayload = Static<typeof NotePayload>;
/** A note may be a comment or a review. */
export const NotesPayload = describeItems('review', NotePayload);

/** https://docs.gitlab.com/api/emoji_reactions/ */
export const AwardPayload = Type.Object({ name: Text, user: AuthorPayload });
export type AwardPayload = Static<typeof AwardPayload>;
export const AwardsPayload = describeItems('reaction', AwardPayload);

export const StarrersPayload = describeItems('star', Type.Object({ starred_since: Time, user: UserPayload }));
export const IdentifiedPayload = Type.Array(Type.Object({ id: Id }));
export const VersionPayload = Type.Object({ version: Text });

/** https://docs.gitlab.com/api/personal_access_tokens/#get-details-on-a-personal-access-token */
export const TokenPayload = Type.Object({
  scopes: Type.Optional(Type.Array(Text)),
  expires_at: OptionalText,
});
export type TokenPayload = Static<typeof TokenPayload>;

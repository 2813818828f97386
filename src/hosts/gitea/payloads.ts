import { type Static, Type } from 'typebox';
import {
  Count,
  ExactName,
  Id,
  ItemNumber,
  Name,
  Nullable,
  optionalCount,
  optionalText,
  optionalTime,
  Text,
  Time,
} from '../http/checks.ts';
import { describeItems, optional, orElse, orElseUncounted } from '../http/tolerant.ts';

/**
 * Shapes of the used fields of Gitea's responses, by its `swagger.v1.json`. A field is required unless a function such
 * as `orElse` wraps it (`http/tolerant.ts`). Fields that only later versions and Forgejo send are optional.
 */

/** A number that the host may have miscounted; a negative one counts as 0. */
const Counter = orElse(Nullable(Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 })), null);
const OptionalText = orElse(Text, '');

/** An account in any response. Placeholders that are no accounts have ids below 1. */
export const UserPayload = Type.Object({
  id: Type.Integer({ minimum: -(2 ** 31), maximum: Number.MAX_SAFE_INTEGER }),
  login: Name,
  full_name: OptionalText,
  avatar_url: OptionalText,
  /** `public`, `limited` (to signed-in readers) or `private`: go-gitea/gitea, services/convert/user.go. */
  visibility: Text,
});
export type UserPayload = Static<typeof UserPayload>;
/** The author of an item; null where there is none. An item is unreadable without a readable author. */
const AuthorPayload = Nullable(UserPayload);
/** A list of accounts; deleted accounts and teams are null (go-gitea/gitea, services/convert/pull.go). */
const PeoplePayload = orElse(Nullable(Type.Array(orElse(Nullable(UserPayload), null))), null);
export const FoundUsersPayload = Type.Object({ data: Nullable(describeItems('account', UserPayload)) });

/** The full record of an account, which may be an organization. */
export const ProfilePayload = Type.Object({
  ...UserPayload.properties,
  /** Required, because nothing else says whether the account is public. */
  visibility: Name,
  login: ExactName,
  email: OptionalText,
  website: OptionalText,
  description: OptionalText,
  followers_count: optionalCount(),
  following_count: optionalCount(),
});
export type ProfilePayload = Static<typeof ProfilePayload>;

export const OrganizationPayload = Type.Object({
  id: Id,
  name: Name,
  full_name: OptionalText,
  avatar_url: OptionalText,
});

export const TeamPayload = Type.Object({ id: Id, name: Text });
export const TeamMemberPayload = Type.Object({ id: Id });

/** The permission of a person in a repository: `none`, `read`, `write`, `admin` or `owner`. */
export const PermissionPayload = Type.Object({
  permission: Name,
  user: Nullable(Type.Object({ id: Id })),
});

export const PermissionsPayload = Type.Object({ is_owner: Type.Boolean(), is_admin: Type.Boolean() });

export const RepositoryPayload = Type.Object({
  id: Id,
  name: ExactName,
  owner: Type.Object({ id: Id, login: Name, visibility: Text }),
  description: OptionalText,
  empty: Type.Boolean(),
  private: Type.Boolean(),
  internal: Type.Boolean(),
  fork: Type.Boolean(),
  size: optionalCount(),
  language: OptionalText,
  licenses: optional(Nullable(Type.Array(Text))),
  stars_count: Counter,
  forks_count: Counter,
  open_issues_count: Counter,
  default_branch: Text,
  updated_at: optionalTime(),
});
export type RepositoryPayload = Static<typeof RepositoryPayload>;
export const RepositoriesPayload = describeItems('repository', RepositoryPayload);
/** Repositories for a sum over all of them: an unreadable one makes the sum unknown. */
export const AllRepositoriesPayload = Type.Array(RepositoryPayload);

const Poster = {
  user: AuthorPayload,
  /** The author on the host that the item was imported from. Then `user` is the account that imported it. */
  original_author: Text,
};

/** An issue or a pull request: Gitea lists pull requests as issues. */
export const IssuePayload = Type.Object({
  id: Id,
  number: ItemNumber,
  title: optionalText(),
  ...Poster,
  labels: orElse(Nullable(describeItems('label', Type.Object({ name: Text }))), null),
  assignees: PeoplePayload,
  comments: optionalCount(),
  created_at: Time,
  updated_at: optionalTime(),
  closed_at: orElseUncounted(Nullable(Time), null),
  /** Null at an issue. */
  pull_request: orElseUncounted(Nullable(Type.Object({ merged_at: orElseUncounted(Nullable(Time), null) })), null),
});
export type IssuePayload = Static<typeof IssuePayload>;
export const IssuesPayload = describeItems('issue', IssuePayload);
export const PullRequestsPayload = describeItems('pull_request', IssuePayload);

/** The fields of an issue by which the notifier finds it for its comments. */
export const TitledPayload = Type.Object({ number: Id, title: Text, state: Text });
export type TitledPayload = Static<typeof TitledPayload>;

/** The additional fields at a pull request's own address; only later versions send the sizes. */
export const PullRequestPayload = Type.Object({
  requested_reviewers: PeoplePayload,
  merged_by: optional(Nullable(UserPayload)),
  additions: optional(Nullable(Count)),
  deletions: optional(Nullable(Count)),
  changed_files: optional(Nullable(Count)),
});
export type PullRequestPayload = Static<typeof PullRequestPayload>;

/** States of reviews and of requests for one: `ReviewStateType` in Gitea's modules/structs/pull_review.go. */
const ReviewState = Type.Union([
  Type.Literal('APPROVED'),
  Type.Literal('REQUEST_CHANGES'),
  Type.Literal('COMMENT'),
  Type.Literal('PENDING'),
  Type.Literal('REQUEST_REVIEW'),
]);

export const ReviewPayload = Type.Object({
  id: Id,
  user: AuthorPayload,
  state: ReviewState,
  /** True also where the state is that of before. */
  dismissed: optional(Type.Boolean()),
  comments_count: optionalCount(),
  submitted_at: Time,
  updated_at: optionalTime(),
});
export type ReviewPayload = Static<typeof ReviewPayload>;
export const ReviewsPayload = describeItems('review', ReviewPayload);

export const ReviewCommentPayload = Type.Object({
  id: Id,
  user: AuthorPayload,
  created_at: Time,
  updated_at: optionalTime(),
});
export type ReviewCommentPayload = Static<typeof ReviewCommentPayload>;
export const ReviewCommentsPayload = describeItems('review_comment', ReviewCommentPayload);

export const CommentPayload = Type.Object({
  id: Id,
  ...Poster,
  /** Exactly one of the two URLs is empty; the other one shows whether the comment is on an issue or a pull request. */
  issue_url: orElse(Nullable(Text), null),
  pull_request_url: orElse(Nullable(Text), null),
  body: orElse(Text, ''),
  created_at: Time,
  updated_at: optionalTime(),
});
export type CommentPayload = Static<typeof CommentPayload>;
export const CommentsPayload = describeItems('comment', CommentPayload);
/** A comment with its text. */
export const SaidPayload = Type.Object({ id: Id, body: Text });

export const ReactionPayload = Type.Object({ user: AuthorPayload, content: Text });
export type ReactionPayload = Static<typeof ReactionPayload>;
/** The reactions to an item; null where there are none. */
export const ReactionsPayload = Nullable(describeItems('reaction', ReactionPayload));

/** Events of an issue. */
export const TimelinePayload = describeItems(
  'event',
  Type.Object({
    type: Text,
    user: AuthorPayload,
    created_at: Time,
    ref_action: OptionalText,
    ref_issue: orElse(
      Nullable(
        Type.Object({
          user: AuthorPayload,
          pull_request: Nullable(Type.Object({ merged_at: Nullable(Time) })),
        }),
      ),
      null,
    ),
  }),
);
export type TimelinePayload = Static<typeof TimelinePayload>;

const Signature = orElse(Nullable(Type.Object({ email: Text })), null);
export const CommitPayload = Type.Object({
  sha: Name,
  commit: Type.Object({ author: Signature, committer: Signature }),
  /** Null: no account has the address. */
  author: AuthorPayload,
  committer: AuthorPayload,
});
export const CommitsPayload = describeItems('commit', CommitPayload);
export type CommitsPayload = Static<typeof CommitsPayload>;

export const VersionPayload = Type.Object({ version: Text });

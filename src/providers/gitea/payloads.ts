import { type Static, type TSchema, Type } from 'typebox';

/**
 * Shapes of just those fields of Gitea's answers that are used, as its own `swagger.v1.json` describes them. More may come;
 * less, or others, is an error. What later versions and Forgejo tell besides is optional.
 */

export const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const Text = Type.String();
const Count = Type.Integer({ minimum: 0 });
/** Kept by the host, which may have counted wrong: below 0 it is to be taken for 0. */
const Counter = Type.Integer();
const Id = Type.Integer({ minimum: 1 });
const Time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d' });

/** An account as everything mentions it. Stand-ins for those who are none have ids below 1. */
export const UserPayload = Type.Object({
  id: Type.Integer(),
  login: Text,
  full_name: Text,
  avatar_url: Text,
});
export type UserPayload = Static<typeof UserPayload>;

/** The account itself, which may be an organization. */
export const ProfilePayload = Type.Object({
  ...UserPayload.properties,
  email: Text,
  website: Text,
  description: Text,
  visibility: Text,
  followers_count: Count,
  following_count: Count,
});
export type ProfilePayload = Static<typeof ProfilePayload>;

export const OrganizationPayload = Type.Object({ id: Id, name: Text, full_name: Text, avatar_url: Text });

export const PermissionsPayload = Type.Object({ is_owner: Type.Boolean(), is_admin: Type.Boolean() });

export const RepositoryPayload = Type.Object({
  id: Id,
  name: Text,
  owner: Type.Object({ id: Type.Integer(), login: Text, visibility: Text }),
  description: Text,
  empty: Type.Boolean(),
  private: Type.Boolean(),
  internal: Type.Boolean(),
  fork: Type.Boolean(),
  size: Count,
  language: Text,
  licenses: Type.Optional(Nullable(Type.Array(Text))),
  stars_count: Counter,
  forks_count: Counter,
  open_issues_count: Counter,
  default_branch: Text,
  updated_at: Time,
});
export type RepositoryPayload = Static<typeof RepositoryPayload>;
export const RepositoriesPayload = Type.Array(RepositoryPayload);

const Poster = {
  user: Nullable(UserPayload),
  /** Where it was imported from another host: who wrote it there. Then `user` is whoever imported it. */
  original_author: Text,
};

/** An issue, or a pull request that is told as one. */
export const IssuePayload = Type.Object({
  id: Id,
  number: Id,
  ...Poster,
  labels: Nullable(Type.Array(Type.Object({ name: Text }))),
  assignees: Nullable(Type.Array(UserPayload)),
  comments: Count,
  created_at: Time,
  updated_at: Time,
  closed_at: Nullable(Time),
  pull_request: Nullable(Type.Object({ merged: Type.Boolean(), merged_at: Nullable(Time) })),
});
export type IssuePayload = Static<typeof IssuePayload>;
export const IssuesPayload = Type.Array(IssuePayload);

/** An issue as a place for comments. */
export const TitledPayload = Type.Object({ number: Id, title: Text, state: Text });
export type TitledPayload = Static<typeof TitledPayload>;

/** What only a pull request's own address tells; the sizes are told by later versions. */
export const PullRequestPayload = Type.Object({
  requested_reviewers: Nullable(Type.Array(UserPayload)),
  additions: Type.Optional(Nullable(Count)),
  deletions: Type.Optional(Nullable(Count)),
  changed_files: Type.Optional(Nullable(Count)),
});
export type PullRequestPayload = Static<typeof PullRequestPayload>;

export const ReviewPayload = Type.Object({
  id: Id,
  user: Nullable(UserPayload),
  state: Text,
  comments_count: Count,
  submitted_at: Time,
  updated_at: Time,
});
export type ReviewPayload = Static<typeof ReviewPayload>;
export const ReviewsPayload = Type.Array(ReviewPayload);

export const ReviewCommentPayload = Type.Object({
  id: Id,
  user: Nullable(UserPayload),
  created_at: Time,
  updated_at: Time,
});
export type ReviewCommentPayload = Static<typeof ReviewCommentPayload>;
export const ReviewCommentsPayload = Nullable(Type.Array(ReviewCommentPayload));

export const CommentPayload = Type.Object({
  id: Id,
  ...Poster,
  /** One of the two is empty. */
  issue_url: Text,
  pull_request_url: Text,
  created_at: Time,
  updated_at: Time,
});
export type CommentPayload = Static<typeof CommentPayload>;
export const CommentsPayload = Type.Array(CommentPayload);
/** What was said. */
export const SaidPayload = Type.Object({ id: Id, body: Text });

export const ReactionPayload = Type.Object({ user: Nullable(UserPayload), content: Text });
export type ReactionPayload = Static<typeof ReactionPayload>;
/** No reaction at all may be told as null. */
export const ReactionsPayload = Nullable(Type.Array(ReactionPayload));

/** What happened to an issue. */
export const TimelinePayload = Type.Array(
  Type.Object({
    type: Text,
    user: Nullable(UserPayload),
    created_at: Time,
    ref_action: Text,
    ref_issue: Nullable(
      Type.Object({
        user: Nullable(UserPayload),
        pull_request: Nullable(Type.Object({ merged: Type.Boolean(), merged_at: Nullable(Time) })),
      }),
    ),
  }),
);
export type TimelinePayload = Static<typeof TimelinePayload>;

const Signature = Nullable(Type.Object({ email: Text }));
export const CommitPayload = Type.Object({
  sha: Text,
  commit: Type.Object({ author: Signature, committer: Signature }),
  /** Null: no account has the address. */
  author: Nullable(UserPayload),
  committer: Nullable(UserPayload),
});
export const CommitsPayload = Type.Array(CommitPayload);
export type CommitsPayload = Static<typeof CommitsPayload>;

export const VersionPayload = Type.Object({ version: Text });

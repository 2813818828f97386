import { type Static, type TSchema, Type } from 'typebox';
import {
  ActorPayload,
  Count,
  countedPage,
  DatabaseId,
  FullDatabaseId,
  Nullable,
  PageInfo,
  page,
  RepositoryPayload,
  RestAccountPayload,
  Text,
  Time,
  Total,
} from '../payloads.ts';

/** Shapes of what GitHub answers about contributions: for counting, and `Deep` with what else is known of installed repositories. */

const nodes = <Schema extends TSchema>(node: Schema) => Type.Object({ nodes: Type.Array(Nullable(node)) });
const inRepository = <Schema extends TSchema>(content: Schema) =>
  Type.Object({ node: Nullable(Type.Object({ page: content })) });

const ReactionPayload = Type.Object({ content: Text, user: Nullable(ActorPayload) });
export const ReactionPage = page(ReactionPayload);
export type ReactionPage = Static<typeof ReactionPage>;
export const MoreReactionsPayload = Type.Object({ node: Nullable(Type.Object({ reactions: ReactionPage })) });
/** What people can react to. */
export const ReactablePayload = Type.Object({ id: Text, reactions: ReactionPage });
export type ReactablePayload = Static<typeof ReactablePayload>;
export const CommentReactionsPayload = Type.Object({ nodes: Type.Array(Nullable(ReactablePayload)) });

const Labels = nodes(Type.Object({ name: Text }));
const People = nodes(ActorPayload);
const common = {
  ...ReactablePayload.properties,
  number: Type.Integer({ minimum: 1 }),
  labels: Nullable(Labels),
};

export const IssuePayload = Type.Object({
  fullDatabaseId: FullDatabaseId,
  createdAt: Time,
  updatedAt: Time,
  closedAt: Nullable(Time),
  author: Nullable(ActorPayload),
});
export type IssuePayload = Static<typeof IssuePayload>;
export const DeepIssuePayload = Type.Object({
  ...IssuePayload.properties,
  ...common,
  stateReason: Nullable(Text),
  comments: Total,
  assignees: People,
  closings: nodes(
    Type.Object({
      actor: Nullable(ActorPayload),
      // Of a commit, nothing is asked.
      closer: Nullable(Type.Object({ author: Type.Optional(Nullable(ActorPayload)) })),
    }),
  ),
});
export type DeepIssuePayload = Static<typeof DeepIssuePayload>;
export const IssuesPayload = inRepository(countedPage(IssuePayload));
export const DeepIssuesPayload = inRepository(countedPage(DeepIssuePayload));

export const ReviewPayload = Type.Object({
  fullDatabaseId: FullDatabaseId,
  state: Text,
  submittedAt: Nullable(Time),
  updatedAt: Time,
  author: Nullable(ActorPayload),
});
export type ReviewPayload = Static<typeof ReviewPayload>;
const ReviewPage = countedPage(ReviewPayload);
export type ReviewPage = Static<typeof ReviewPage>;

export const PullRequestPayload = Type.Object({
  ...IssuePayload.properties,
  id: Text,
  mergedAt: Nullable(Time),
  reviews: ReviewPage,
});
export type PullRequestPayload = Static<typeof PullRequestPayload>;
export const DeepPullRequestPayload = Type.Object({
  ...PullRequestPayload.properties,
  ...common,
  additions: Count,
  deletions: Count,
  changedFiles: Count,
  totalCommentsCount: Nullable(Count),
  commits: Total,
  assignees: People,
  // Of a team, nothing is asked.
  reviewRequests: nodes(Type.Object({ requestedReviewer: Nullable(Type.Partial(ActorPayload)) })),
});
export type DeepPullRequestPayload = Static<typeof DeepPullRequestPayload>;
export const PullRequestsPayload = inRepository(countedPage(PullRequestPayload));
export const DeepPullRequestsPayload = inRepository(countedPage(DeepPullRequestPayload));
export const MoreReviewsPayload = Type.Object({ node: Nullable(Type.Object({ reviews: ReviewPage })) });

export const DiscussionPayload = Type.Object({
  databaseId: DatabaseId,
  createdAt: Time,
  updatedAt: Time,
  closedAt: Nullable(Time),
  author: Nullable(ActorPayload),
  answer: Nullable(Type.Object({ author: Nullable(ActorPayload) })),
});
export type DiscussionPayload = Static<typeof DiscussionPayload>;
export const DeepDiscussionPayload = Type.Object({
  ...DiscussionPayload.properties,
  ...common,
  answerChosenAt: Nullable(Time),
  upvoteCount: Count,
  comments: Total,
});
export type DeepDiscussionPayload = Static<typeof DeepDiscussionPayload>;
export const DiscussionsPayload = inRepository(countedPage(DiscussionPayload));
export const DeepDiscussionsPayload = inRepository(countedPage(DeepDiscussionPayload));

export const StarPayload = Type.Object({ starredAt: Time, node: ActorPayload });
export type StarPayload = Static<typeof StarPayload>;
const Stars = Type.Array(Nullable(StarPayload));
export const StarsPayload = inRepository(Type.Object({ totalCount: Count, pageInfo: PageInfo, edges: Stars }));

export const RepositoryTipPayload = Type.Object({
  node: Nullable(
    Type.Object({
      ...RepositoryPayload.properties,
      newestIssues: nodes(DeepIssuePayload),
      newestPullRequests: nodes(DeepPullRequestPayload),
      newestDiscussions: nodes(DeepDiscussionPayload),
      newestStars: Type.Object({ edges: Stars }),
    }),
  ),
});

export const MoreFilesPayload = Type.Object({
  node: Nullable(Type.Object({ files: Nullable(page(Type.Object({ path: Text }))) })),
});

export const RepositoryTotalsPayload = Type.Object({
  node: Nullable(
    Type.Object({
      issues: Total,
      pullRequests: Total,
      discussions: Total,
      stargazers: Total,
      defaultBranchRef: Nullable(Type.Object({ target: Nullable(Type.Object({ history: Type.Optional(Total) })) })),
    }),
  ),
});

/** REST: a comment below an issue or a pull request, or at a line of changes. */
export const RestCommentPayload = Type.Object({
  id: DatabaseId,
  node_id: Text,
  created_at: Time,
  updated_at: Time,
  user: Nullable(RestAccountPayload),
  body: Type.Optional(Text),
  html_url: Text,
  /** Of a comment on an issue or pull request as a whole. */
  issue_url: Type.Optional(Text),
  /** Of one at a line. */
  pull_request_url: Type.Optional(Text),
  reactions: Type.Optional(Type.Object({ total_count: Count })),
});
export type RestCommentPayload = Static<typeof RestCommentPayload>;
export const RestCommentsPayload = Type.Array(RestCommentPayload);

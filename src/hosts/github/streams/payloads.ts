import { type Static, type TSchema, Type } from 'typebox';
import { countedTime, ItemNumber, optionalCount, optionalText, optionalTime } from '../../http/checks.ts';
import { describeItems, optional, orElse } from '../../http/tolerant.ts';
import {
  ActorPayload,
  AuthorPayload,
  Count,
  countedPage,
  DatabaseId,
  FullDatabaseId,
  Name,
  Nullable,
  optionalTotal,
  PageInfo,
  page,
  RepositoryPayload,
  RestAuthorPayload,
  Text,
  Time,
} from '../payloads.ts';

/**
 * Shapes of contributions in GitHub's responses: for counting, and with the prefix `Deep` for installed repositories.
 */

const list = <Schema extends TSchema>(kind: string, node: Schema) => Type.Object({ nodes: describeItems(kind, node) });
const optionalList = <Schema extends TSchema>(kind: string, node: Schema) => orElse(Nullable(list(kind, node)), null);
const inRepository = <Schema extends TSchema>(content: Schema) =>
  Type.Object({ node: Nullable(Type.Object({ page: content })) });

const ReactionPayload = Type.Object({ content: Text, user: AuthorPayload });
export const ReactionPage = page('reaction', ReactionPayload);
export type ReactionPage = Static<typeof ReactionPage>;
export const MoreReactionsPayload = Type.Object({ node: Nullable(Type.Object({ reactions: ReactionPage })) });
/** An item that people can react to. */
export const ReactablePayload = Type.Object({ id: Name, reactions: orElse(Nullable(ReactionPage), null) });
export type ReactablePayload = Static<typeof ReactablePayload>;
export const CommentReactionsPayload = Type.Object({
  nodes: Type.Array(orElse(Nullable(Type.Partial(ReactablePayload)), null)),
});

const People = optionalList('person', ActorPayload);
const common = {
  ...ReactablePayload.properties,
  number: ItemNumber,
  labels: optionalList('label', Type.Object({ name: Text })),
};

const heading = { number: optionalCount(), title: optionalText() };

export const IssuePayload = Type.Object({
  ...heading,
  fullDatabaseId: FullDatabaseId,
  createdAt: Time,
  updatedAt: optionalTime(),
  closedAt: countedTime(),
  author: AuthorPayload,
});
export type IssuePayload = Static<typeof IssuePayload>;
export const DeepIssuePayload = Type.Object({
  ...IssuePayload.properties,
  ...common,
  stateReason: optionalText(),
  comments: optionalTotal(),
  assignees: People,
  closings: optionalList(
    'closing',
    Type.Object({
      actor: AuthorPayload,
      // `author` is requested only of a pull request, not of a commit that closed the issue.
      closer: orElse(Nullable(Type.Object({ author: Type.Optional(AuthorPayload) })), null),
    }),
  ),
});
export type DeepIssuePayload = Static<typeof DeepIssuePayload>;
export const IssuesPayload = inRepository(countedPage('issue', IssuePayload));
export const DeepIssuesPayload = inRepository(countedPage('issue', DeepIssuePayload));

const SubmittedReviewPayload = Type.Object({
  fullDatabaseId: FullDatabaseId,
  state: Type.String({ pattern: '^(?!PENDING$)' }),
  submittedAt: Time,
  updatedAt: optionalTime(),
  author: AuthorPayload,
});
/** A review that only its author sees. */
const PendingReviewPayload = Type.Object({ state: Type.Literal('PENDING'), submittedAt: orElse(Type.Null(), null) });
export const ReviewPayload = Type.Union([SubmittedReviewPayload, PendingReviewPayload]);
export type ReviewPayload = Static<typeof ReviewPayload>;
const ReviewPage = countedPage('review', ReviewPayload);
export type ReviewPage = Static<typeof ReviewPage>;
/**
 * Replaces reviews that cannot be read with their pull request, so that `allReviews` fetches them from the beginning.
 */
const unreadReviews = { pageInfo: { hasNextPage: true, endCursor: null }, nodes: [], totalCount: null };

export const PullRequestPayload = Type.Object({
  ...IssuePayload.properties,
  id: Name,
  mergedAt: countedTime(),
  reviews: orElse(ReviewPage, unreadReviews),
});
export type PullRequestPayload = Static<typeof PullRequestPayload>;
export const DeepPullRequestPayload = Type.Object({
  ...PullRequestPayload.properties,
  ...common,
  mergedBy: orElse(Nullable(ActorPayload), null),
  additions: optionalCount(),
  deletions: optionalCount(),
  changedFiles: optionalCount(),
  totalCommentsCount: optionalCount(),
  commits: optionalTotal(),
  assignees: People,
  reviewRequests: optionalList(
    'review request',
    Type.Object({ requestedReviewer: orElse(Nullable(ActorPayload), null) }),
  ),
});
export type DeepPullRequestPayload = Static<typeof DeepPullRequestPayload>;
export const PullRequestsPayload = inRepository(countedPage('pull_request', PullRequestPayload));
export const DeepPullRequestsPayload = inRepository(countedPage('pull_request', DeepPullRequestPayload));
export const MoreReviewsPayload = Type.Object({ node: Nullable(Type.Object({ reviews: ReviewPage })) });

export const DiscussionPayload = Type.Object({
  ...heading,
  databaseId: DatabaseId,
  createdAt: Time,
  updatedAt: optionalTime(),
  closedAt: countedTime(),
  author: AuthorPayload,
  answer: Nullable(Type.Object({ author: AuthorPayload })),
  answerChosenAt: optionalTime(),
});
export type DiscussionPayload = Static<typeof DiscussionPayload>;
export const DeepDiscussionPayload = Type.Object({
  ...DiscussionPayload.properties,
  ...common,
  upvoteCount: optionalCount(),
  comments: optionalTotal(),
});
export type DeepDiscussionPayload = Static<typeof DeepDiscussionPayload>;
export const DiscussionsPayload = inRepository(countedPage('discussion', DiscussionPayload));
export const DeepDiscussionsPayload = inRepository(countedPage('discussion', DeepDiscussionPayload));

export const StarPayload = Type.Object({ starredAt: Time, node: ActorPayload });
export type StarPayload = Static<typeof StarPayload>;
export const StargazerPage = Type.Object({ pageInfo: PageInfo, edges: describeItems('star', StarPayload) });
export const StarCountPayload = Type.Object({ node: Nullable(Type.Object({ stargazerCount: optionalCount() })) });
export const StarsPayload = Type.Object({
  ...StarCountPayload.properties,
  // Null: GitHub does not show the accounts that starred the repository.
  list: orElse(Nullable(Type.Object({ page: StargazerPage })), null),
});

export const RepositoryTipPayload = Type.Object({
  node: Nullable(
    Type.Object({
      ...RepositoryPayload.properties,
      newestIssues: optionalList('issue', DeepIssuePayload),
      newestPullRequests: optionalList('pull_request', DeepPullRequestPayload),
      newestDiscussions: optionalList('discussion', DeepDiscussionPayload),
    }),
  ),
});

export const MoreFilesPayload = Type.Object({
  node: Nullable(Type.Object({ files: orElse(Nullable(page('file', Type.Object({ path: Text }))), null) })),
});

export const RepositoryTotalsPayload = Type.Object({
  node: Nullable(
    Type.Object({
      issues: optionalTotal(),
      pullRequests: optionalTotal(),
      discussions: optionalTotal(),
      stargazerCount: optionalCount(),
      // Null: the repository has no commits.
      defaultBranchRef: orElse(
        Nullable(
          Type.Object({ target: orElse(Nullable(Type.Object({ history: Type.Optional(optionalTotal()) })), null) }),
        ),
        { target: null },
      ),
    }),
  ),
});

/** REST: a comment below an issue or a pull request, or at a line of changes. */
const RestCommentPayload = Type.Object({
  id: DatabaseId,
  node_id: Text,
  created_at: Time,
  updated_at: optionalTime(),
  user: RestAuthorPayload,
  body: optional(Text),
  html_url: optional(Text),
  /** Present on a comment on an issue or a pull request as a whole. */
  issue_url: optional(Text),
  /** Present on a comment at a line of changes. */
  pull_request_url: optional(Text),
  reactions: optional(Type.Object({ total_count: Count })),
});
export type RestCommentPayload = Static<typeof RestCommentPayload>;
export const RestCommentsPayload = {
  /** `html_url` is required here, because it alone shows whether a comment is on an issue or on a pull request. */
  comments: describeItems('comment', Type.Object({ ...RestCommentPayload.properties, html_url: Name })),
  review_comments: describeItems('comment', RestCommentPayload),
};

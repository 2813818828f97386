import { readFileSync } from 'node:fs';
import { type TSchema, Type } from 'typebox';
import type { Query } from './client.ts';
import {
  AccountsPayload,
  CalendarPayload,
  DayCountsPayload,
  NamedRepositoryPayload,
  OwnedRepositoriesPayload,
  RepositoryFilesPayload,
  StarredRepositoriesPayload,
} from './payloads.ts';
import {
  CommentReactionsPayload,
  DeepDiscussionsPayload,
  DeepIssuesPayload,
  DeepPullRequestsPayload,
  DiscussionsPayload,
  IssuesPayload,
  MoreFilesPayload,
  MoreReactionsPayload,
  MoreReviewsPayload,
  PullRequestsPayload,
  RepositoryTipPayload,
  RepositoryTotalsPayload,
  StarCountPayload,
  StarsPayload,
} from './streams/payloads.ts';

const DiscussionTitlesPayload = Type.Object({
  repository: Type.Union([
    Type.Null(),
    Type.Object({
      discussions: Type.Object({
        nodes: Type.Array(Type.Union([Type.Null(), Type.Object({ id: Type.String(), title: Type.String() })])),
        pageInfo: Type.Object({
          hasNextPage: Type.Boolean(),
          endCursor: Type.Union([Type.Null(), Type.String()]),
        }),
      }),
    }),
  ]),
});

const LastCommentsPayload = Type.Object({
  node: Type.Union([
    Type.Null(),
    Type.Object({
      comments: Type.Optional(
        Type.Object({ nodes: Type.Array(Type.Union([Type.Null(), Type.Object({ body: Type.String() })])) }),
      ),
    }),
  ]),
});

const AddedCommentPayload = Type.Object({
  addDiscussionComment: Type.Union([
    Type.Null(),
    Type.Object({ comment: Type.Union([Type.Null(), Type.Object({ id: Type.String() })]) }),
  ]),
});

const read = (file: string): string => readFileSync(new URL(`./queries/${file}.graphql`, import.meta.url), 'utf8');

const actor = read('fragments');
const repository = read('repositories');
const review = read('reviews');
const reactions = read('reactions');
const issueDetails = read('issue-details');
const pullRequestDetails = read('pull-request-details');
const discussionDetails = read('discussion-details');

/** The fragments of the query for an account, which `accountQueryText` composes for the requested spans. */
export const accountFragments = read('account');

function query<Schema extends TSchema>(name: string, schema: Schema, ...texts: string[]): Query<Schema> {
  return { name, schema, text: texts.join('\n') };
}

export const ownedRepositories = query(
  'OwnedRepositories',
  OwnedRepositoriesPayload,
  read('owned-repositories'),
  repository,
);
export const namedRepository = query('NamedRepository', NamedRepositoryPayload, read('named-repository'), repository);
export const accounts = query('Accounts', AccountsPayload, read('accounts'), actor);
export const starredRepositories = query(
  'StarredRepositories',
  StarredRepositoriesPayload,
  read('starred-repositories'),
);

/** A user's own contributions within at most a year. */
export const dayCounts = query('DayCounts', DayCountsPayload, read('day-counts'));
/** The contribution calendar of a profile: the last year. */
export const calendar = query('Calendar', CalendarPayload, read('calendar'));

/** Contributions with the fields that counting needs. */
export const issues = query('Issues', IssuesPayload, read('issues'), read('issue-counts'), actor);
export const pullRequests = query(
  'PullRequests',
  PullRequestsPayload,
  read('pull-requests'),
  read('pull-request-counts'),
  review,
  actor,
);
export const discussions = query(
  'Discussions',
  DiscussionsPayload,
  read('discussions'),
  read('discussion-counts'),
  actor,
);
export const moreReviews = query('MoreReviews', MoreReviewsPayload, read('more-reviews'), review, actor);

/** Contributions with the details that are read of installed repositories. */
export const deepIssues = query('Issues', DeepIssuesPayload, read('issues'), issueDetails, reactions, actor);
export const deepPullRequests = query(
  'PullRequests',
  DeepPullRequestsPayload,
  read('pull-requests'),
  pullRequestDetails,
  review,
  reactions,
  actor,
);
export const deepDiscussions = query(
  'Discussions',
  DeepDiscussionsPayload,
  read('discussions'),
  discussionDetails,
  reactions,
  actor,
);
export const stars = query('Stars', StarsPayload, read('stars'), actor);
export const starCount = query('StarCount', StarCountPayload, read('star-count'));
export const moreReactions = query('MoreReactions', MoreReactionsPayload, read('more-reactions'), actor);
export const commentReactions = query(
  'CommentReactions',
  CommentReactionsPayload,
  read('comment-reactions'),
  reactions,
  actor,
);
export const repositoryTip = query(
  'RepositoryTip',
  RepositoryTipPayload,
  read('repository-tip'),
  repository,
  issueDetails,
  pullRequestDetails,
  discussionDetails,
  review,
  reactions,
  actor,
);
export const moreFiles = query('MoreFiles', MoreFilesPayload, read('more-files'));
export const repositoryTotals = query('RepositoryTotals', RepositoryTotalsPayload, read('repository-totals'));
export const repositoryFiles = query('RepositoryFiles', RepositoryFilesPayload, read('repository-files'));

/** The queries by which the App finds a discussion and its last comments, and comments on it. */
export const discussionTitles = query('DiscussionTitles', DiscussionTitlesPayload, read('discussion-titles'));
export const lastComments = query('LastComments', LastCommentsPayload, read('last-comments'));
export const addDiscussionComment = query('AddDiscussionComment', AddedCommentPayload, read('add-discussion-comment'));

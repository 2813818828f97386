import { Type } from 'typebox';
import { type Contribution, type ContributionDetails, noDetails, type ReviewState } from '../../model/contribution.ts';
import { Count, Nullable, Text } from '../http/checks.ts';
import { describeItems, orElse, readByKey, readEach, readOrSkip, skippedItem, watchSkips } from '../http/tolerant.ts';
import { toDate } from '../interface/collector.ts';
import { isWrittenByService } from '../interface/notifier.ts';
import { knownTotals } from '../interface/polls.ts';
import type { ContributionPage, KnownRepository, Position, Stream } from '../interface/provider.ts';
import { existing, invalid } from '../rest/checks.ts';
import type { RestReaders } from '../rest/client.ts';
import { readAll, readPage, type Step, stepForward, stepFromOldest, type Wanted } from '../rest/lists.ts';
import { type Addition, isClosedByMerge, ListCollector, type StreamContext } from '../rest/streams.ts';
import { toActor } from './accounts.ts';
import {
  type CommentPayload,
  CommentsPayload,
  CommitsPayload,
  type IssuePayload,
  IssuesPayload,
  PullRequestPayload,
  PullRequestsPayload,
  type ReactionPayload,
  ReactionsPayload,
  RepositoryPayload,
  type ReviewCommentPayload,
  ReviewCommentsPayload,
  type ReviewPayload,
  ReviewsPayload,
  TimelinePayload,
  type UserPayload,
} from './payloads.ts';
import { readUnchanged, repositoryPath, toListed } from './repositories.ts';

/**
 * The streams that can be read, with or without a token. Stars are absent, because Gitea does not report their times.
 */
export const streams: readonly Stream[] = [
  // Gitea has no discussions, so that their empty list is complete once any stream is.
  { name: 'issues', covers: ['issue', 'discussion'] },
  { name: 'pull_requests', covers: ['pull_request', 'review', 'review_comment'] },
  { name: 'comments', covers: ['issue_comment', 'pull_request_comment'], isForInstalled: true },
];

/** The eight reactions that every host has, with their names in conditions; an instance may have more. */
const emojis = new Map([
  ['+1', 'THUMBS_UP'],
  ['-1', 'THUMBS_DOWN'],
  ['laugh', 'LAUGH'],
  ['hooray', 'HOORAY'],
  ['confused', 'CONFUSED'],
  ['heart', 'HEART'],
  ['rocket', 'ROCKET'],
  ['eyes', 'EYES'],
]);

/** Collects the contributions on one page. */
class Collector extends ListCollector<UserPayload> {
  protected override readonly toActor = toActor;

  /** Adds the author of an item; null when it was imported, as the importing account did not write it. */
  mentionPoster({ user, original_author }: { user: UserPayload | null; original_author: string }): string | null {
    return original_author === '' ? this.mention(user) : null;
  }

  reactions(payloads: readonly ReactionPayload[]): ContributionDetails['reactions'] {
    return payloads.map(({ content, user }) => ({
      emoji: emojis.get(content) ?? content,
      reactor: this.mention(user),
    }));
  }
}

/** The states of submitted reviews. Gitea lists requests for reviews and drafts of reviews as well. */
const submittedStates: Readonly<Record<string, ReviewState>> = {
  APPROVED: 'approved',
  REQUEST_CHANGES: 'changes_requested',
  COMMENT: 'commented',
};

/** The submitted reviews of a pull request. */
interface Reviews {
  submitted: ReviewPayload[];
  /** True when every review could be read. */
  isComplete: boolean;
}

const CommitPayload = Type.Object({
  stats: orElse(Nullable(Type.Object({ additions: Count, deletions: Count })), null),
  files: orElse(Nullable(Type.Array(Type.Unknown())), null),
});
const FilesPayload = describeItems('file', Type.Object({ filename: Text }));

type CommentKind = 'issue_comment' | 'pull_request_comment';

/** The last part of the address of an issue or pull request. */
const numberAtEnd = /\/(\d{1,12})$/;

/** The number of newest items of each kind that are read. It is low, because every part of an item costs a request. */
const newest = 5;
/** Leaves out the parts of commits that are slow to compute. */
const cheap = { stat: 'false', verification: 'false', files: 'false' };

/**
 * Reads a repository with its newest issues and pull requests. The newest items show new reactions, which are in no
 * list of changes.
 * @returns null when the repository is absent or its visibility changed.
 */
export const readTip: RestReaders['readTip'] = async (client, repository, call) => {
  const now = await readUnchanged(client, repository, call);
  // A lookup by name determines the repository's new state.
  if (now === null) return null;
  const context = { client, repository, call };
  const issues = (await readPage(client, itemsList(repository, 'issues'), 1, call))?.items ?? [];
  const pulls = (await readPage(client, itemsList(repository, 'pulls'), 1, call))?.items ?? [];
  const additions = await Promise.all([
    readItems(context, 'issues', issues.slice(0, newest), readDeepIssue),
    readItems(context, 'pulls', pulls.slice(0, newest), readDeepPullRequest),
  ]);
  const page = new Collector().addAll(additions.flat()).toPage({ nextCursor: null, total: null });
  return { repository: toListed(now, repository.credentialName), page };
};

/** Reads the totals of the streams that can be compared with stored ones. */
export const readTotals: RestReaders['readTotals'] = async (client, repository, call) => {
  const { empty } = existing(await client.get(repositoryPath(repository), RepositoryPayload, call)).data;
  const context = { client, repository, call };
  const issues = await readPage(client, itemsList(repository, 'issues'), 1, call);
  const pulls = await readPage(client, itemsList(repository, 'pulls'), 1, call);
  const comments = await stepThroughComments(context, { cursor: null, since: null });
  const history = { path: `${repositoryPath(repository)}/commits`, query: cheap, items: CommitsPayload };
  const commits = empty ? 0 : (await readPage(client, history, 1, call))?.total;
  return knownTotals({
    commits,
    issues: issues?.total,
    pull_requests: pulls?.total,
    comments: comments?.total,
  });
};

/**
 * Reads a page of the comments on issues and pull requests, and the reactions to each comment with a request of its
 * own.
 */
async function readComments(context: StreamContext, wanted: Wanted): Promise<ContributionPage | null> {
  const step = await stepThroughComments(context, wanted);
  if (step === null) return null;
  const comments = step.items.flatMap((comment) => {
    const kind = toKind(comment);
    if (kind !== undefined) return [{ kind, comment }];
    context.call.onSkipped?.(
      skippedItem('comment', invalid('issue_url and pull_request_url of a comment do not show its kind')),
    );
    return [];
  });
  const reactions = await Promise.all(
    comments.map(({ comment }) => reactionsTo(context, `issues/comments/${comment.id}`)),
  );
  const collector = new Collector();
  for (const [index, { kind, comment }] of comments.entries()) {
    addComment(collector, kind, comment, reactions[index] ?? []);
  }
  return collector.toStepPage(step, wanted);
}

function stepThroughComments(
  { client, repository, call }: StreamContext,
  wanted: Wanted,
): Promise<Step<CommentPayload> | null> {
  const list = { path: `${repositoryPath(repository)}/issues/comments`, items: CommentsPayload };
  return stepFromOldest(client, list, wanted, call);
}

/**
 * Returns the kind of a comment by its two addresses. Exactly one has a number at its end; if none has, exactly one is
 * empty, and the other one gives the kind. Returns undefined for all other addresses.
 */
function toKind({ issue_url: issue, pull_request_url: pull }: CommentPayload): CommentKind | undefined {
  const isOnIssue = numberAtEnd.test(issue ?? '');
  const isOnPullRequest = numberAtEnd.test(pull ?? '');
  if (isOnIssue !== isOnPullRequest) return isOnIssue ? 'issue_comment' : 'pull_request_comment';
  if (isOnIssue || (issue === '') === (pull === '')) return undefined;
  return issue === '' ? 'pull_request_comment' : 'issue_comment';
}

function addComment(
  collector: Collector,
  kind: CommentKind,
  payload: CommentPayload,
  reactions: readonly ReactionPayload[],
): void {
  const author = isWrittenByService(payload.body) ? null : collector.mentionPoster(payload);
  const comment = collector.add(kind, author, payload);
  comment.details = { ...noDetails, number: readNumber(payload), reactions: collector.reactions(reactions) };
}

/** Returns the number of the issue or pull request that a comment belongs to; null when it cannot be read. */
function readNumber({ issue_url, pull_request_url }: CommentPayload): number | null {
  const [, number] = numberAtEnd.exec(pull_request_url ?? '') ?? numberAtEnd.exec(issue_url ?? '') ?? [];
  return number === undefined ? null : Number(number);
}

/** Reads the line counts of commits by id, with a request for each. Leaves out commits that Gitea does not show. */
export const readLineCounts: RestReaders['readLineCounts'] = async (client, repository, oids, call) => {
  return readByKey(call, 'line counts', oids, async (oid) => {
    const path = `${repositoryPath(repository)}/git/commits/${oid}`;
    const commit = (await client.get(path, CommitPayload, call))?.data;
    if (!commit?.stats) return undefined;
    const { additions, deletions } = commit.stats;
    return { additions, deletions, changedFiles: commit.files?.length ?? null };
  });
};

/** Reads the paths that pull requests change by number, with requests for each. */
export const readChangedFiles: RestReaders['readChangedFiles'] = (client, repository, numbers, call) =>
  readByKey(call, 'changed files', numbers, async (number) => {
    const list = { path: `${repositoryPath(repository)}/pulls/${number}/files`, items: FilesPayload };
    return (await readAll(client, list, call))?.map(({ filename }) => filename);
  });

/**
 * Reads the items of a page in parallel, because their reviews, comments and reactions need further requests. Skips an
 * item that the host refuses, or that cannot be read.
 */
function readItems(
  context: StreamContext,
  type: 'issues' | 'pulls',
  payloads: readonly IssuePayload[],
  read: (context: StreamContext, payload: IssuePayload) => Promise<Addition<Collector>>,
): Promise<Addition<Collector>[]> {
  const kind = type === 'issues' ? 'issue' : 'pull_request';
  return readEach(context.call, kind, payloads, (payload) => read(context, payload));
}

async function readIssue(_context: StreamContext, payload: IssuePayload): Promise<Addition<Collector>> {
  return (collector) => void addItem(collector, 'issue', payload);
}

async function readDeepIssue(context: StreamContext, payload: IssuePayload): Promise<Addition<Collector>> {
  const { number } = payload;
  const reactions = await reactionsTo(context, `issues/${number}`);
  const resolver = payload.closed_at === null ? null : closer(await readTimeline(context, number), payload.closed_at);
  return (collector) => {
    const issue = addItem(collector, 'issue', payload);
    issue.details = { ...commonDetails(collector, payload, reactions), resolvedBy: collector.mention(resolver) };
  };
}

async function readPullRequest(context: StreamContext, payload: IssuePayload): Promise<Addition<Collector>> {
  const reviews = await readReviews(context, payload.number);
  return (collector) => void addPullRequest(collector, payload, reviews);
}

async function readDeepPullRequest(context: StreamContext, payload: IssuePayload): Promise<Addition<Collector>> {
  const { client, repository, call } = context;
  const { number } = payload;
  const reactions = await reactionsTo(context, `issues/${number}`);
  const details = await readOrSkip(call, { kind: 'pull request details' }, () =>
    client.get(`${repositoryPath(repository)}/pulls/${number}`, PullRequestPayload, call),
  );
  const reviews = await readReviews(context, number);
  const comments = await readReviewComments(context, number, reviews.submitted);
  return (collector) => {
    const pull = addPullRequest(collector, payload, reviews);
    for (const comment of comments) addReviewComment(collector, comment, { pull, number });
    const people = [...(details?.data.requested_reviewers ?? []), ...reviews.submitted.map(({ user }) => user)];
    pull.details = {
      ...commonDetails(collector, payload, reactions),
      mergedBy: collector.mention(details?.data.merged_by),
      reviewers: collector.mentionAll(people),
      additions: details?.data.additions ?? null,
      deletions: details?.data.deletions ?? null,
      changedFiles: details?.data.changed_files ?? null,
    };
  };
}

function addItem(collector: Collector, kind: 'issue' | 'pull_request', payload: IssuePayload): Contribution {
  const item = collector.add(kind, collector.mentionPoster(payload), payload);
  item.closedAt = toDate(payload.closed_at);
  item.mergedAt = toDate(payload.pull_request?.merged_at ?? null);
  return item;
}

function addPullRequest(collector: Collector, payload: IssuePayload, { submitted, isComplete }: Reviews): Contribution {
  const pull = addItem(collector, 'pull_request', payload);
  for (const review of submitted) {
    const { id, submitted_at: created_at, updated_at } = review;
    const author = collector.mention(review.user);
    const added = collector.add('review', author, { id, created_at, updated_at });
    added.parentExternalId = pull.externalId;
    const state = review.dismissed === true ? 'dismissed' : (submittedStates[review.state] ?? null);
    added.details = { ...noDetails, state, comments: review.comments_count };
  }
  if (isComplete) collector.wholeParents.push(pull.externalId);
  return pull;
}

function addReviewComment(
  collector: Collector,
  payload: ReviewCommentPayload,
  { pull, number }: { pull: Contribution; number: number },
): void {
  const comment = collector.add('review_comment', collector.mention(payload.user), payload);
  comment.parentExternalId = pull.externalId;
  comment.details = { ...noDetails, number };
}

function commonDetails(collector: Collector, payload: IssuePayload, reactions: readonly ReactionPayload[]) {
  return {
    ...noDetails,
    number: payload.number,
    assignees: collector.mentionAll(payload.assignees ?? []),
    labels: (payload.labels ?? []).map(({ name }) => name),
    reactions: collector.reactions(reactions),
    comments: payload.comments,
  };
}

async function readReviews({ client, repository, call }: StreamContext, number: number): Promise<Reviews> {
  const path = `${repositoryPath(repository)}/pulls/${number}/reviews`;
  const watched = watchSkips(call);
  const reviews = existing(await readAll(client, { path, items: ReviewsPayload }, watched.call));
  return { submitted: reviews.filter(({ state }) => state in submittedStates), isComplete: !watched.hasSkipped() };
}

async function readReviewComments(
  { client, repository, call }: StreamContext,
  number: number,
  reviews: readonly ReviewPayload[],
): Promise<ReviewCommentPayload[]> {
  const comments: ReviewCommentPayload[] = [];
  for (const { id, comments_count: count } of reviews) {
    if (count === 0) continue;
    const path = `${repositoryPath(repository)}/pulls/${number}/reviews/${id}/comments`;
    const read = await readOrSkip(call, { kind: 'review_comment' }, () =>
      // Only a review without comments may have null instead of a list.
      client.get(path, count === null ? Nullable(ReviewCommentsPayload) : ReviewCommentsPayload, call),
    );
    comments.push(...(read?.data ?? []));
  }
  return comments;
}

/** Reads the reactions to an item. @param itemPath `issues/NUMBER` or `issues/comments/ID`. */
async function reactionsTo({ client, repository, call }: StreamContext, itemPath: string): Promise<ReactionPayload[]> {
  const path = `${repositoryPath(repository)}/${itemPath}/reactions`;
  const response = await readOrSkip(call, { kind: 'reaction' }, () => client.get(path, ReactionsPayload, call));
  return response?.data ?? [];
}

async function readTimeline({ client, repository, call }: StreamContext, number: number): Promise<TimelinePayload> {
  const path = `${repositoryPath(repository)}/issues/${number}/timeline`;
  const list = { path, items: TimelinePayload, isTotalOfPage: true };
  return (await readOrSkip(call, { kind: 'event' }, () => readAll(client, list, call))) ?? [];
}

/** Returns the author of the merged pull request that closed an issue, otherwise the account that closed it. */
function closer(timeline: TimelinePayload, closedAt: string): UserPayload | null {
  const closing = timeline.findLast(({ type }) => type === 'close');
  const merged = timeline.findLast(({ type, ref_action, ref_issue }) => {
    const isClosing = type === 'pull_ref' && ref_action === 'closes';
    return isClosing && isClosedByMerge(closedAt, ref_issue?.pull_request?.merged_at ?? null);
  });
  return merged?.ref_issue?.user ?? closing?.user ?? null;
}

/** Reads a page of a stream, newest first. */
export const readStream: RestReaders['readStream'] = async (client, stream, repository, position, call) => {
  const context = { client, repository, call };
  const page = await readStreamPage(context, stream, position);
  if (page !== null) return page;
  // The list is absent. If the repository exists, its issues or pull requests are switched off.
  existing(await client.get(repositoryPath(repository), RepositoryPayload, call));
  return new Collector().toPage({ nextCursor: null, total: 0 });
};

function readStreamPage(context: StreamContext, stream: string, position: Position): Promise<ContributionPage | null> {
  switch (stream) {
    case 'issues':
      return readItemPage(context, 'issues', position, position.isDeep ? readDeepIssue : readIssue);
    case 'pull_requests':
      return readItemPage(context, 'pulls', position, position.isDeep ? readDeepPullRequest : readPullRequest);
    case 'comments':
      return readComments(context, position);
    default:
      throw new Error(`there is no stream ${stream}`);
  }
}

async function readItemPage(
  context: StreamContext,
  type: 'issues' | 'pulls',
  wanted: Wanted,
  read: typeof readIssue,
): Promise<ContributionPage | null> {
  const step = await stepForward(context.client, itemsList(context.repository, type), wanted, context.call);
  if (step === null) return null;
  const additions = await readItems(context, type, step.items, read);
  return new Collector().addAll(additions).toStepPage(step, wanted);
}

/** Returns a list of issues or pull requests, the last created first. Gitea has one address for both. */
function itemsList(repository: KnownRepository, type: 'issues' | 'pulls') {
  const query = { state: 'all', type };
  const items = type === 'issues' ? IssuesPayload : PullRequestsPayload;
  return { path: `${repositoryPath(repository)}/issues`, query, items };
}

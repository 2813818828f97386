import { Type } from 'typebox';
import {
  type Contribution,
  type ContributionDetails,
  type ItemKind,
  type LineCounts,
  noDetails,
  reviewStates,
} from '../../../model/contribution.ts';
import { orElse, readOrSkip } from '../../http/tolerant.ts';
import { PageCollector, toDate } from '../../interface/collector.ts';
import type { Call, ContributionPage, KnownRepository, Position } from '../../interface/provider.ts';
import { restActor, toActor } from '../actors.ts';
import type { GitHubClient, GitHubReaders, Query } from '../client.ts';
import { existing, TooHeavy } from '../failures.ts';
import { type ActorPayload, Count, Nullable, page, type RestAccountPayload, Text } from '../payloads.ts';
import { moreFiles, moreReactions, moreReviews } from '../queries.ts';
import type {
  DeepDiscussionPayload,
  DeepIssuePayload,
  DeepPullRequestPayload,
  DiscussionPayload,
  IssuePayload,
  PullRequestPayload,
  ReactablePayload,
  ReactionPage,
  ReviewPage,
  ReviewPayload,
  StarPayload,
} from './payloads.ts';

/** The client and the call for further requests about a page. */
export interface StreamContext {
  client: GitHubClient;
  call: Call;
}

/** Reads a page of a stream. */
export type PageReader = (
  client: GitHubClient,
  repository: KnownRepository,
  position: Position & { pageSize: number },
  call: Call,
) => Promise<ContributionPage>;

/** The fields that all kinds of items have. */
interface ItemPayload {
  id: string | number;
  createdAt: string;
  updatedAt: string | null;
  closedAt?: string | null;
  mergedAt?: string | null;
  number?: number | null;
  title?: string | null;
}

/** Collects the contributions on one page of GitHub, and the actors that they name. */
export class Collector extends PageCollector<ActorPayload> {
  protected override readonly toActor = toActor;

  add(kind: ItemKind, author: string | null, payload: ItemPayload): Contribution {
    const { number = null, title = null } = payload;
    const heading = number === null ? undefined : { number, title };
    const contribution = this.addItem(kind, author, { ...payload, heading });
    contribution.closedAt = toDate(payload.closedAt);
    contribution.mergedAt = toDate(payload.mergedAt);
    return contribution;
  }

  /** Adds a submitted review. Leaves out a review that is not submitted, because only its author sees it. */
  addReview(review: ReviewPayload, parentExternalId: string): void {
    if (review.submittedAt === null) return;
    const { fullDatabaseId: id, submittedAt: createdAt, updatedAt } = review;
    const author = this.mention(review.author);
    const added = this.add('review', author, { id, createdAt, updatedAt });
    added.parentExternalId = parentExternalId;
    added.details = { ...noDetails, state: reviewStates.find((state) => state === review.state.toLowerCase()) ?? null };
  }

  /** Adds a star. A star's id is that of its account, so a star of a deleted account is left out. */
  addStar({ starredAt, node }: StarPayload): void {
    const account = this.mention(node);
    if (account === null) return;
    this.add('star', account, { id: account, createdAt: starredAt, updatedAt: starredAt }).details = noDetails;
  }

  mentionByRest(payload: RestAccountPayload | null): string | null {
    return this.addActor(payload && restActor(payload));
  }

  reactions(nodes: ReactionPage['nodes']): ContributionDetails['reactions'] {
    return nodes.map(({ content, user }) => ({ emoji: content, reactor: this.mention(user) }));
  }
}

/** GitHub shows at most 3,000 files of a pull request. */
const maxFilePages = 30;

const byAlias = <Schema extends Parameters<typeof Nullable>[0]>(content: Schema) =>
  Type.Object({
    repository: Nullable(Type.Record(Type.String({ pattern: '^i\\d+$' }), orElse(Nullable(content), null))),
  });

const LineCountsPayload = byAlias(
  Type.Partial(Type.Object({ additions: Count, deletions: Count, changedFilesIfAvailable: Nullable(Count) })),
);
const ChangedFilesPayload = byAlias(
  Type.Object({ id: Text, files: Nullable(page('file', Type.Object({ path: Text }))) }),
);

/** A limit against endless lists: no item has a thousand pages of reactions. */
const maxReactionPages = 1000;

/** Returns whether GitHub could not compute the response to a query, even for one item. */
const isTooHeavy = (error: unknown): boolean => error instanceof TooHeavy;

/** A limit against endless lists: no pull request has a thousand pages of reviews. */
const maxReviewPages = 1000;

export function addIssue(collector: Collector, payload: IssuePayload): Contribution {
  return collector.add('issue', collector.mention(payload.author), { ...payload, id: payload.fullDatabaseId });
}

export async function addDeepIssue(
  context: StreamContext,
  collector: Collector,
  payload: DeepIssuePayload,
): Promise<void> {
  const reactions = await allReactions(context, payload);
  const issue = addIssue(collector, payload);
  const isClosed = payload.closedAt !== null;
  issue.details = {
    ...noDetails,
    number: payload.number,
    resolvedBy: isClosed ? collector.mention(closer(payload)) : null,
    assignees: collector.mentionAll(payload.assignees?.nodes ?? []),
    labels: names(payload.labels),
    reactions: collector.reactions(reactions),
    comments: payload.comments?.totalCount ?? null,
    reason: payload.stateReason,
  };
}

/** Returns the author of the pull request that closed an issue, or the actor who closed it. */
function closer({ closings }: DeepIssuePayload): ActorPayload | null {
  const closing = closings?.nodes.at(-1);
  return closing?.closer?.author ?? closing?.actor ?? null;
}

export async function addPullRequest(
  context: StreamContext,
  collector: Collector,
  payload: PullRequestPayload,
): Promise<{ pull: Contribution; reviews: ReviewPayload[] }> {
  const reviews =
    (await readOrSkip(context.call, { kind: 'review', isOfItem: isTooHeavy }, () => allReviews(context, payload))) ??
    [];
  const pull = collector.add('pull_request', collector.mention(payload.author), {
    ...payload,
    id: payload.fullDatabaseId,
  });
  for (const review of reviews) collector.addReview(review, pull.externalId);
  // Stored reviews that are missing in this list are removed only when the list is complete.
  const { totalCount } = payload.reviews;
  if (totalCount !== null && reviews.length >= totalCount) collector.wholeParents.push(pull.externalId);
  return { pull, reviews };
}

export async function addDeepPullRequest(
  context: StreamContext,
  collector: Collector,
  payload: DeepPullRequestPayload,
): Promise<void> {
  const reactions = await allReactions(context, payload);
  const { pull, reviews } = await addPullRequest(context, collector, payload);
  const submitted = reviews.flatMap((review) => (review.submittedAt === null ? [] : [review.author]));
  pull.details = {
    ...noDetails,
    number: payload.number,
    mergedBy: collector.mention(payload.mergedBy),
    assignees: collector.mentionAll(payload.assignees?.nodes ?? []),
    reviewers: collector.mentionAll([...requested(payload), ...submitted]),
    labels: names(payload.labels),
    reactions: collector.reactions(reactions),
    comments: payload.totalCommentsCount,
    additions: payload.additions,
    deletions: payload.deletions,
    changedFiles: payload.changedFiles,
    commits: payload.commits?.totalCount ?? null,
  };
}

/** Returns the actors whose review is requested, including teams, which are not accounts. */
function requested({ reviewRequests }: DeepPullRequestPayload): (ActorPayload | null)[] {
  return (reviewRequests?.nodes ?? []).map(({ requestedReviewer }) => requestedReviewer);
}

export function addDiscussion(collector: Collector, payload: DiscussionPayload): Contribution {
  const author = collector.mention(payload.author);
  const discussion = collector.add('discussion', author, { ...payload, id: payload.databaseId });
  discussion.answered = payload.answer !== null;
  discussion.answeredBy = collector.mention(payload.answer?.author);
  discussion.answeredAt = toDate(payload.answerChosenAt);
  return discussion;
}

export async function addDeepDiscussion(
  context: StreamContext,
  collector: Collector,
  payload: DeepDiscussionPayload,
): Promise<void> {
  const reactions = await allReactions(context, payload);
  const discussion = addDiscussion(collector, payload);
  discussion.details = {
    ...noDetails,
    number: payload.number,
    resolvedBy: discussion.answeredBy,
    answeredAt: toDate(payload.answerChosenAt),
    labels: names(payload.labels),
    reactions: collector.reactions(reactions),
    comments: payload.comments?.totalCount ?? null,
    upvotes: payload.upvoteCount,
  };
}

function names(labels: DeepIssuePayload['labels']): string[] {
  return (labels?.nodes ?? []).map(({ name }) => name);
}

async function allReviews({ client, call }: StreamContext, pullRequest: PullRequestPayload): Promise<ReviewPayload[]> {
  let page: ReviewPage = pullRequest.reviews;
  const reviews = [...page.nodes];
  for (let pages = 1; page.pageInfo.hasNextPage && pages < maxReviewPages; pages += 1) {
    const { data } = await client.graphql(moreReviews, { id: pullRequest.id, after: page.pageInfo.endCursor }, call);
    page = existing(data.node).reviews;
    reviews.push(...page.nodes);
  }
  return reviews;
}

/**
 * Reads one item with its further pages. Records an item that GitHub refuses or cannot compute as skipped, so that the
 * items after it are still read.
 */
export async function readItem(call: Call, kind: ItemKind, read: () => unknown): Promise<void> {
  await readOrSkip(call, { kind, isOfItem: isTooHeavy }, async () => {
    await read();
  });
}

/** Returns all reactions to an item; fetches the reactions after the first 100 with further requests. */
export async function allReactions(
  { client, call }: StreamContext,
  { id, reactions }: ReactablePayload,
): Promise<ReactionPage['nodes']> {
  if (reactions === null) return [];
  const nodes = [...reactions.nodes];
  let { pageInfo } = reactions;
  for (let pages = 1; pageInfo.hasNextPage && pages < maxReactionPages; pages += 1) {
    const { data } = await client.graphql(moreReactions, { id, after: pageInfo.endCursor }, call);
    // The item was deleted meanwhile.
    if (data.node === null) break;
    nodes.push(...data.node.reactions.nodes);
    ({ pageInfo } = data.node.reactions);
  }
  return nodes;
}

/** Reads line counts by commit id, of many commits in one request. Leaves out commits that GitHub does not show. */
export const readLineCounts: GitHubReaders['readLineCounts'] = async (client, repository, oids, call) => {
  const found = new Map<string, LineCounts>();
  await inHalves(oids, async (batch) => {
    const { data } = await client.graphql(lineCounts(batch.length), variables(repository, batch), call);
    for (const [index, oid] of batch.entries()) {
      const commit = data.repository?.[`i${index}`];
      if (commit?.additions === undefined || commit.deletions === undefined) continue;
      const { additions, deletions, changedFilesIfAvailable: changedFiles = null } = commit;
      found.set(oid, { additions, deletions, changedFiles });
    }
  });
  return found;
};

/** Reads the paths that pull requests change by number, of many pull requests in one request. */
export const readChangedFiles: GitHubReaders['readChangedFiles'] = async (client, repository, numbers, call) => {
  const found = new Map<string, string[]>();
  await inHalves(numbers, async (batch) => {
    const { data } = await client.graphql(changedFiles(batch.length), variables(repository, batch.map(Number)), call);
    for (const [index, number] of batch.entries()) {
      const pull = data.repository?.[`i${index}`];
      if (!pull?.files) continue;
      const paths = pull.files.nodes.map(({ path }) => path);
      let { pageInfo } = pull.files;
      for (let pages = 1; pageInfo.hasNextPage && pages < maxFilePages; pages += 1) {
        const more = await client.graphql(moreFiles, { id: pull.id, after: pageInfo.endCursor }, call);
        const { files } = existing(more.data.node);
        paths.push(...(files?.nodes ?? []).map(({ path }) => path));
        pageInfo = files?.pageInfo ?? { hasNextPage: false, endCursor: null };
      }
      found.set(number, paths);
    }
  });
  return found;
};

/** Sends a request for all keys, and for halves of them as long as GitHub cannot compute the response. */
async function inHalves(keys: readonly string[], send: (keys: readonly string[]) => Promise<void>): Promise<void> {
  try {
    await send(keys);
  } catch (error) {
    if (!(error instanceof TooHeavy) || keys.length <= 1) throw error;
    const half = Math.ceil(keys.length / 2);
    await inHalves(keys.slice(0, half), send);
    await inHalves(keys.slice(half), send);
  }
}

function variables({ owner, name }: KnownRepository, keys: readonly (string | number)[]): Record<string, unknown> {
  return { owner, name, ...Object.fromEntries(keys.map((key, index) => [`k${index}`, key])) };
}

export function lineCounts(count: number): Query<typeof LineCountsPayload> {
  const text = aliased('LineCounts', 'GitObjectID!', count, linesField);
  return { name: 'LineCounts', schema: LineCountsPayload, text };
}

export function changedFiles(count: number): Query<typeof ChangedFilesPayload> {
  return {
    name: 'ChangedFiles',
    schema: ChangedFilesPayload,
    text: aliased('ChangedFiles', 'Int!', count, filesField),
  };
}

function linesField(index: number): string {
  return `i${index}: object(oid: $k${index}) { ... on Commit { additions deletions changedFilesIfAvailable } }`;
}

function filesField(index: number): string {
  const files = 'files(first: 100) { pageInfo { hasNextPage endCursor } nodes { path } }';
  return `i${index}: pullRequest(number: $k${index}) { id ${files} }`;
}

function aliased(name: string, type: string, count: number, field: (index: number) => string): string {
  const indexes = Array.from({ length: count }, (_, index) => index);
  return [
    `query ${name}($owner: String!, $name: String!, ${indexes.map((index) => `$k${index}: ${type}`).join(', ')}) {`,
    '  repository(owner: $owner, name: $name) {',
    ...indexes.map((index) => `    ${field(index)}`),
    '  }',
    '  rateLimit { cost }',
    '}',
  ].join('\n');
}

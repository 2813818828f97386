import { type Contribution, noDetails } from '../../../model/contribution.ts';
import { readEach, readOrSkip } from '../../http/read-or-skip.ts';
import { toDate } from '../../interface/collector.ts';
import { isClosedByMerge } from '../../rest/closed-by-merge.ts';
import { readAll } from '../../rest/lists.ts';
import type { Addition, StreamContext } from '../../rest/streams.ts';
import { type MergeRequestSize, readSizes, unlessNotComputed } from '../graphql.ts';
import {
  type IssuePayload,
  type MergeRequestPayload,
  MergeRequestsPayload,
  type NotePayload,
  type UserPayload,
} from '../payloads.ts';
import { projectPath } from '../projects.ts';
import type { Collector } from './collector.ts';
import { addComment, awardsOf, isAtLine, isVerdict, type Notes, readComments, readNotes, stateOf } from './notes.ts';

/** Reads issues and merge requests with their comments, reviews and reactions, which take requests of their own. */

export function readIssues(issues: readonly IssuePayload[]): Addition<Collector>[] {
  return issues.map((issue) => (collector) => void addItem(collector, 'issue', issue));
}

export function readDeepIssues(
  context: StreamContext,
  issues: readonly IssuePayload[],
): Promise<Addition<Collector>[]> {
  return readEach(context.call, 'issue', issues, (issue) => readDeepIssue(context, issue));
}

/** Reads merge requests without reviews, which GitLab shows only to requests with a token. */
export function readBareMergeRequests(mergeRequests: readonly MergeRequestPayload[]): Addition<Collector>[] {
  return mergeRequests.map((mergeRequest) => (collector) => void addItem(collector, 'pull_request', mergeRequest));
}

export function readMergeRequests(
  context: StreamContext,
  mergeRequests: readonly MergeRequestPayload[],
): Promise<Addition<Collector>[]> {
  return readEach(context.call, 'pull_request', mergeRequests, async (mergeRequest): Promise<Addition<Collector>> => {
    const notes = await readNotes(context, `merge_requests/${mergeRequest.iid}`);
    return (collector) => void addMergeRequest(collector, mergeRequest, notes);
  });
}

export async function readDeepMergeRequests(
  context: StreamContext,
  mergeRequests: readonly MergeRequestPayload[],
): Promise<Addition<Collector>[]> {
  const { client, repository, call } = context;
  const numbers = mergeRequests.map(({ iid }) => iid);
  // Where GitLab fails to compute sizes, which is expensive, the merge requests are read without.
  const sizes = await readSizes(client, repository, numbers, call).catch(unlessNotComputed);
  return readEach(call, 'pull_request', mergeRequests, (mergeRequest) =>
    readDeepMergeRequest(context, mergeRequest, sizes?.get(mergeRequest.iid)),
  );
}

async function readDeepIssue(context: StreamContext, payload: IssuePayload): Promise<Addition<Collector>> {
  const thread = `issues/${payload.iid}` as const;
  const awards = await awardsOf(context, thread);
  const comments = await readComments(
    context,
    thread,
    payload.user_notes_count !== 0 ? (await readNotes(context, thread)).items : [],
  );
  const resolver = payload.closed_at ? await resolverOf(context, payload, payload.closed_at) : null;
  return (collector) => {
    const issue = addItem(collector, 'issue', payload);
    issue.details = {
      ...commonDetails(collector, payload),
      reactions: collector.reactions(awards),
      comments: comments.length,
      resolvedBy: collector.mention(resolver),
    };
    for (const comment of comments) addComment(collector, 'issue_comment', comment, payload.iid);
  };
}

async function readDeepMergeRequest(
  context: StreamContext,
  payload: MergeRequestPayload,
  size: MergeRequestSize | undefined,
): Promise<Addition<Collector>> {
  const thread = `merge_requests/${payload.iid}` as const;
  const awards = await awardsOf(context, thread);
  const notes = await readNotes(context, thread);
  const comments = await readComments(context, thread, notes.items);
  return (collector) => {
    const pull = addMergeRequest(collector, payload, notes);
    const verdicts = notes.items.filter((note) => isReview(note, payload));
    pull.details = {
      ...commonDetails(collector, payload),
      ...size,
      // An open merge request names the user who set it to auto-merge: https://docs.gitlab.com/api/merge_requests/
      mergedBy: pull.mergedAt === null ? null : collector.mention(payload.merge_user),
      reactions: collector.reactions(awards),
      comments: comments.filter(({ note }) => !isAtLine(note)).length,
      reviewers: collector.mentionAll([...(payload.reviewers ?? []), ...verdicts.map(({ author }) => author)]),
    };
    for (const comment of comments) {
      addComment(collector, isAtLine(comment.note) ? 'review_comment' : 'pull_request_comment', comment, payload.iid);
    }
  };
}

function addItem(
  collector: Collector,
  kind: 'issue' | 'pull_request',
  payload: IssuePayload | MergeRequestPayload,
): Contribution {
  const item = collector.add(kind, collector.mention(payload.author), payload);
  item.mergedAt = 'merged_at' in payload ? toDate(payload.merged_at) : null;
  // A reopened item may still have the time of its closing; a merged one may lack it.
  item.closedAt = payload.state === 'opened' ? null : (toDate(payload.closed_at) ?? item.mergedAt);
  return item;
}

function addMergeRequest(collector: Collector, payload: MergeRequestPayload, notes: Notes): Contribution {
  const pull = addItem(collector, 'pull_request', payload);
  for (const note of notes.items.filter((one) => isReview(one, payload))) {
    const review = collector.add('review', collector.mention(note.author), note);
    review.parentExternalId = pull.externalId;
    review.details = { ...noDetails, state: stateOf(note, notes.items) };
  }
  if (notes.isWhole) collector.wholeParents.push(pull.externalId);
  return pull;
}

/** Returns whether a note is another account's review. GitLab lets authors approve their own merge requests. */
function isReview(note: NotePayload, { author }: MergeRequestPayload): boolean {
  return isVerdict(note) && (note.author === null || note.author.id !== author?.id);
}

function commonDetails(collector: Collector, payload: IssuePayload | MergeRequestPayload) {
  return {
    ...noDetails,
    number: payload.iid,
    assignees: collector.mentionAll(payload.assignees ?? []),
    labels: payload.labels,
  };
}

/** Finds the author of the merge request that closed an issue, otherwise the account that closed it. */
async function resolverOf(
  { client, repository, call }: StreamContext,
  { iid, closed_by: closer }: IssuePayload,
  closedAt: string,
): Promise<UserPayload | null> {
  const list = { path: `${projectPath(repository)}/issues/${iid}/closed_by`, items: MergeRequestsPayload };
  const closing = (await readOrSkip(call, { kind: 'event' }, () => readAll(client, list, call))) ?? [];
  const merged = closing.findLast(({ merged_at: mergedAt }) => isClosedByMerge(closedAt, mergedAt));
  return merged?.author ?? closer ?? null;
}

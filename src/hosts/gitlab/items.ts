import { Type } from 'typebox';
import { type Contribution, type ContributionDetails, noDetails, type ReviewState } from '../../model/contribution.ts';
import { Count, Text } from '../http/checks.ts';
import { describeItems, readByKey, readEach, readOrSkip, skippedItem, watchSkips } from '../http/tolerant.ts';
import { toDate } from '../interface/collector.ts';
import { isWrittenByService } from '../interface/notifier.ts';
import type { Call } from '../interface/provider.ts';
import { invalid } from '../rest/checks.ts';
import type { RestReaders } from '../rest/client.ts';
import { readAll } from '../rest/lists.ts';
import { type Addition, isClosedByMerge, ListCollector, type StreamContext } from '../rest/streams.ts';
import { toActor } from './actors.ts';
import { type MergeRequestSize, readSizes, unlessNotComputed } from './graphql.ts';
import {
  type AwardPayload,
  AwardsPayload,
  type IssuePayload,
  type MergeRequestPayload,
  MergeRequestsPayload,
  type NotePayload,
  NotesPayload,
  type UserPayload,
} from './payloads.ts';
import { projectPath } from './projects.ts';

/** Reads notes: the comments on an issue or a merge request, and GitLab's own records of events there. */

/** The part of an address that names the issue or the merge request that notes belong to. */
type Thread = `issues/${number}` | `merge_requests/${number}`;

/** A note with the reactions to it. */
interface Comment {
  note: NotePayload;
  awards: readonly AwardPayload[];
}

/** The texts of notes that record a review. GitLab writes them in English, in any language of the instance. */
const verdicts: ReadonlyMap<string, ReviewState> = new Map([
  ['approved this merge request', 'approved'],
  ['requested changes', 'changes_requested'],
]);
/** The text of a note that takes an approval back: gitlabhq/gitlabhq, app/services/system_notes/merge_requests_service.rb. */
const withdrawal = 'unapproved this merge request';
/** The character that stands for one that could not be read. */
const unknownCharacter = '\ufffd';

interface Notes {
  items: NotePayload[];
  /** True when every note could be read. */
  isWhole: boolean;
}

/** The reactions that GitHub has too, with their names in conditions. */
const emojis = new Map([
  ['thumbsup', 'THUMBS_UP'],
  ['thumbsdown', 'THUMBS_DOWN'],
  ['smile', 'LAUGH'],
  ['laughing', 'LAUGH'],
  ['tada', 'HOORAY'],
  ['confused', 'CONFUSED'],
  ['heart', 'HEART'],
  ['rocket', 'ROCKET'],
  ['eyes', 'EYES'],
]);

/** Collects the contributions on one page. */
export class Collector extends ListCollector<UserPayload> {
  protected override readonly toActor = toActor;

  /** Converts reactions. Skin tones are dropped, so that a thumb of any tone is the same reaction. */
  reactions(payloads: readonly AwardPayload[]): ContributionDetails['reactions'] {
    return payloads.map(({ name, user }) => ({
      emoji: emojis.get(name.replace(/_tone[1-5]$/, '')) ?? name,
      reactor: this.mention(user),
    }));
  }
}

/** Reads the changes of commits and merge requests. https://docs.gitlab.com/api/commits/ */
const CommitPayload = Type.Object({ stats: Type.Object({ additions: Count, deletions: Count }) });
const DiffsPayload = describeItems('file', Type.Object({ new_path: Text }));

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
  const awards = await readAwards(context, thread);
  const comments = await readComments(
    context,
    thread,
    payload.user_notes_count !== 0 ? (await readNotes(context, thread)).items : [],
  );
  const resolver = payload.closed_at ? await findResolver(context, payload, payload.closed_at) : null;
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
  const awards = await readAwards(context, thread);
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
    review.details = { ...noDetails, state: toState(note, notes.items) };
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
async function findResolver(
  { client, repository, call }: StreamContext,
  { iid, closed_by: closer }: IssuePayload,
  closedAt: string,
): Promise<UserPayload | null> {
  const list = { path: `${projectPath(repository)}/issues/${iid}/closed_by`, items: MergeRequestsPayload };
  const closing = (await readOrSkip(call, { kind: 'event' }, () => readAll(client, list, call))) ?? [];
  const merged = closing.findLast(({ merged_at: mergedAt }) => isClosedByMerge(closedAt, mergedAt));
  return merged?.author ?? closer ?? null;
}

/** Reads the line counts of commits, by id. Commits that GitLab does not show are left out. */
export const readLineCounts: RestReaders['readLineCounts'] = async (client, repository, oids, call) => {
  return readByKey(call, 'line counts', oids, async (oid) => {
    const path = `${projectPath(repository)}/repository/commits/${oid}`;
    const commit = (await client.get(`${path}?stats=true`, CommitPayload, call))?.data;
    if (commit === undefined) return undefined;
    const files = await readAll(client, { path: `${path}/diff`, items: DiffsPayload }, call);
    const { additions, deletions } = commit.stats;
    return { additions, deletions, changedFiles: files?.length ?? null };
  });
};

/** Reads the paths that merge requests change, by number. */
export const readChangedFiles: RestReaders['readChangedFiles'] = (client, repository, numbers, call) => {
  // Before 17.11 GitLab fails for more than 30 on a page.
  const query = { per_page: '30' };
  return readByKey(call, 'changed files', numbers, async (number) => {
    const list = { path: `${projectPath(repository)}/merge_requests/${number}/diffs`, query, items: DiffsPayload };
    return (await readAll(client, list, call))?.map(({ new_path: path }) => path);
  });
};

/** Reads all notes. For a public repository, those that only members see are left out. */
async function readNotes(context: StreamContext, thread: Thread): Promise<Notes> {
  const query = { order_by: 'created_at', sort: 'asc' };
  const list = { path: `${projectPath(context.repository)}/${thread}/notes`, query, items: NotesPayload };
  // The issue or merge request may have been deleted since it was listed.
  const watched = watchSkips(context.call);
  const notes = (await readAll(context.client, list, watched.call)) ?? [];
  const visibleNotes = context.repository.credentialName === null ? notes.filter((note) => !isForMembers(note)) : notes;
  const items = thread.startsWith('merge_requests/')
    ? skipUnreadableVerdicts(visibleNotes, watched.call)
    : visibleNotes;
  return { items, isWhole: !watched.hasSkipped() };
}

/** Leaves out notes that may be reviews and whose text does not show it. */
function skipUnreadableVerdicts(notes: readonly NotePayload[], call: Call): NotePayload[] {
  return notes.filter((note) => {
    if (!mayBeVerdict(note)) return true;
    call.onSkipped?.(skippedItem('review', invalid('the text of a note does not show whether it is a review')));
    return false;
  });
}

function isForMembers({ internal, confidential }: NotePayload): boolean {
  return internal === true || confidential === true;
}

function isVerdict({ system, body }: NotePayload): boolean {
  return system && verdicts.has(normalized(body));
}

/**
 * Returns the present state of a verdict: an approval is dismissed when the next note of its author about approving takes
 * it back.
 * @param notes all notes, the first ones first.
 */
export function toState(verdict: NotePayload, notes: readonly NotePayload[]): ReviewState | null {
  const state = verdicts.get(normalized(verdict.body)) ?? null;
  if (state !== 'approved') return state;
  const later = notes.slice(notes.indexOf(verdict) + 1);
  const next = later.find(
    ({ system, body, author }) =>
      system &&
      author?.id === verdict.author?.id &&
      (normalized(body) === withdrawal || verdicts.get(normalized(body)) === state),
  );
  return next !== undefined && normalized(next.body) === withdrawal ? 'dismissed' : state;
}

/**
 * Returns whether the text of a note is unreadable and the note may be a verdict: a verdict contains the readable
 * characters in the same order. Other notes quote titles, which may contain U+FFFD themselves. An empty text is
 * unreadable, because GitLab stores none: gitlabhq/gitlabhq, app/models/concerns/notes/active_record.rb.
 */
function mayBeVerdict({ system, body }: NotePayload): boolean {
  const text = normalized(body);
  if (!system || (text !== '' && !text.includes(unknownCharacter))) return false;
  const readable = text.replaceAll(unknownCharacter, '');
  return [...verdicts.keys()].some((verdict) => containsInOrder(verdict, readable));
}

function containsInOrder(text: string, characters: string): boolean {
  let found = 0;
  for (const character of text) if (character === characters[found]) found += 1;
  return found === characters.length;
}

function normalized(body: string): string {
  return body.trim().toLowerCase();
}

/** Reads the reactions to the comments among notes. */
function readComments(context: StreamContext, thread: Thread, notes: readonly NotePayload[]): Promise<Comment[]> {
  const written = notes.filter(({ system }) => !system);
  return Promise.all(
    written.map(async (note) => ({ note, awards: await readAwards(context, `${thread}/notes/${note.id}`) })),
  );
}

async function readAwards(
  { client, repository, call }: StreamContext,
  itemPath: Thread | `${Thread}/notes/${number}`,
): Promise<AwardPayload[]> {
  const list = { path: `${projectPath(repository)}/${itemPath}/award_emoji`, items: AwardsPayload };
  return (await readOrSkip(call, { kind: 'reaction' }, () => readAll(client, list, call))) ?? [];
}

/** Returns whether a note is at a line of the changes. */
function isAtLine({ type }: NotePayload): boolean {
  return type === 'DiffNote' || type === 'LegacyDiffNote';
}

function addComment(
  collector: Collector,
  kind: 'issue_comment' | 'pull_request_comment' | 'review_comment',
  { note, awards }: Comment,
  number: number,
): void {
  const author = isWrittenByService(note.body) ? null : collector.mention(note.author);
  const comment = collector.add(kind, author, note);
  comment.details = { ...noDetails, number, reactions: collector.reactions(awards) };
}

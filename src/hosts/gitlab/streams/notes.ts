import { noDetails, type ReviewState } from '../../../model/contribution.ts';
import { readOrSkip, skippedItem, watchSkips } from '../../http/read-or-skip.ts';
import type { Call } from '../../interface/call.ts';
import { isWrittenByService } from '../../interface/notifier.ts';
import { invalid } from '../../rest/checks.ts';
import { readAll } from '../../rest/lists.ts';
import type { StreamContext } from '../../rest/streams.ts';
import { type AwardPayload, AwardsPayload, type NotePayload, NotesPayload } from '../payloads.ts';
import { projectPath } from '../projects.ts';
import type { Collector } from './collector.ts';

/** Reads notes: the comments on an issue or a merge request, and GitLab's own records of events there. */

/** The part of an address that names the issue or the merge request that notes belong to. */
export type Thread = `issues/${number}` | `merge_requests/${number}`;

/** A note with the reactions to it. */
export interface Comment {
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

export interface Notes {
  items: NotePayload[];
  /** True when every note could be read. */
  isWhole: boolean;
}

/** Reads all notes. For a public repository, those that only members see are left out. */
export async function readNotes(context: StreamContext, thread: Thread): Promise<Notes> {
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

export function isVerdict({ system, body }: NotePayload): boolean {
  return system && verdicts.has(normalized(body));
}

/**
 * Returns the present state of a verdict: an approval is dismissed when the next note of its author about approving takes
 * it back.
 * @param notes all notes, the first ones first.
 */
export function stateOf(verdict: NotePayload, notes: readonly NotePayload[]): ReviewState | null {
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
export function readComments(
  context: StreamContext,
  thread: Thread,
  notes: readonly NotePayload[],
): Promise<Comment[]> {
  const written = notes.filter(({ system }) => !system);
  return Promise.all(
    written.map(async (note) => ({ note, awards: await awardsOf(context, `${thread}/notes/${note.id}`) })),
  );
}

export async function awardsOf(
  { client, repository, call }: StreamContext,
  itemPath: Thread | `${Thread}/notes/${number}`,
): Promise<AwardPayload[]> {
  const list = { path: `${projectPath(repository)}/${itemPath}/award_emoji`, items: AwardsPayload };
  return (await readOrSkip(call, { kind: 'reaction' }, () => readAll(client, list, call))) ?? [];
}

/** Returns whether a note is at a line of the changes. */
export function isAtLine({ type }: NotePayload): boolean {
  return type === 'DiffNote' || type === 'LegacyDiffNote';
}

export function addComment(
  collector: Collector,
  kind: 'issue_comment' | 'pull_request_comment' | 'review_comment',
  { note, awards }: Comment,
  number: number,
): void {
  const author = isWrittenByService(note.body) ? null : collector.mention(note.author);
  const comment = collector.add(kind, author, note);
  comment.details = { ...noDetails, number, reactions: collector.reactions(awards) };
}

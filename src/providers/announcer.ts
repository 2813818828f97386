import type { Call } from './call.ts';

/** Where a comment goes: a discussion or, where the provider has none, an open issue. */
export interface DiscussionPlace {
  /** The owner's immutable id: only what that account let the service do is done. */
  owner: string;
  ownerName: string;
  repository: string;
  /** The title, without spaces around it; of several, the one that was opened first. */
  title: string;
}

/** What is wrong, or was tried, at a place of a file. Lines and columns count from 1. */
export interface CheckAnnotation {
  path: string;
  line: number;
  column: number;
  endLine: number;
  /** Behind the last character. */
  endColumn: number;
  severity: 'error' | 'warning';
  message: string;
}

/** What was found about a file on a commit. */
export interface FileCheck {
  commit: string;
  /** The same for the same commit: it is told once. */
  id: string;
  name: string;
  title: string;
  summary: string;
  annotations: readonly CheckAnnotation[];
}

/** Returns the mark that ends a comment of the service, by which the comment is found again. Readers do not see it. */
export function markOf(id: string): string {
  return `<!-- plaudit ${id} -->`;
}

/**
 * Returns whether the service wrote a comment. Its token may be a person's, so that the author alone does not tell. A reply
 * that quotes the comment holds the mark as well, but behind `>` and before the text of the reply.
 */
export function isWrittenByService(body: string): boolean {
  return /(?:^|\n)<!-- plaudit \S{1,100} -->\s*$/.test(body);
}

/**
 * A provider at which the service may write. Methods throw as those of `Provider`: `not_found` where there is no such
 * place, `provider_denied` where the service may not write there.
 */
export interface Announcer {
  /**
   * Comments there, unless a comment with this id is there: a repetition changes nothing.
   * @param comment.text Markdown
   */
  comment(place: DiscussionPlace, comment: { id: string; text: string }, call: Call): Promise<void>;
  /** Tells authors what is wrong with a file that they changed, once for a commit; absent where it cannot. */
  reportCheck?(
    repository: { owner: string; ownerName: string; repository: string },
    check: FileCheck,
    call: Call,
  ): Promise<void>;
}

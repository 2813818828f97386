import type { Call } from './call.ts';

/** The place for a comment: a discussion or, at providers without discussions, an open issue. */
export interface DiscussionPlace {
  /** The owner's immutable id. The service writes only with the permissions that this account granted. */
  owner: string;
  ownerName: string;
  repository: string;
  /** The title, compared without surrounding spaces. The oldest of several with the same title is taken. */
  title: string;
}

/** A message about a range in a file. Lines and columns count from 1. */
export interface CheckAnnotation {
  path: string;
  line: number;
  column: number;
  endLine: number;
  /** The column behind the last character. */
  endColumn: number;
  severity: 'error' | 'warning';
  message: string;
}

/** The result of checking a file at a commit. */
export interface FileCheck {
  commit: string;
  /** Always the same for a commit, so that its check is reported once. */
  id: string;
  name: string;
  title: string;
  summary: string;
  annotations: readonly CheckAnnotation[];
}

/**
 * Returns the invisible mark that ends each comment of the service, and by which the service finds the comment again.
 */
export function formatMark(id: string): string {
  return `<!-- plaudit ${id} -->`;
}

/**
 * Returns whether the service wrote a comment. The author is no proof, because the token may belong to a person. A
 * reply that quotes the comment holds the mark as well, but behind `>` and before the text of the reply.
 */
export function isWrittenByService(body: string): boolean {
  return /(?:^|\n)<!-- plaudit \S{1,100} -->\s*$/.test(body);
}

/**
 * A provider at which the service may write. Its methods throw the errors of `Provider`: `not_found` when the place
 * does not exist, `provider_denied` when the service may not write there.
 */
export interface Notifier {
  /**
   * Adds a comment unless the place holds one with this id, so that a repeated call changes nothing.
   * @param comment.text in Markdown.
   */
  comment(place: DiscussionPlace, comment: { id: string; text: string }, call: Call): Promise<void>;
  /** Reports the faults of a changed file to its authors, once a commit; absent where the provider has no checks. */
  reportCheck?(
    repository: { owner: string; ownerName: string; repository: string },
    check: FileCheck,
    call: Call,
  ): Promise<void>;
}

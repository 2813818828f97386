import { createHash } from 'node:crypto';

/** Parts of cursors into lists of windows. They hold the ends of the window, so that pages of `last-7d` fit together past midnight. */

/** Returns an end of a window in ms since 1970; an open one is empty. */
export function toCursor(end: Date | null): number | string {
  return end?.getTime() ?? '';
}

export function fromCursor(end: number | string): Date | null {
  return typeof end === 'number' ? new Date(end) : null;
}

/** Returns a short name of everything that a list depends on, because cursors are parts of URLs. */
export function listKeyOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
}

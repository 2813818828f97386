import { createHash } from 'node:crypto';

/**
 * Parts of cursors into lists of windows: the ends of the window, so that pages of `last-7d` fit together past
 * midnight.
 */

/** Returns an end of a window in ms since 1970; an open one is empty. */
export function toCursor(end: Date | null): number | string {
  return end?.getTime() ?? '';
}

/** Reads an end of a window that `toCursor` wrote. */
export function fromCursor(end: number | string): Date | null {
  return typeof end === 'number' ? new Date(end) : null;
}

/** Returns a hash of everything that a list depends on; its 16 characters keep cursors short in URLs. */
export function toListKey(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
}

import type { ItemKind } from '../../../model/contribution.ts';
import { readOrSkip } from '../../http/read-or-skip.ts';
import type { Call } from '../../interface/provider.ts';
import { TooHeavy } from '../failures.ts';

/** Returns whether GitHub could not compute the response to a query, even for one item. */
export const isTooHeavy = (error: unknown): boolean => error instanceof TooHeavy;

/**
 * Reads one item with its further pages. Records an item that GitHub refuses or cannot compute as skipped, so that the
 * items after it are still read.
 */
export async function readItem(call: Call, kind: ItemKind, read: () => unknown): Promise<void> {
  await readOrSkip(call, { kind, isOfItem: isTooHeavy }, async () => {
    await read();
  });
}

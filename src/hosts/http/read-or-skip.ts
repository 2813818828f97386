import { AppError, type ErrorCode } from '../../model/errors.ts';
import type { Call, SkippedPart } from '../interface/call.ts';

/** Failures that concern the item and not the host: a retry would fail the same way. */
const itemFailures = new Set<ErrorCode>(['provider_denied', 'provider_invalid_response', 'not_found']);

/**
 * Reads an item that takes requests of its own. Where they fail for a reason that lies in the item, it is skipped and
 * reported.
 * @param item.isOfItem recognizes further errors that concern the item alone.
 * @returns undefined when the item is skipped.
 */
export async function readOrSkip<Item>(
  call: Call,
  item: { kind: string; isOfItem?: (error: unknown) => boolean },
  read: () => Promise<Item>,
): Promise<Item | undefined> {
  try {
    return await read();
  } catch (error) {
    const isOfItem = error instanceof AppError && itemFailures.has(error.code);
    if (!isOfItem && item.isOfItem?.(error) !== true) throw error;
    call.onSkipped?.(skippedItem(item.kind, error));
    return undefined;
  }
}

/** Reads items in parallel. @returns those that are not skipped, in the same order. */
export async function readEach<Item, Read>(
  call: Call,
  kind: string,
  items: readonly Item[],
  read: (item: Item) => Promise<Read>,
): Promise<Read[]> {
  const all = await Promise.all(items.map((item) => readOrSkip(call, { kind }, () => read(item))));
  return all.filter((item) => item !== undefined);
}

/**
 * Reads an item for each key, one after the other.
 * @returns the items by key, without those that are skipped or absent.
 */
export async function readByKey<Read>(
  call: Call,
  kind: string,
  keys: readonly string[],
  read: (key: string) => Promise<Read | null | undefined>,
): Promise<Map<string, Read>> {
  const found = new Map<string, Read>();
  for (const key of keys) {
    const item = await readOrSkip(call, { kind }, () => read(key));
    if (item !== null && item !== undefined) found.set(key, item);
  }
  return found;
}

/** Returns the report of an item that is left out because of an error. */
export function skippedItem(kind: string, error: unknown): SkippedPart {
  const isRefused = error instanceof AppError && error.code !== 'provider_invalid_response';
  return {
    kind,
    reason: isRefused ? 'refused' : 'unreadable',
    path: `/${kind}`,
    explanation: error instanceof AppError ? (error.reason ?? '') : '',
    isStored: false,
    isCounted: false,
  };
}

/** Returns a call that also counts skipped parts: a list with gaps must not remove stored items. */
export function watchSkips(call: Call): { call: Call; hasSkipped: () => boolean } {
  let skipped = 0;
  const onSkipped = (part: SkippedPart): void => {
    skipped += 1;
    call.onSkipped?.(part);
  };
  return { call: { ...call, onSkipped }, hasSkipped: () => skipped > 0 };
}

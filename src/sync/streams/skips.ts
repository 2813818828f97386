import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import type { Call, SkippedPart } from '../../hosts/interface/provider.ts';
import type { SyncContext } from '../context.ts';
import { deleteSkippedBefore, type SkipTarget, saveSkipped } from './skip-store.ts';

/** Collects the parts of responses that are skipped while a call is used. */
export class SkipCollector {
  readonly call: Call;
  #parts: SkippedPart[] = [];

  constructor(call: Call) {
    const onSkipped = (part: SkippedPart): void => {
      this.#parts.push(part);
      call.onSkipped?.(part);
    };
    this.call = { ...call, onSkipped };
  }

  /** Returns the parts that were skipped since the last call. */
  take(): SkippedPart[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }
}

/** Stores skipped parts in the transaction of the page around them, counts each, and logs those at a new place. */
export async function recordSkips(
  context: SyncContext,
  transaction: Connection,
  at: { provider: string; target: SkipTarget; stream: string; seenAt: Date },
  parts: readonly SkippedPart[],
): Promise<void> {
  if (parts.length === 0) return;
  const isNew = await saveSkipped(transaction, at, parts);
  const { provider, target, stream } = at;
  for (const [index, part] of parts.entries()) {
    context.onSkip({ ...part, provider, target, stream }, { isNew: isNew[index] ?? false });
  }
}

/** Replaces the skipped parts of an earlier run, except those of kept paths, by those of one that began at `seenAt`. */
export async function replaceSkips(
  context: SyncContext,
  at: { provider: string; target: SkipTarget; stream: string; seenAt: Date },
  parts: readonly SkippedPart[],
  keptPaths: readonly string[] = [],
): Promise<void> {
  // Most runs skip nothing, and then one statement is enough.
  if (parts.length === 0) return deleteSkippedBefore(context.connection, at, keptPaths);
  await inTransaction(context.connection, async (transaction) => {
    await recordSkips(context, transaction, at, parts);
    await deleteSkippedBefore(transaction, at, keptPaths);
  });
}

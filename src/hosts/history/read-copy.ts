import assert from 'node:assert/strict';
import { AppError } from '../../model/errors.ts';
import { copyExists, removeCopy } from './copy-files.ts';
import { GitFailure, streamGit } from './git.ts';
import { HistoryOutOfMemory, isOutOfMemory } from './too-large.ts';

/**
 * Yields git's output. A copy that git cannot read is removed, so that the next fetch makes it again.
 * @throws HistoryOutOfMemory; AppError `conflict` when another process removed the copy, `provider_invalid_response` when it is unreadable.
 */
export async function* readCopy(
  directory: string,
  parameters: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* streamGit(directory, parameters, { signal });
  } catch (cause) {
    if (!(cause instanceof GitFailure)) throw cause;
    if (isOutOfMemory(cause.message)) throw new HistoryOutOfMemory();
    if (!(await copyExists(directory))) {
      throw new AppError('conflict', 'The local copy of the history was removed while it was read.', { cause });
    }
    await removeCopy(directory);
    throw new AppError('provider_invalid_response', 'The history cannot be read.', { cause });
  }
}

/** Returns an id after checking its form, so that git cannot take it for an option or a path. */
export function checkOid(oid: string): string {
  assert.match(oid, /^([0-9a-f]{40}|[0-9a-f]{64})$/);
  return oid;
}

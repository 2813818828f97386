import assert from 'node:assert/strict';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AppError } from '../../model/errors.ts';
import { GitFailure, streamGit } from './git.ts';
import { HistoryOutOfMemory, isOutOfMemory } from './remote-failure.ts';

/** Returns whether the directory holds files that git could take for a repository. */
export async function copyExists(directory: string): Promise<boolean> {
  const sizes = await Promise.all(['HEAD', 'config'].map((name) => findSize(join(directory, name))));
  return !sizes.includes(undefined);
}

/** Removes a local copy. It removes `HEAD` first, so that the rest of an interrupted removal is no repository. */
export async function removeCopy(directory: string): Promise<void> {
  await rm(join(directory, 'HEAD'), { force: true });
  // A git process that was just killed may still have written files.
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
}

/** Removes the locks and unfinished packs that a killed git process left behind. */
export async function sweepCopy(directory: string): Promise<void> {
  const paths = await readdir(directory, { recursive: true });
  const stale = paths.filter((path) => /\.(lock|keep)$/.test(path) || basename(path).startsWith('tmp_'));
  await Promise.all(stale.map((path) => rm(join(directory, path), { recursive: true, force: true })));
}

interface PackSummary {
  /** The size of all packs, unfinished ones too; the rest of a copy takes next to nothing. */
  bytes: number;
  count: number;
}

/** Measures the packs of a copy; both numbers are 0 when there is no copy. */
export async function measurePacks(directory: string): Promise<PackSummary> {
  const packs = join(directory, 'objects', 'pack');
  const names = await readdir(packs).catch(() => []);
  const sizes = await Promise.all(names.map((name) => findSize(join(packs, name))));
  return {
    bytes: sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0),
    count: names.filter((name) => name.endsWith('.pack')).length,
  };
}

/** Returns the size of a file in bytes, or undefined when it does not exist (any more). */
async function findSize(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.size;
}

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

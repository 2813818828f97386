import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** Whether there is anything that git could take for a repository. */
export async function copyExists(directory: string): Promise<boolean> {
  const sizes = await Promise.all(['HEAD', 'config'].map((name) => sizeOf(join(directory, name))));
  return !sizes.includes(undefined);
}

/** Removes a local copy. When that is interrupted, what is left is no repository. */
export async function removeCopy(directory: string): Promise<void> {
  await rm(join(directory, 'HEAD'), { force: true });
  // A git that was just killed may have been writing.
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
}

/** Removes what a git that was killed left behind: locks that nobody holds, and packs that nobody will finish. */
export async function sweepCopy(directory: string): Promise<void> {
  const paths = await readdir(directory, { recursive: true });
  const stale = paths.filter((path) => /\.(lock|keep)$/.test(path) || basename(path).startsWith('tmp_'));
  await Promise.all(stale.map((path) => rm(join(directory, path), { recursive: true, force: true })));
}

export interface PackSummary {
  /** Of all packs, unfinished ones too; besides them a copy has next to nothing. */
  bytes: number;
  count: number;
}

/** Nothing, where there is no copy. */
export async function measurePacks(directory: string): Promise<PackSummary> {
  const packs = join(directory, 'objects', 'pack');
  const names = await readdir(packs).catch(() => []);
  const sizes = await Promise.all(names.map((name) => sizeOf(join(packs, name))));
  return {
    bytes: sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0),
    count: names.filter((name) => name.endsWith('.pack')).length,
  };
}

/** In bytes; undefined: there is no such file (any more). */
async function sizeOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.size;
}

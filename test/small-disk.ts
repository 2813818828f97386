import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file system in memory, of a limited size. */
export interface SmallDisk extends Disposable {
  path: string;
  /** Returns the path of a file on it. */
  pathOf(name: string): string;
  /** Takes all space that is left, with the file `filling`. */
  fill(): void;
}

/**
 * Mounts a small file system where the operating system permits it.
 * @param limits as of mount, such as `size=12m` or `nr_inodes=100`.
 * @returns undefined where it does not.
 */
export function mountSmallDisk(path: string, limits: string): SmallDisk | undefined {
  mkdirSync(path, { recursive: true });
  if (process.getuid?.() !== 0) return undefined;
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', limits, 'tmpfs', path]).status !== 0) return undefined;
  return {
    path,
    pathOf: (name) => join(path, name),
    fill: () => {
      const filled = spawnSync('dd', ['if=/dev/zero', `of=${join(path, 'filling')}`, 'bs=4k']);
      if (filled.status === 0) throw new Error('the disk has no limit');
    },
    [Symbol.dispose]: () => {
      spawnSync('umount', ['-l', path]);
    },
  };
}

/** Creates empty files in a directory until the file system has no inode left. */
export function useInodes(directory: string): void {
  try {
    for (let count = 0; ; count += 1) writeFileSync(join(directory, `inode-${count}`), '');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}

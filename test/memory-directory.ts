import { accessSync, constants, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file system in memory that Linux systems have. */
const memoryDirectory = '/dev/shm';
/** A test run takes less than half of it. */
const neededBytes = 4 * 1024 ** 3;

/**
 * Lets this process and those that it starts make their temporary files in memory, where there is room for them. On a
 * disk, creating and dropping the databases of the tests takes five times the processor time, and waits for the disk.
 * TMPDIR stays as it is when it is set.
 */
export function useMemoryForTemporaryFiles(): void {
  if (process.env['TMPDIR'] !== undefined || process.availableMemory() < neededBytes) return;
  if (isUsable(memoryDirectory)) process.env['TMPDIR'] = memoryDirectory;
}

/** Returns whether a directory has room, and lets programs run: containers often mount this one without either. */
function isUsable(directory: string): boolean {
  const probe = join(directory, `plaudit-probe-${process.pid}`);
  try {
    const { bavail, bsize } = statfsSync(directory);
    if (bavail * bsize < neededBytes) return false;
    writeFileSync(probe, '', { mode: 0o700 });
    accessSync(probe, constants.X_OK);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(probe, { force: true });
  }
}

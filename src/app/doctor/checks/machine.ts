import { tmpdir } from 'node:os';
import { findGit } from '../../../hosts/history/git.ts';
import { AppError } from '../../../model/errors.ts';
import { exhaustedAt, type FreeSpace, readFreeSpace } from '../../../model/free-space.ts';
import { counted } from '../../../model/text.ts';
import { type Finding, found } from '../finding.ts';

/** Checks that there is a git that can read histories. */
export async function checkGit(signal: AbortSignal): Promise<Finding[]> {
  try {
    const version = await findGit(signal);
    return [found('machine', { severity: 'fine', code: 'git_found', message: `git is version ${version}.` })];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { message } = error;
    const remedy = 'Install a newer git, or put it on the PATH of the service. Without it no commits are read.';
    return [found('machine', { severity: 'problem', code: 'git_unfit', message, remedy })];
  }
}

const gib = 1024 ** 3;
/** The free space below which PostgreSQL and copies of histories may fail at any moment. */
const leastFreeBytes = gib;
/** The free space that copies of histories may need while the service runs. */
const comfortableFreeBytes = 10 * gib;

/** The inodes below which copies of histories may fail at any moment: each has some dozen files. */
const leastFreeInodes = 1000;

/** Checks the free space where the service keeps its data and its temporary files. */
export async function checkDisk(dataDir: string): Promise<Finding[]> {
  const free = readFreeSpace(dataDir);
  const temporary = tmpdir();
  const exhausted = exhaustedAt(temporary);
  return [
    ...(free === undefined ? [] : [examineDisk(dataDir, free)]),
    ...(exhausted === undefined || exhaustedAt(dataDir) !== undefined ? [] : [temporaryFull(temporary, exhausted)]),
  ];
}

/** Checks the free space. @param free what the service may still write. */
export function examineDisk(dataDir: string, { bytes, inodes }: FreeSpace): Finding {
  const remedy = 'Make room there, or let DATA_DIR name another disk.';
  if (inodes !== undefined && inodes < leastFreeInodes) {
    const message = `Only ${counted(inodes, 'inode')} ${inodes === 1 ? 'is' : 'are'} free in ${dataDir} (DATA_DIR): no more files can be created.`;
    return found('machine', { severity: 'problem', code: 'disk_full', message, remedy });
  }
  const message = `${(bytes / gib).toFixed(1)} GiB are free in ${dataDir} (DATA_DIR).`;
  if (bytes < leastFreeBytes) return found('machine', { severity: 'problem', code: 'disk_full', message, remedy });
  if (bytes < comfortableFreeBytes) return found('machine', { severity: 'hint', code: 'disk_space', message, remedy });
  return found('machine', { severity: 'fine', code: 'disk_space', message });
}

function temporaryFull(directory: string, exhausted: 'bytes' | 'inodes'): Finding {
  return found('machine', {
    severity: 'problem',
    code: 'disk_full',
    message: `${exhausted === 'bytes' ? 'No space is' : 'No inodes are'} left in ${directory} (TMPDIR).`,
    remedy: 'Delete files there, or let TMPDIR name another directory.',
  });
}

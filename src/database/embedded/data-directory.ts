import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../../model/errors.ts';
import { explainDirectoryError } from './failure.ts';

/** The mode bits of everyone but the owner. */
const otherUsersBits = 0o077;
/** In a directory with this bit, such as /tmp, users keep files side by side. */
const stickyBit = 0o1000;
const rootUid = 0;

/** Returns the directory of git histories. No other user of the machine may read it: repositories can be private. */
export const toHistoriesPath = (dataDir: string): string => join(dataDir, 'histories');

/**
 * Creates DATA_DIR and the directory of histories where they do not exist, and makes them private. When they were open
 * to other users, their contents become private as well.
 * @throws AppError `misconfigured` with one line for the operator, when another user owns them or the directory is shared.
 */
export function prepareDataDirectory(dataDir: string): void {
  const histories = toHistoriesPath(dataDir);
  try {
    makeDirectory(dataDir);
    const dataDirStats = statSync(dataDir);
    // Root runs the embedded database as the owner of the directory.
    if (process.geteuid?.() !== rootUid) refuseOthers(dataDir, dataDirStats);
    if ((dataDirStats.mode & stickyBit) !== 0) {
      throw new AppError('misconfigured', `DATA_DIR: ${dataDir} is shared by all users; name a directory below it`);
    }
    makeDirectory(histories);
    const historiesStats = lstatSync(histories);
    refuseOthers(histories, historiesStats);
    if (!historiesStats.isDirectory()) {
      throw new AppError('misconfigured', `DATA_DIR: ${histories} is no directory; remove it`);
    }
    const wereOpen = ((dataDirStats.mode | historiesStats.mode) & otherUsersBits) !== 0;
    chmodSync(dataDir, 0o700);
    chmodSync(histories, 0o700);
    if (wereOpen) makeContentsPrivate(histories);
  } catch (error) {
    throw explainDirectoryError(error, dataDir);
  }
}

/**
 * Stores the trusted authorities in DATA_DIR, for git. Several processes of a node may store them at once.
 * @returns the path of the file.
 */
export function saveAuthorities(dataDir: string, authorities: string): string {
  const path = join(dataDir, 'authorities.pem');
  const written = `${path}.${process.pid}`;
  try {
    writeFileSync(written, authorities);
    renameSync(written, path);
  } catch (error) {
    throw explainDirectoryError(error, dataDir);
  }
  return path;
}

function refuseOthers(path: string, { uid }: Stats): void {
  if (process.geteuid === undefined || uid === process.geteuid()) return;
  throw new AppError(
    'misconfigured',
    `DATA_DIR: ${path} belongs to user ${uid}; run this as that user, or name another directory`,
  );
}

/** Takes the rights of other users from all files below a directory; symbolic links have no rights of their own. */
function makeContentsPrivate(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isSymbolicLink()) continue;
    const { mode } = lstatSync(path);
    if ((mode & otherUsersBits) !== 0) chmodSync(path, mode & 0o700);
    if (entry.isDirectory()) makeContentsPrivate(path);
  }
}

/**
 * Creates a directory and its missing parents, for this user alone. Node's own `recursive` never ends where a file system refuses a
 * new directory with ENOENT, as /proc does.
 */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

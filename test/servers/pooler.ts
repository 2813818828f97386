import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, statSync } from 'node:fs';
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Client } from 'pg';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { chooseServerUser } from '../../src/database/embedded/server-user.ts';
import { until } from '../time.ts';
import { enterable } from './packages.ts';

const port = 6432;
const maxClients = 500;

/** PgBouncer in front of a server. It is started again when it ends, as service managers do. */
export interface Pooler extends AsyncDisposable {
  /** Returns the address of a database of the server through the pooler. */
  toUrl: (databaseUrl: string) => string;
}

export interface PoolerOptions {
  mode?: 'transaction' | 'session';
  /** The number of connections to each database. */
  size?: number;
  /** Names of parameters of connections that the pooler ignores, separated by commas; others are refused. */
  ignoredParameters?: string;
}

/** The reason for which tests with a pooler are left out; false when they can run. */
export const poolerIsMissing = findProgram() === undefined && 'PgBouncer is not installed (apt-get install pgbouncer)';

/** Starts PgBouncer in front of the server of a database that is reached by a socket or without TLS. */
export async function startPooler(databaseUrl: string, options: PoolerOptions = {}): Promise<Pooler> {
  const program = findProgram();
  if (program === undefined) throw new Error('PgBouncer is not installed');
  await using stack = new AsyncDisposableStack();
  const temporary = stack.use(await makeTemporaryDirectory());
  const directory = temporary.pathOf('pooler');
  await mkdir(directory);
  await chmod(temporary.path, enterable);
  const user = await findUser(databaseUrl, directory);
  if (user.isOther) await chown(directory, user.uid, user.gid);
  const file = join(directory, 'pgbouncer.ini');
  await writeFile(file, configuration(databaseUrl, directory, options), { mode: 0o644 });
  const running = new Running(() =>
    spawn(program, [file], {
      ...(user.isOther && { uid: user.uid, gid: user.gid }),
      // The program refuses to run as root, and needs no environment.
      env: {},
      stdio: 'ignore',
    }),
  );
  stack.defer(() => running.end());
  const toUrl = (url: string): string =>
    `postgresql://${new URL(url).pathname}?${new URLSearchParams({ host: directory, port: String(port), user: 'any' }).toString()}`;
  await until(async () => responds(toUrl(databaseUrl)), 'the pooler responds');
  const opened = stack.move();
  return { toUrl, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

function findProgram(): string | undefined {
  return [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
    .map((folder) => join(folder, 'pgbouncer'))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Chooses a user that may enter the directory of the server's socket. */
async function findUser(
  databaseUrl: string,
  directory: string,
): Promise<{ uid: number; gid: number; isOther: boolean }> {
  const host = new URL(databaseUrl).searchParams.get('host');
  const user = await chooseServerUser(directory, join(directory, 'none'));
  if (!user.isOther || host?.startsWith('/') !== true) return user;
  const { uid, gid } = statSync(host);
  return uid === 0 ? user : { uid, gid, isOther: true };
}

function configuration(databaseUrl: string, directory: string, options: PoolerOptions): string {
  const { mode = 'transaction', size = 4, ignoredParameters = '' } = options;
  const { searchParams, hostname, port: ownPort, username, password } = new URL(databaseUrl);
  const server = {
    host: searchParams.get('host') ?? hostname,
    port: searchParams.get('port') ?? (ownPort || '5432'),
    user: searchParams.get('user') ?? decodeURIComponent(username),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  };
  return [
    '[databases]',
    `* = ${Object.entries(server)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}`,
    '[pgbouncer]',
    `unix_socket_dir = ${directory}`,
    `listen_port = ${port}`,
    'auth_type = any',
    `pool_mode = ${mode}`,
    `default_pool_size = ${size}`,
    `max_client_conn = ${maxClients}`,
    `ignore_startup_parameters = ${ignoredParameters}`,
    '',
  ].join('\n');
}

class Running {
  readonly #start: () => ChildProcess;
  #process: ChildProcess;
  #isEnding = false;

  constructor(start: () => ChildProcess) {
    this.#start = start;
    this.#process = this.#keep(start());
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await ended;
  }

  #keep(child: ChildProcess): ChildProcess {
    child.on('exit', () => {
      if (!this.#isEnding) this.#process = this.#keep(this.#start());
    });
    return child;
  }
}

async function responds(url: string): Promise<true | undefined> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select');
    return true;
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => {});
  }
}

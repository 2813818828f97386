import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { openDatabase } from '../../src/database/connections/open.ts';
import { chooseServerUser, type ServerUser } from '../../src/database/embedded/server-user.ts';
import { distribute } from '../../src/database/schema/citus.ts';
import { findPort } from '../find-port.ts';
import { until } from '../time.ts';
import { enterable } from './packages.ts';

/** A Citus cluster: a coordinator, which has no part of distributed tables, and two workers. */
export interface Cluster extends AsyncDisposable {
  /** The addresses of the servers, that of the coordinator first. */
  urls: readonly string[];
  /** Ends a worker as a crash would. @param worker 1 or 2. */
  crash(worker: number): Promise<void>;
  /** Starts a worker again, which recovers its data. */
  restart(worker: number): Promise<void>;
}

const servers = ['coordinator', 'worker-1', 'worker-2'];
const host = '127.0.0.1';
const superuser = 'postgres';
/** Shards of a table: fewer than Citus makes by default, so that databases are made and copied sooner. */
const shards = 4;
const settings = {
  listen_addresses: host,
  shared_preload_libraries: 'citus',
  'citus.shard_count': shards,
  // Soon ends the prepared transactions of a server that crashed between the two phases of a commit.
  'citus.recover_2pc_interval': '1s',
  max_connections: 1000,
  max_prepared_transactions: 1000,
  // Each database of a cluster has a daemon of its own.
  max_worker_processes: 200,
  shared_buffers: '64MB',
  timezone: 'UTC',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
};

/** The reason for which tests with a cluster are left out; false when they can run. */
export const citusIsMissing =
  findPrograms() === undefined && 'no PostgreSQL in /usr/lib/postgresql has the extension citus';

/** Returns the folder with the programs of the newest PostgreSQL that has the extension, as Debian installs both. */
function findPrograms(): string | undefined {
  return globSync('/usr/share/postgresql/*/extension/citus.control')
    .map((control) => `/usr/lib/postgresql/${control.split('/').at(-3)}/bin`)
    .filter((folder) => existsSync(join(folder, 'initdb')))
    .toSorted()
    .at(-1);
}

/** Starts the servers of a cluster in a directory of their own; no database is distributed yet. */
export async function startCluster(): Promise<Cluster> {
  const programs = findPrograms();
  if (programs === undefined) throw new Error(String(citusIsMissing));
  await using stack = new AsyncDisposableStack();
  const temporary = stack.use(await makeTemporaryDirectory());
  await chmod(temporary.path, enterable);
  const started: Server[] = [];
  for (const name of servers) {
    const directory = temporary.pathOf(name);
    await mkdir(directory);
    const user = await chooseServerUser(directory, join(directory, 'none'));
    if (user.isOther) await chown(directory, user.uid, user.gid);
    const server = new Server(programs, { directory, user, port: await findPort() });
    await server.initialize();
    await server.start();
    stack.defer(() => server.end('SIGINT'));
    started.push(server);
  }
  const opened = stack.move();
  return {
    urls: started.map(({ url }) => url),
    // An immediate shutdown leaves as much as a crash.
    crash: async (worker) => started[worker]?.end('SIGQUIT'),
    restart: async (worker) => started[worker]?.start(),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

interface Place {
  directory: string;
  user: ServerUser;
  port: number;
}

/** One server of a cluster. */
class Server {
  readonly url: string;
  readonly #programs: string;
  readonly #place: Place;
  #process: ChildProcess | undefined;

  constructor(programs: string, place: Place) {
    this.url = `postgresql://${superuser}@${host}:${place.port}/postgres`;
    this.#programs = programs;
    this.#place = place;
  }

  async initialize(): Promise<void> {
    const options = ['-D', this.#place.directory, '-U', superuser, '-A', 'trust', '-E', 'UTF8', '--no-sync'];
    await promisify(execFile)(join(this.#programs, 'initdb'), options, this.#processOptions());
  }

  async start(): Promise<void> {
    const { directory, port } = this.#place;
    const options = Object.entries({ ...settings, port, unix_socket_directories: directory });
    this.#process = spawn(
      join(this.#programs, 'postgres'),
      ['-D', directory, ...options.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { ...this.#processOptions(), stdio: 'ignore' },
    );
    await until(async () => query(this.url, 'select').catch(() => undefined), 'the server responds');
  }

  async end(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    const server = this.#process;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  }

  #processOptions(): { cwd: string; uid?: number; gid?: number; env: Record<string, string> } {
    const { directory, user } = this.#place;
    const env = { TZ: 'UTC', LC_ALL: 'C' };
    return { cwd: directory, env, ...(user.isOther && { uid: user.uid, gid: user.gid }) };
  }
}

/** Creates a database on all servers of a cluster, whose tables are divided over its workers. @returns its address. */
export async function createDistributed({ urls }: Pick<Cluster, 'urls'>, name: string): Promise<string> {
  for (const url of urls) {
    await query(url, `create database ${name}`);
    await query(databaseOn(url, name), 'create extension citus');
  }
  const [coordinator = '', ...workers] = urls;
  const databaseUrl = databaseOn(coordinator, name);
  // The coordinator known in this way gets no shards (`shouldhaveshards`).
  await query(databaseUrl, `select citus_set_coordinator_host('${host}', ${new URL(coordinator).port})`);
  for (const worker of workers) {
    await query(databaseUrl, `select citus_add_node('${host}', ${new URL(worker).port})`);
  }
  const database = await openDatabase({ databaseUrl, dataDir: '/nonexistent', log: () => {} });
  await distribute(database, { log: () => {}, logEveryMs: 60_000 });
  await database.close();
  return databaseUrl;
}

/** Ends the daemons of a database on all servers of a cluster, so that it can be copied. */
export async function closeDistributed({ urls }: Pick<Cluster, 'urls'>, name: string): Promise<void> {
  for (const url of urls) {
    const exists = `select from pg_database where datname = '${name}'`;
    await query(
      url,
      `do $$ begin if exists (${exists}) then alter database ${name} with allow_connections false; end if; end $$`,
    );
    await query(url, `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`);
  }
}

function databaseOn(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function query(url: string, statement: string): Promise<true> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(statement);
    return true;
  } finally {
    await client.end().catch(() => {});
  }
}

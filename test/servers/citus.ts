import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { distribute } from '../../src/database/citus.ts';
import { chooseServerUser, type ServerUser } from '../../src/database/embedded/server-user.ts';
import { openDatabase } from '../../src/database/open.ts';
import { findPort } from '../find-port.ts';
import { until } from '../time.ts';
import { enterable } from './packages.ts';

/** A Citus cluster: a coordinator and two workers. */
export interface Cluster extends AsyncDisposable {
  /** The addresses of the servers, that of the coordinator first. */
  urls: readonly string[];
}

const servers = ['coordinator', 'worker-1', 'worker-2'];
const host = '127.0.0.1';
const superuser = 'postgres';
/** Shards of a table: fewer than Citus makes by default, so that databases are made and copied sooner. */
const shards = 4;

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
  const urls: string[] = [];
  for (const name of servers) {
    const directory = temporary.pathOf(name);
    await mkdir(directory);
    const user = await chooseServerUser(directory, join(directory, 'none'));
    if (user.isOther) await chown(directory, user.uid, user.gid);
    const port = await findPort();
    const server = await startServer(programs, { directory, user, port });
    stack.defer(async () => {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const ended = once(server, 'exit');
      server.kill('SIGINT');
      await ended;
    });
    const url = `postgresql://${superuser}@${host}:${port}/postgres`;
    await until(async () => query(url, 'select').catch(() => undefined), 'the server responds');
    urls.push(url);
  }
  const opened = stack.move();
  return { urls, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function startServer(
  programs: string,
  { directory, user, port }: { directory: string; user: ServerUser; port: number },
): Promise<ChildProcess> {
  const processOptions = { cwd: directory, ...(user.isOther && { uid: user.uid, gid: user.gid }) };
  const environment = { TZ: 'UTC', LC_ALL: 'C' };
  const cluster = ['-D', directory, '-U', superuser, '-A', 'trust', '-E', 'UTF8', '--no-sync'];
  await promisify(execFile)(join(programs, 'initdb'), cluster, { ...processOptions, env: environment });
  const settings = Object.entries({
    port,
    listen_addresses: host,
    unix_socket_directories: directory,
    shared_preload_libraries: 'citus',
    'citus.shard_count': shards,
    max_connections: 1000,
    max_prepared_transactions: 1000,
    // Each database of a cluster has a daemon of its own.
    max_worker_processes: 200,
    timezone: 'UTC',
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return spawn(join(programs, 'postgres'), ['-D', directory, ...settings], {
    ...processOptions,
    env: environment,
    stdio: 'ignore',
  });
}

/** Creates a database on all servers of a cluster, whose tables are divided over its workers. @returns its address. */
export async function createDistributed({ urls }: Pick<Cluster, 'urls'>, name: string): Promise<string> {
  for (const url of urls) {
    await query(url, `create database ${name}`);
    await query(databaseOn(url, name), 'create extension citus');
  }
  const [coordinator = '', ...workers] = urls;
  const databaseUrl = databaseOn(coordinator, name);
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
    await query(url, `alter database ${name} with allow_connections false`);
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

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { findBinaries } from '../../src/database/embedded/binaries.ts';
import { ownDirectory } from '../../src/database/embedded/cluster.ts';
import { chooseServerUser } from '../../src/database/embedded/server-user.ts';
import { until } from '../time.ts';
import { postgresPackage, readVersion } from './packages.ts';

const run = promisify(execFile);

/** Returns the address of another database on the same server. */
const databaseOn = (serverUrl: string, name: string): string => {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
};

/**
 * Starts a streaming standby of an embedded server that is in `postgres` in a directory.
 * @param primaryUrl the address of the embedded server.
 */
export async function startStandby(primaryUrl: string, dataDir: string): Promise<Standby> {
  const directory = join(dataDir, 'standby');
  await copyFiles(primaryUrl, join(dataDir, 'postgres'), directory);
  const standby = new Standby(directory, dataDir, primaryUrl);
  await standby.start();
  return standby;
}

/** Copies the files of a running server, as pg_basebackup does (PostgreSQL manual, low-level base backup). */
async function copyFiles(primaryUrl: string, from: string, to: string): Promise<void> {
  const client = new Client({ connectionString: primaryUrl });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('standby', true)`);
    // Files that change or vanish while they are copied are repaired from the log.
    await run('cp', ['-a', from, to]).catch(() => {});
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    await run('rm', ['-f', join(to, 'postmaster.pid'), join(to, '.s.PGSQL.5432'), join(to, '.s.PGSQL.5432.lock')]);
    await writeFile(join(to, 'backup_label'), rows[0]?.labelfile ?? '');
    await writeFile(join(to, 'standby.signal'), '');
    const { uid, gid } = await stat(to);
    for (const name of ['backup_label', 'standby.signal']) await chown(join(to, name), uid, gid);
  } finally {
    await client.end();
  }
}

export class Standby implements AsyncDisposable {
  readonly #directory: string;
  readonly #dataDir: string;
  readonly #primaryUrl: string;
  #server: ChildProcess | undefined;

  constructor(directory: string, dataDir: string, primaryUrl: string) {
    this.#directory = directory;
    this.#dataDir = dataDir;
    this.#primaryUrl = primaryUrl;
  }

  /** Returns the address of a database of the primary on the standby. */
  urlOf(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.searchParams.set('host', this.#directory);
    return url.href;
  }

  /** Starts it, and waits until it can be read. */
  async start(): Promise<void> {
    const primary = new URL(this.#primaryUrl).searchParams;
    const root = postgresPackage(readVersion(process.env['TEST_POSTGRES']));
    const user = await chooseServerUser(this.#dataDir, this.#directory);
    const { postgres } = await findBinaries(user, this.#dataDir, root);
    const options = {
      listen_addresses: '',
      unix_socket_directories: '.',
      // The replay stops on a standby that permits fewer connections than the primary.
      max_connections: '1000',
      primary_conninfo: `host=${primary.get('host')} port=${primary.get('port')} user=${primary.get('user')}`,
      // Conflicts with reads are seen soon.
      max_standby_streaming_delay: '100ms',
    };
    const settings = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    this.#server = spawn(postgres, ['-D', ownDirectory(this.#directory), ...settings], {
      cwd: this.#directory,
      ...(user.isOther && { uid: user.uid, gid: user.gid }),
      env: { TZ: 'UTC', LC_ALL: 'C' },
      stdio: 'ignore',
    });
    await until(
      async () => this.#query('postgres', 'select pg_is_in_recovery() as found').catch(() => undefined),
      'it can be read',
    );
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGINT');
    await ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Stops the replay of changes; they still arrive. */
  async pause(): Promise<void> {
    await this.#query('postgres', 'select pg_wal_replay_pause() is not null as found');
    await until(
      async () => this.#query('postgres', `select pg_get_wal_replay_pause_state() = 'paused' as found`),
      'the replay is paused',
    );
  }

  async resume(): Promise<void> {
    await this.#query('postgres', 'select pg_wal_replay_resume() is not null as found');
  }

  /** Waits until everything that was committed is replayed. */
  async untilReplayed(databaseUrl: string): Promise<void> {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    const { rows } = await client.query<{ lsn: string }>('select pg_current_wal_lsn()::text as lsn');
    await client.end();
    const lsn = rows[0]?.lsn ?? '';
    const name = new URL(databaseUrl).pathname.slice(1);
    await until(
      async () => this.#query(name, `select pg_last_wal_replay_lsn() >= '${lsn}' as found`).catch(() => undefined),
      'all is replayed',
    );
  }

  /** Returns true when a condition in SQL is true on the standby; undefined otherwise. */
  isTrue(databaseUrl: string, condition: string): Promise<true | undefined> {
    return this.#query(new URL(databaseUrl).pathname.slice(1), `select ${condition} as found`);
  }

  async #query(name: string, statement: string): Promise<true | undefined> {
    const client = new Client({ connectionString: this.urlOf(databaseOn(this.#primaryUrl, name)) });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ found: boolean }>(statement);
      return rows[0]?.found === true ? true : undefined;
    } finally {
      await client.end().catch(() => {});
    }
  }
}

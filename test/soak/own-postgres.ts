import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { findBinaries } from '../../src/database/embedded/binaries.ts';
import { ensureCluster, ownDirectory, superuser } from '../../src/database/embedded/cluster.ts';
import { chooseServerUser } from '../../src/database/embedded/server-user.ts';

const run = promisify(execFile);
const port = 5432;
const readyWithinMs = 60_000;
const pollMs = 100;

/** A PostgreSQL server that a test stops, freezes and moves, as machines and operators do. */
export class OwnPostgres {
  readonly #directory: string;
  #server: ChildProcess | undefined;
  #place: string;
  #moves = 0;

  private constructor(directory: string) {
    this.#directory = directory;
    this.#place = join(directory, 'postgres');
  }

  /** Creates a server in a directory, and starts it. */
  static async create(directory: string): Promise<OwnPostgres> {
    const server = new OwnPostgres(directory);
    const user = await chooseServerUser(directory, server.#place);
    await ensureCluster(server.#place, await findBinaries(user, directory), user, () => {});
    await server.start();
    return server;
  }

  /** The path of the socket on which the server listens now. */
  get socket(): string {
    return join(this.#place, `.s.PGSQL.${port}`);
  }

  /** Starts the server, and waits until it has recovered from the way in which it ended. */
  async start(): Promise<void> {
    const user = await chooseServerUser(this.#directory, this.#place);
    const { postgres } = await findBinaries(user, this.#directory);
    const options = ['listen_addresses=', 'unix_socket_directories=.', 'max_connections=200', 'jit=off'];
    this.#server = spawn(postgres, ['-D', ownDirectory(this.#place), ...options.flatMap((option) => ['-c', option])], {
      cwd: this.#place,
      ...(user.isOther && { uid: user.uid, gid: user.gid }),
      env: { TZ: 'UTC', LC_ALL: 'C', PATH: process.env['PATH'] ?? '' },
      stdio: 'ignore',
    });
    const deadline = performance.now() + readyWithinMs;
    while (!(await this.#isReady())) {
      const { exitCode, signalCode } = this.#server;
      if (exitCode !== null || signalCode !== null) throw new Error(`PostgreSQL ended with ${exitCode ?? signalCode}`);
      if (performance.now() > deadline) throw new Error('PostgreSQL did not start');
      await wait(pollMs);
    }
  }

  /** Ends the server at once, as a power cut does. */
  async crash(): Promise<void> {
    await this.#end('SIGQUIT');
  }

  /** Stops the server, and starts its data in another place. */
  async move(): Promise<void> {
    await this.#end('SIGINT');
    this.#moves += 1;
    const folder = join(this.#directory, `place-${this.#moves}`);
    await mkdir(folder, { mode: 0o755 });
    await rename(this.#place, join(folder, 'postgres'));
    this.#place = join(folder, 'postgres');
    await this.start();
  }

  /** Stops all processes of the server without closing a connection; returns a function that continues them. */
  async freeze(): Promise<() => void> {
    const pid = this.#server?.pid;
    if (pid === undefined) throw new Error('PostgreSQL does not run');
    // The first process is stopped first, so that it starts no other.
    process.kill(pid, 'SIGSTOP');
    const { stdout } = await run('pgrep', ['-P', String(pid)]);
    const pids = [pid, ...stdout.trim().split('\n').map(Number)];
    const signal = (name: NodeJS.Signals): void => {
      for (const pid of pids) {
        try {
          process.kill(pid, name);
        } catch {
          // The process of a connection has ended by itself.
        }
      }
    };
    signal('SIGSTOP');
    return () => signal('SIGCONT');
  }

  async close(): Promise<void> {
    await this.#end('SIGINT');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const server = this.#server;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  }

  async #isReady(): Promise<boolean> {
    const client = new Client({ host: this.#place, port, user: superuser, database: 'postgres' });
    try {
      await client.connect();
      await client.query('select 1');
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => {});
    }
  }
}

import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readlinkSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { AppError } from '../../model/errors.ts';
import { describeNoSpace, exhaustedAt } from '../../model/free-space.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { ensureCluster, findPostmaster, replaceReusedPids, superuser } from './cluster.ts';
import { makeDirectory } from './data-directory.ts';
import { explainDirectoryError, explainOutput } from './failure.ts';
import { type Keeper, Lease, startKeeper } from './keeper.ts';
import { chooseServerUser, type ServerUser } from './server-user.ts';

/** The longest address of a Unix socket (sun_path of 108 bytes with the closing zero; 104 on macOS). */
const maxPathBytes = process.platform === 'darwin' ? 103 : 107;
const socketName = '.s.PGSQL.5432';

const connectTimeoutMs = 5000;

/** The private PostgreSQL of a data directory, in use by this process and maybe by others. */
export interface EmbeddedServer {
  connection: { host: string; port: number; user: string; database: string };
  /** Ends this process's use of the server. The last process to do so stops the server and waits until it has ended. */
  release(): Promise<void>;
}

/** Long enough for the recovery after a power cut, which reads at most about a gigabyte of log. */
const startTimeoutMs = 300_000;
const stopTimeoutMs = 60_000;
const pollMs = 10;
const requestIntervalMs = 200;
/** A running server whose keeper does not respond within this time has lost its keeper. */
const orphanAfterMs = 5000;
const restartDelayMs = { first: 1000, most: 30_000 };
/** A server that ran for this time did not fail at its start. */
const worksAfterMs = 60_000;
const port = 5432;

/** Returns whether a data directory holds a database already. */
export function hasEmbeddedDatabase(dataDir: string): boolean {
  return existsSync(join(dataDir, 'postgres', 'PG_VERSION'));
}

/**
 * Starts the server of a data directory, or joins the processes that use it already.
 * @param options.postgresPackage the folder of the package with PostgreSQL's programs; by default that of this release.
 * @param options.settings settings of PostgreSQL that replace those of the service, for servers that need not be durable.
 * @throws AppError `misconfigured` with one line for the operator.
 */
export async function openEmbedded(options: {
  dataDir: string;
  log: (line: string) => void;
  postgresPackage?: string | undefined;
  settings?: Record<string, string>;
}): Promise<EmbeddedServer> {
  const { settings = {} } = options;
  const dataDir = resolve(options.dataDir);
  try {
    makeDirectory(dataDir);
    const clusterDir = join(realpathSync(dataDir), 'postgres');
    const user = await chooseServerUser(dataDir, clusterDir);
    const binaries = await findBinaries(user, dataDir, options.postgresPackage);
    await ensureCluster(clusterDir, binaries, user, options.log);
    const use = new Use(clusterDir, { binaries, settings }, user, await Lease.take(clusterDir, user), options.log);
    await use.begin();
    return { connection: use.connection, release: () => use.end() };
  } catch (error) {
    throw explainDirectoryError(error, dataDir);
  }
}

/** The programs of a server, and settings that replace those of the service. */
interface Server {
  binaries: Binaries;
  settings: Record<string, string>;
}

/** This process's use of the server, from `begin` to `end`. */
class Use {
  readonly connection: EmbeddedServer['connection'];
  readonly #clusterDir: string;
  readonly #server: Server;
  readonly #user: ServerUser;
  readonly #lease: Lease;
  readonly #log: (line: string) => void;
  #isEnding = false;
  #restartDelayMs = restartDelayMs.first;

  constructor(clusterDir: string, server: Server, user: ServerUser, lease: Lease, log: (line: string) => void) {
    this.#clusterDir = clusterDir;
    this.#server = server;
    this.#user = user;
    this.#lease = lease;
    this.#log = log;
    this.connection = { host: socketDirectory(clusterDir), port, user: superuser, database: 'postgres' };
  }

  async begin(): Promise<void> {
    try {
      const deadline = Date.now() + startTimeoutMs;
      const keeper = await this.#join(deadline);
      await this.#awaitReady(keeper, deadline);
      this.#restartAtEnd(keeper);
    } catch (error) {
      this.#lease.release();
      throw error;
    }
  }

  /** Waits until a keeper has counted this process; starts a keeper when there is none. */
  async #join(deadline: number): Promise<Keeper | undefined> {
    let keeper: Keeper | undefined;
    let orphanAt = Date.now() + orphanAfterMs;
    let nextRequestAt = 0;
    while (Date.now() < deadline) {
      if (this.#isEnding || this.#lease.isConfirmed()) return keeper;
      const pid = findPostmaster(this.#clusterDir);
      if (pid === undefined && (keeper === undefined || keeper.isEnded())) {
        if (keeper !== undefined) throw explainOutput(keeper.output(), resolve(this.#clusterDir, '..'));
        replaceReusedPids(this.#clusterDir);
        keeper = startKeeper(this.#clusterDir, this.#server, this.#user, this.#lease);
      } else if (pid !== undefined && keeper?.isEnded()) {
        // Another process was faster. If its server ends before it counts this process, the next attempt starts a new
        // one.
        keeper = undefined;
      }
      if (pid !== undefined && Date.now() >= orphanAt) {
        stop(pid);
        orphanAt = Date.now() + orphanAfterMs;
      }
      if (Date.now() >= nextRequestAt) {
        this.#lease.requestReply();
        nextRequestAt = Date.now() + requestIntervalMs;
      }
      await wait(pollMs);
    }
    throw this.#tookTooLong();
  }

  async #awaitReady(keeper: Keeper | undefined, deadline: number): Promise<void> {
    let logAt = Date.now() + 2000;
    while (Date.now() < deadline) {
      if (await canConnect(this.connection)) return;
      if (keeper?.isEnded() && findPostmaster(this.#clusterDir) === undefined) {
        throw explainOutput(keeper.output(), resolve(this.#clusterDir, '..'));
      }
      if (Date.now() >= logAt) {
        this.#log('the database recovers, because it was not stopped properly; this can take some minutes');
        logAt = Number.POSITIVE_INFINITY;
      }
      await wait(pollMs);
    }
    throw this.#tookTooLong();
  }

  /**
   * Starts the server again after it ended while in use: killed, for example, because memory ran out, or because its disk is
   * full, until there is space again.
   */
  async #restart(): Promise<void> {
    if (this.#isEnding) return;
    const dataDir = resolve(this.#clusterDir, '..');
    const reason = exhaustedAt(dataDir) === undefined ? '' : ` (${describeNoSpace(dataDir, dataDir)})`;
    this.#log(`the database server ended unexpectedly and is started again${reason}`);
    for (let lastFailure = ''; !this.#isEnding; ) {
      await wait(this.#restartDelayMs, undefined, { ref: false });
      if (this.#isEnding) return;
      this.#restartDelayMs = Math.min(this.#restartDelayMs * 2, restartDelayMs.most);
      try {
        this.#lease.removeReply();
        this.#restartAtEnd(await this.#join(Date.now() + startTimeoutMs));
        return;
      } catch (error) {
        const explained = explainDirectoryError(error, dataDir);
        const failure = explained instanceof Error ? explained.message : String(explained);
        if (failure !== lastFailure) this.#log(failure);
        lastFailure = failure;
      }
    }
  }

  #restartAtEnd(keeper: Keeper | undefined): void {
    const startedAt = Date.now();
    keeper?.onEnd(() => {
      if (Date.now() - startedAt >= worksAfterMs) this.#restartDelayMs = restartDelayMs.first;
      void this.#restart();
    });
  }

  async end(): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    const pid = findPostmaster(this.#clusterDir);
    this.#lease.release();
    if (pid === undefined) return;
    const start = Date.now();
    let orphanAt = start + orphanAfterMs;
    while (Date.now() < start + stopTimeoutMs && findPostmaster(this.#clusterDir) === pid) {
      // Another process may join before the keeper notices that the last one has left. Then the server stays.
      if (this.#lease.isUsed()) return;
      if (Date.now() >= orphanAt) {
        stop(pid);
        orphanAt = Number.POSITIVE_INFINITY;
      }
      await wait(pollMs);
    }
  }

  #tookTooLong(): AppError {
    return new AppError(
      'misconfigured',
      `The embedded PostgreSQL did not start within ${startTimeoutMs / 1000} s; its log is ${join(this.#clusterDir, 'server.log')}`,
    );
  }
}

function stop(pid: number): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch {
    // The process has just ended.
  }
}

/** Returns whether the server accepts connections; false while it starts, recovers or stops. */
export async function canConnect(connection: ClientConfig): Promise<boolean> {
  const client = new Client({ ...connection, connectionTimeoutMillis: connectTimeoutMs });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Returns a name of the server's directory that is short enough for a client to address the socket in it. */
function socketDirectory(clusterDir: string): string {
  if (fits(clusterDir)) return clusterDir;
  const uid = process.geteuid?.() ?? 0;
  const digest = createHash('sha256').update(clusterDir).digest('hex').slice(0, 16);
  const directory = join(tmpdir(), `plaudit-${uid}-${digest}`);
  const link = join(directory, 'data');
  if (!fits(link)) {
    throw new AppError('misconfigured', 'DATA_DIR: its path and that of TMPDIR are too long for a Unix socket');
  }
  makePrivate(directory, uid);
  makeLink(clusterDir, link);
  return link;
}

function fits(directory: string): boolean {
  return Buffer.byteLength(join(directory, socketName)) <= maxPathBytes;
}

/** Makes a directory that only this user can write to; another writer could lead clients to a server of their own. */
function makePrivate(directory: string, uid: number): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const stats = lstatSync(directory);
  if (stats.isDirectory() && stats.uid === uid && (stats.mode & 0o077) === 0) return;
  throw new AppError('misconfigured', `${directory} belongs to another user: remove it, or set TMPDIR`);
}

function makeLink(target: string, link: string): void {
  for (const isLastTry of [false, true]) {
    try {
      if (readlinkSync(link) === target) return;
      rmSync(link);
    } catch {
      // There is none yet.
    }
    try {
      symlinkSync(target, link);
      return;
    } catch (error) {
      if (isLastTry) throw error;
    }
  }
}

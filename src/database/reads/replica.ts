import type { PostgresQueryResult } from 'kysely';
import { Client, type ClientConfig, type Pool, type PoolClient } from 'pg';
import type { ConnectionPool, Database } from '../connections/connection.ts';
import { endConnection, openPool, type PoolObserver } from '../connections/pool.ts';
import { Loan } from './loan.ts';
import type { StatementScope } from './statement-scope.ts';

/** The time, in ms, in which a connection is made; meanwhile a request waits. */
const connectTimeoutMs = 500;
/** The time, in ms, in which the replica says how far it is; meanwhile a request may wait. */
const checkTimeoutMs = 300;
const checkEveryMs = 1000;
/** The time, in ms, in which the replica responds to a person who waits. */
const doctorTimeoutMs = 5000;

/**
 * The result of a statement for the replica. `behind`: it has not replayed all changes that this node knows of. `away`: it
 * does not respond, or is no standby of the database. `failed`: it did not give a result.
 */
export const replicaOutcomes = ['read', 'behind', 'away', 'failed'] as const;
type ReplicaOutcome = (typeof replicaOutcomes)[number];

/** Receives what happens with the replica. */
export interface ReplicaObserver {
  pool: PoolObserver;
  onOpen(replica: Pick<Replica, 'isUsable' | 'behindBytes'>): void;
  onRead(outcome: ReplicaOutcome): void;
}

interface ReplicaOptions {
  clientConfig: ClientConfig;
  maxConnections: number;
  /** The longest time that a statement may take; after it, the primary has to run it in the time that is left. */
  statementTimeoutMs: number;
  /** The identity of the database, as `identityInSql` reads it from the primary. */
  identity: string;
  /** Returns the end of the log, in bytes, that the replica must have replayed; undefined: that is not known. */
  neededLsn: () => number | undefined;
  observer?: ReplicaObserver | undefined;
  log: (line: string) => void;
}

/** SQL that identifies a database and a schema in it on the primary and all its standbys. */
const identityInSql = `concat_ws(' ', (select system_identifier from pg_control_system()),
  (select oid from pg_database where datname = current_database()), current_schema())`;

/** Opens the standby of a database; undefined: there is none. */
export async function openReplica(
  { pool, replicaConfig }: Pick<Database, 'pool' | 'replicaConfig'>,
  options: Omit<ReplicaOptions, 'clientConfig' | 'identity'>,
): Promise<Replica | undefined> {
  if (replicaConfig === undefined) return undefined;
  const { rows } = await pool.query<{ identity: string }>(`select ${identityInSql} as identity`);
  return new Replica({ ...options, clientConfig: replicaConfig, identity: rows[0]?.identity ?? '' });
}

/**
 * Measures how far the standby of a database is behind the end of its log, in bytes.
 * @returns undefined when the server is no standby of the database.
 * @throws the driver's error when the server does not respond.
 */
export async function measureReplica(pool: Pool, replicaConfig: ClientConfig): Promise<number | undefined> {
  const { rows: ends } = await pool.query<{ identity: string; lsn: number }>(
    `select ${identityInSql} as identity, (pg_current_wal_insert_lsn() - '0/0')::float8 as lsn`,
  );
  const client = new Client({ ...replicaConfig, query_timeout: doctorTimeoutMs });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<State>(stateQuery);
    const replayed = replayedBy(rows[0], ends[0]?.identity);
    return replayed === undefined ? undefined : Math.max(0, (ends[0]?.lsn ?? 0) - replayed);
  } finally {
    await endConnection(client);
  }
}

interface State {
  isStandby: boolean;
  /** The end of the log that is replayed; null on a server that replays none. */
  replayed: number | null;
  identity: string;
}

const stateQuery = `select pg_is_in_recovery() as "isStandby", ${identityInSql} as identity,
  (pg_last_wal_replay_lsn() - '0/0')::float8 as replayed`;

/**
 * A standby of the database from which responses are read. It is optional at any time: a request never fails because of
 * it, and waits at most for one statement.
 */
export class Replica {
  readonly #options: ReplicaOptions;
  readonly #reads: ConnectionPool;
  readonly #control: ConnectionPool;
  /** The log that was replayed by the server of a connection. An address may lead to several servers. */
  readonly #replayed = new WeakMap<Client, number>();
  readonly #timer: NodeJS.Timeout;
  #isChecking = false;
  #isUsable: boolean | undefined;
  #lastReplayed = 0;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    const { maxConnections, statementTimeoutMs, observer } = options;
    const clientConfig = { ...options.clientConfig, connectionTimeoutMillis: connectTimeoutMs };
    this.#reads = openPool(clientConfig, { maxConnections, statementTimeoutMs, observer: observer?.pool });
    this.#control = openPool(clientConfig, { maxConnections: 1, statementTimeoutMs: checkTimeoutMs });
    observer?.onOpen(this);
    this.#timer = setInterval(() => void this.#check(), checkEveryMs);
    this.#timer.unref();
    void this.#check();
  }

  /** True while statements are sent to the replica. */
  get isUsable(): boolean {
    return this.#isUsable === true;
  }

  /** The log that the replica had not replayed at the last check, of the log that it needs. */
  get behindBytes(): number {
    return Math.max(0, (this.#options.neededLsn() ?? 0) - this.#lastReplayed);
  }

  /**
   * Runs a statement on the replica.
   * @returns undefined when the replica has no current result now.
   * @throws AppError when the scope ends.
   */
  async read<Row>(
    scope: StatementScope,
    text: string,
    parameters: readonly unknown[],
  ): Promise<PostgresQueryResult<Row> | undefined> {
    const count = (outcome: ReplicaOutcome): void => this.#options.observer?.onRead(outcome);
    if (!this.isUsable) {
      count('away');
      return undefined;
    }
    let loan: Loan | undefined;
    try {
      const client = await this.#reads.pool.connect();
      loan = new Loan(client, { scope, freeSlot: () => {}, clientConfig: this.#options.clientConfig });
      if (!(await this.#hasReplayed(client))) {
        count('behind');
        return undefined;
      }
      const result = await loan.query<Row>(text, parameters);
      count('read');
      return result;
    } catch (error) {
      if (scope.signal.aborted) throw error;
      count('failed');
      return undefined;
    } finally {
      loan?.release();
    }
  }

  /** Breaks off the connections on which nothing has arrived for a time, in ms. */
  dropSilent(forMs: number): void {
    this.#reads.dropSilent(forMs);
    this.#control.dropSilent(forMs);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([this.#reads.close(), this.#control.close()]);
  }

  async #hasReplayed(client: PoolClient): Promise<boolean> {
    const needed = this.#options.neededLsn();
    if (needed === undefined) return false;
    const known = this.#replayed.get(client);
    if (known !== undefined && known >= needed) return true;
    const config = { text: stateQuery, query_timeout: checkTimeoutMs };
    const { rows } = await client.query<State>(config);
    const replayed = replayedBy(rows[0], this.#options.identity);
    if (replayed === undefined) return false;
    this.#replayed.set(client, replayed);
    return replayed >= needed;
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      const { rows } = await this.#control.pool.query<State>(stateQuery);
      const replayed = replayedBy(rows[0], this.#options.identity);
      if (replayed !== undefined) this.#lastReplayed = replayed;
      this.#become(replayed !== undefined, 'it is no standby of the database');
    } catch {
      // Statements that run there get no response either, and are run on the primary at once.
      if (this.#isUsable === true) this.#reads.dropSilent(0);
      this.#become(false, 'it does not respond');
    } finally {
      this.#isChecking = false;
    }
  }

  #become(isUsable: boolean, reason: string): void {
    if (this.#isUsable === isUsable || this.#control.pool.ending) return;
    this.#isUsable = isUsable;
    const { log } = this.#options;
    log(isUsable ? 'responses are read from the replica' : `responses are not read from the replica: ${reason}`);
  }
}

/** Returns the log that a server has replayed; undefined when it is no standby of the database. */
function replayedBy(state: State | undefined, identity: string | undefined): number | undefined {
  if (state?.isStandby !== true || state.identity !== identity) return undefined;
  return state.replayed ?? undefined;
}

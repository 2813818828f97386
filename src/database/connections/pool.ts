import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import { Client, type ClientBase, type ClientConfig, Pool, type PoolConfig } from 'pg';
import { repeatEvery } from '../queue/interval.ts';
import type { Tables } from '../tables/tables.ts';
import type { ConnectionPool, WaitingClient } from './connection.ts';
import { findBoundary, longestTransactionMs, sessionSettings, withSettings } from './session-settings.ts';
import { notifying, StorableClient } from './storable.ts';
import { FullDisk } from './unavailable.ts';

/** The longest wait for the connection, in ms. */
const timeoutMs = 2000;

/** The parts of the driver that its types leave out (pg, lib/client.js and lib/connection.js). */
declare module 'pg' {
  interface ClientBase {
    /** The process of the server; null until the connection is open, which the types of kysely leave out too. */
    processID: number;
    secretKey: number;
  }
  interface Connection {
    startup: () => void;
    cancel: (processId: number, secretKey: number) => void;
  }
}

/** Receives what happens in a pool; times are in seconds. */
export interface PoolObserver {
  onOpen(pool: Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'>): void;
  /** Called with the time until a connection was free, also when none was in time. */
  onWait(seconds: number): void;
  onStatement(seconds: number): void;
}

export interface PoolLimits {
  maxConnections: number;
  /** The longest time that a statement may take. */
  statementTimeoutMs: number;
  /** The longest time of a transaction that may change data. Default: five minutes. */
  transactionTimeoutMs?: number;
  observer?: PoolObserver | undefined;
}

/** The time, in ms, after the server's own limit at which a statement without a response breaks its connection. */
const responseGraceMs = 500;
/** The time, in ms, that the server has to end connections. After it, those that are silent for that time are broken off. */
const endsWithinMs = 1000;

/**
 * Opens a pool of connections. A connection whose server or pooler hangs gives no error, so a statement without a
 * response ends it, and with it all others of the pool on which nothing has arrived in the meantime.
 * @param lending returns the pool that stores take connections from, which observes waits; by default the driver's.
 */
export function openPool(
  clientConfig: ClientConfig,
  limits: PoolLimits,
  lending?: (pool: Pool) => PostgresPool,
): ConnectionPool {
  const heardAt = new Map<StorableClient, number>();
  const { observer } = limits;
  const fullDisk = new FullDisk();
  const pool = createPool(clientConfig, limits, { dropSilent: (forMs) => dropSilent(forMs), fullDisk });
  const dropSilent = (forMs: number): void => {
    const since = performance.now() - forMs;
    for (const [client, at] of heardAt) if (at <= since) breakOff(client);
  };
  // A connection that breaks while idle is replaced when the next one is needed; without a listener its error would end
  // the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    if (!(client instanceof StorableClient)) return;
    const hear = (): void => void heardAt.set(client, performance.now());
    hear();
    client.connection.stream.on('data', hear);
    client.on('error', () => {});
    client.once('end', () => heardAt.delete(client));
  });
  if (observer !== undefined && lending === undefined) observePool(pool, observer);
  const connection = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: lending?.(pool) ?? pool }) });
  return {
    connection,
    pool,
    dropSilent,
    findWaiting: (forMs) => findWaiting(heardAt, forMs),
    fullDisk,
    close: async () => {
      // Repeated, because a connection may fall silent at any time while others still end.
      const impatient = setInterval(() => dropSilent(endsWithinMs), endsWithinMs);
      try {
        // Kysely ends the pool only if it has used it.
        await connection.destroy();
        if (!pool.ending) await pool.end();
      } finally {
        clearInterval(impatient);
      }
    },
  };
}

function createPool(
  clientConfig: ClientConfig,
  limits: PoolLimits,
  { dropSilent, fullDisk }: { dropSilent: (forMs: number) => void; fullDisk: FullDisk },
): Pool {
  const { maxConnections, statementTimeoutMs, transactionTimeoutMs = longestTransactionMs, observer } = limits;
  const responseTimeoutMs = statementTimeoutMs + responseGraceMs;
  const hasServerLimit = clientConfig.statement_timeout !== false;
  class PooledClient extends StorableClient {
    #transactionLimit: NodeJS.Timeout | undefined;

    constructor(config?: ClientConfig) {
      super(config);
      this.once('end', () => clearTimeout(this.#transactionLimit));
    }

    override onSilent(): void {
      const end = (): void => {
        breakOff(this);
        dropSilent(responseTimeoutMs);
      };
      // Without a limit of its own, the server would go on with the statement.
      if (hasServerLimit) end();
      else void cancelStatement(this, clientConfig).then(end);
    }

    /** Sends the settings of the session, which are no statement for the observer. */
    applySettings(): Promise<unknown> {
      return super.query(sessionSettings);
    }

    override change(statement: unknown): unknown {
      const boundary = findBoundary(statement);
      if (boundary !== undefined) clearTimeout(this.#transactionLimit);
      if (boundary === 'begin') this.#limitTransaction();
      return hasServerLimit ? statement : withSettings(statement, statementTimeoutMs);
    }

    /** Ends the transaction with its connection. Its statement is cancelled first, because the server would go on with it for a while. */
    #limitTransaction(): void {
      const end = (): void => void cancelStatement(this, clientConfig).then(() => breakOff(this));
      this.#transactionLimit = setTimeout(end, transactionTimeoutMs).unref();
    }

    override onFailure(error: Error): void {
      fullDisk.note(error);
    }

    override onStatement(seconds: number): void {
      observer?.onStatement(seconds);
    }
  }
  // The pool waits for `onConnect` before it lends a connection (pg-pool, `newClient`).
  const options: PoolConfig & { onConnect: (client: ClientBase) => Promise<unknown> } = {
    ...clientConfig,
    statement_timeout: hasServerLimit && statementTimeoutMs,
    query_timeout: responseTimeoutMs,
    max: maxConnections,
    Client: PooledClient,
    onConnect: async (client) => {
      if (client instanceof PooledClient && hasServerLimit) await client.applySettings();
    },
  };
  return new Pool(options);
}

/** Finds the connections that wait for a response and on which nothing has arrived for a time. */
function findWaiting(heardAt: ReadonlyMap<StorableClient, number>, forMs: number): WaitingClient[] {
  return [...heardAt].flatMap(([client, at]) => {
    const { waitingSince, processID: pid } = client;
    if (waitingSince === undefined || typeof pid !== 'number') return [];
    const sinceMs = Math.max(at, waitingSince);
    return performance.now() - sinceMs < forMs ? [] : [{ client, pid, sinceMs }];
  });
}

/** Reports the waits for connections of a pool, whose statements are reported by its connections. */
function observePool(pool: Pool, observer: PoolObserver): void {
  const connect: CallableFunction = pool.connect.bind(pool);
  const timed = (callback?: CallableFunction): unknown => {
    const begunAt = performance.now();
    const end = (): void => observer.onWait((performance.now() - begunAt) / 1000);
    if (callback !== undefined) return Reflect.apply(connect, pool, [notifying(callback, end)]);
    const connecting: unknown = Reflect.apply(connect, pool, []);
    if (connecting instanceof Promise) connecting.then(end, end);
    return connecting;
  };
  Object.assign(pool, { connect: timed });
  observer.onOpen(pool);
}

/** Ends a connection at once, without waiting for the server. Its statements fail, and its pool replaces it. */
export function breakOff({ connection }: Client): void {
  connection.stream.destroy();
}

/** Ends a connection, also when its server is silent. */
export async function endConnection(client: Client): Promise<void> {
  const impatient = setTimeout(() => breakOff(client), endsWithinMs);
  await client.end().catch(() => {});
  clearTimeout(impatient);
}

/** Sends all that is written to a connection before the event loop goes on at once, in one call of the system. */
export function writeAtOnce({ connection }: Client): void {
  connection.stream.cork();
  process.nextTick(() => connection.stream.uncork());
}

/**
 * Requests over a connection of its own that the server cancels the statement that `client` runs; poolers pass this on.
 * A cancellation names a connection, not a statement. So `client` must run no other statement until this resolves:
 * the server closes the connection of the request once it has sent the signal (libpq waits for that too, fe-cancel.c).
 * @returns false when the server may still send the signal, so that `client` must not be used any more.
 */
export async function cancelStatement(client: Client, clientConfig: ClientConfig): Promise<boolean> {
  const { processID, secretKey } = client;
  const canceller = new Client({ ...clientConfig, connectionTimeoutMillis: timeoutMs });
  const { connection } = canceller;
  let isSent = false;
  let hasFailed = false;
  connection.on('error', () => {
    hasFailed = true;
  });
  // The driver's client calls this once the connection is open, and encrypted if the settings want that.
  connection.startup = () => {
    isSent = true;
    connection.cancel(processID, secretKey);
  };
  canceller.on('error', () => {});
  // No session begins, so this always ends in an error.
  await canceller.connect().catch(() => {});
  return isSent && !hasFailed;
}

const lookEveryMs = 5000;

/**
 * Breaks off connections of a pool over which responses no longer arrive, though no packet says so. A statement of a job may take
 * minutes, so the server says whether it still works on it. A connection is broken off when the server did not at two
 * looks, because at one look the response may be on its way.
 * @param look the connections over which the server says so.
 * @returns a function that stops it.
 */
export function breakOffSilent(
  pool: Pick<ConnectionPool, 'findWaiting'>,
  look: Pool,
  everyMs: number = lookEveryMs,
): () => void {
  let suspects = new Map<Client, number>();
  return repeatEvery(everyMs, async () => {
    const waiting = pool.findWaiting(everyMs);
    try {
      const found = waiting.length === 0 ? [] : await findUnanswered(look, waiting);
      for (const { client, sinceMs } of found) if (suspects.get(client) === sinceMs) breakOff(client);
      suspects = new Map(found.map(({ client, sinceMs }) => [client, sinceMs]));
    } catch {
      // The database is away: the listener notices that.
      suspects.clear();
    }
  });
}

/** Finds the connections on which the server runs no statement, or cannot send the result of one. */
async function findUnanswered(look: Pool, waiting: readonly WaitingClient[]): Promise<WaitingClient[]> {
  const { rows } = await look.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where pid = any($1::int[]) and state = 'active' and wait_event is distinct from 'ClientWrite'`,
    [waiting.map(({ pid }) => pid)],
  );
  const working = new Set(rows.map(({ pid }) => pid));
  return waiting.filter(({ pid }) => !working.has(pid));
}

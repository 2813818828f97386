import { DatabaseError, type Pool } from 'pg';

const diskFull = '53100';
/** About 350 KB: a smaller table may fit into the last space. The rows are never committed. */
const probe = 'begin; create table plaudit_probe as select generate_series(1, 10000) as number; rollback';

/** Remembers that the disk of the database is full from the first statement that failed for it until a write succeeds. */
export class FullDisk {
  #isSuspected = false;

  /** Takes note of the failure of a statement. */
  note(error: Error): void {
    if (isDiskFull(error)) this.#isSuspected = true;
  }

  /** Returns a sentence about the full disk; undefined: it has space, or nothing has failed. */
  async find(pool: Pool): Promise<string | undefined> {
    if (!this.#isSuspected) return undefined;
    const fault = await findFullDisk(pool);
    this.#isSuspected = fault !== undefined;
    return fault;
  }
}

/** Connections that cannot be made or broke, and servers that are starting, stopping or full (PostgreSQL manual, appendix A). */
const codes = /^(ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_|ENOTFOUND|08|53|57P0)/;
const messages =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/;
/**
 * A coordinator of Citus that lost a worker. These have the code of an internal error (`remote_transaction.c` and
 * `placement_connection.c` of Citus 13.2.2; `ReportResultError` passes messages of libpq on).
 */
const lostWorkers =
  /^(failure on connection marked as essential|failed to prepare transaction |could not commit transaction for shard |server closed the connection unexpectedly)/;
/** Pools that were closed: those of Kysely and of the driver. */
const closedPools = /^(driver has already been destroyed|Cannot use a pool after calling end on the pool)/;

/** Returns whether a failure only means that the database cannot be reached, or that this node has stopped. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return codes.test(code) || [messages, lostWorkers, closedPools].some((known) => known.test(error.message));
}

/**
 * Returns whether a statement failed because the coordinator of a Citus cluster cannot reach a worker: other statements of this
 * connection work, where they need no data of that worker.
 */
export function isWorkerAway(error: unknown): boolean {
  return error instanceof DatabaseError && error.severity === 'ERROR' && isLostWorker(error);
}

function isLostWorker({ code = '', message }: DatabaseError): boolean {
  return /^(08|57P0)/.test(code) || lostWorkers.test(message);
}

/** Returns whether a statement failed because a file system of the database is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === diskFull;
}

/** Returns a sentence about a full file system of the database, for everyone. */
export function describeFullDisk(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  if (/shared memory segment/.test(message)) return 'The shared memory of the database (/dev/shm) is full.';
  // The server reports a lack of inodes by the same code, but only for files that it creates.
  if (/could not create/.test(message)) return 'The disk of the database is full, or has no free inodes.';
  return 'The disk of the database is full.';
}

/** Tries to write to the database. @returns a sentence about its full disk; undefined: it has space. */
export async function findFullDisk(pool: Pool): Promise<string | undefined> {
  const client = await pool.connect();
  try {
    await client.query(probe);
    return undefined;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    if (isDiskFull(error)) return describeFullDisk(error);
    throw error;
  } finally {
    client.release();
  }
}

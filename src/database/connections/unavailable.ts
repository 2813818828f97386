import { DatabaseError } from 'pg';

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

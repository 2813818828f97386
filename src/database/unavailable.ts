/** Connections that cannot be made or broke, and servers that are starting, stopping or full (PostgreSQL manual, appendix A). */
const codes = /^(ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_|ENOTFOUND|08|53|57P0)/;
const messages =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/;
/** Pools that were closed: those of Kysely and of the driver. */
const closedPools = /^(driver has already been destroyed|Cannot use a pool after calling end on the pool)/;

/** Returns whether a failure only means that the database cannot be reached, or that this node has stopped. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return codes.test(code) || messages.test(error.message) || closedPools.test(error.message);
}

/** Connections that cannot be made or broke, and servers that are starting, stopping or full (PostgreSQL manual, appendix A). */
const codes = /^(ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_|ENOTFOUND|08|53|57P0)/;
const messages =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** Returns whether a failure only means that the database cannot be reached at the moment. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return codes.test(code) || messages.test(error.message);
}

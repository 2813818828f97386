/**
 * Settings by which the server notices within half a minute that the other side of a connection has vanished, though no packet says
 * so: a firewall that forgot it, or a machine without power. By default Linux takes two hours
 * (https://www.postgresql.org/docs/current/runtime-config-connection.html). Over Unix sockets they have no effect.
 */
const transport = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 25_000,
};

/**
 * The longest pause, in ms, between two statements of a transaction. No transaction waits for a host, so a longer pause means
 * that its client has vanished. The server then ends the transaction, whose locks others wait for.
 */
const longestPauseMs = 20_000;

/**
 * Statements are many and small, so several processes for one cost more than they save. They would also share memory in /dev/shm, of
 * which containers have 64 MiB by default: a parallel hash join takes up to 24 MiB of it, a parallel vacuum `maintenance_work_mem`
 * (https://www.postgresql.org/docs/current/runtime-config-resource.html, https://github.com/docker-library/postgres/issues/416).
 */
const oneProcess = { max_parallel_workers_per_gather: 0, max_parallel_maintenance_workers: 0 };

/**
 * The longest time, in ms, of a transaction that may change data, however many statements it has: others wait for its locks.
 * The longest ones of the largest databases take seconds.
 */
export const longestTransactionMs = 300_000;

/**
 * The server looks this often, in ms, whether the other side of a running statement is still there. Otherwise the statement, and
 * its locks, would stay until its end, though its client or the pooler has closed the connection.
 */
const connectionCheckMs = 5000;
const settings = {
  ...transport,
  ...oneProcess,
  client_connection_check_interval: connectionCheckMs,
  idle_in_transaction_session_timeout: longestPauseMs,
};

/** Statements for a session that may be idle in a transaction for as long as it likes. */
export const transportSettings = toStatements('set', transport);
/** Statements for a session. PostgreSQL 15 and 16 have no limit for whole transactions. */
export const sessionSettings = `${toStatements('set', settings)};
  select set_config(name, '${longestTransactionMs}', false) from pg_settings where name = 'transaction_timeout'`;

const beginning = /^(begin|start transaction)\b/i;
const end = /^(commit|rollback)$/i;

/**
 * Returns whether a statement begins a transaction that may hold locks for which others wait, or ends one; undefined: it does
 * neither.
 */
export function findBoundary(statement: unknown): 'begin' | 'end' | undefined {
  if (typeof statement !== 'string') return undefined;
  if (end.test(statement)) return 'end';
  return beginning.test(statement) && !/\bread only\b/i.test(statement) ? 'begin' : undefined;
}

/**
 * Adds the settings to a statement that begins a transaction, for connections whose session is another one each time. They
 * limit each statement too, because such connections have no limit of their own, and a client that has vanished cancels nothing.
 */
export function withSettings(statement: unknown, statementTimeoutMs: number): unknown {
  if (typeof statement !== 'string' || !beginning.test(statement)) return statement;
  const limited = { ...settings, statement_timeout: Math.min(statementTimeoutMs, longestTransactionMs) };
  return `${statement}; ${toStatements('set local', limited)}`;
}

function toStatements(command: 'set' | 'set local', values: Record<string, number>): string {
  return Object.entries(values)
    .map(([name, value]) => `${command} ${name} = ${value}`)
    .join('; ');
}

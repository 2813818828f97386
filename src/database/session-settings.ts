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
export const longestPauseMs = 20_000;

/**
 * Statements are many and small, so several processes for one cost more than they save. They would also share memory in /dev/shm, of
 * which containers have 64 MiB by default: a parallel hash join takes up to 24 MiB of it, a parallel vacuum `maintenance_work_mem`
 * (https://www.postgresql.org/docs/current/runtime-config-resource.html, https://github.com/docker-library/postgres/issues/416).
 */
const oneProcess = { max_parallel_workers_per_gather: 0, max_parallel_maintenance_workers: 0 };
const settings = { ...transport, ...oneProcess, idle_in_transaction_session_timeout: longestPauseMs };

/** Statements for a session that may be idle in a transaction for as long as it likes. */
export const transportSettings = toStatements('set', transport);
/** Statements for a session. */
export const sessionSettings = toStatements('set', settings);

const beginning = /^(begin|start transaction)\b/i;

/** Adds the settings to a statement that begins a transaction, for connections whose session is another one each time. */
export function withSettings(statement: unknown): unknown {
  return typeof statement === 'string' && beginning.test(statement)
    ? `${statement}; ${toStatements('set local', settings)}`
    : statement;
}

function toStatements(command: 'set' | 'set local', values: Record<string, number>): string {
  return Object.entries(values)
    .map(([name, value]) => `${command} ${name} = ${value}`)
    .join('; ');
}

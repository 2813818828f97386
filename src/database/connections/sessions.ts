import { Client, type ClientBase, type ClientConfig, DatabaseError } from 'pg';
import { AppError } from '../../model/errors.ts';
import { advisoryLocks } from '../schema/advisory-locks.ts';
import type { Database } from './connection.ts';
import { endConnection } from './pool.ts';

/**
 * The connections, first or second, over which the sessions of two connections are compared. A pooler that gives each
 * transaction another session shows itself: the order in which it hands out sessions may be the last one first, or round.
 */
const comparisons = [0, 1, 0, 0, 1, 1] as const;
/** The time, in ms, after which a statement without a response fails. */
const timeoutMs = 10_000;
const protocolViolation = '08P01';
/** https://nodejs.org/api/tls.html#x509-certificate-error-codes, and the code for a certificate of another host. */
const certificateCodes = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/;

/** Returns whether connections of this configuration lead to a pooler, past which another one leads. */
export function isPooled({ clientConfig }: Pick<Database, 'clientConfig'>): boolean {
  return clientConfig.statement_timeout === false;
}

/**
 * Checks that sessions of a database last as long as their connections, and that both of its addresses lead to it.
 * @throws AppError `misconfigured`.
 */
export async function requireSessions(database: Pick<Database, 'clientConfig' | 'sessionConfig'>): Promise<void> {
  const { clientConfig, sessionConfig } = database;
  if (!isPooled(database)) {
    // Not a connection of the pool, whose settings would stay in a session of others.
    await using first = await connect(clientConfig, 'DATABASE_URL');
    if (await isShared(first.client, clientConfig, 'DATABASE_URL')) throw needsSessions('DATABASE_URL');
    return;
  }
  await using session = await connect(sessionConfig, 'DATABASE_DIRECT_URL');
  if (await isShared(session.client, sessionConfig, 'DATABASE_DIRECT_URL')) throw needsSessions('DATABASE_DIRECT_URL');
  await using pooled = await connect(clientConfig, 'DATABASE_URL');
  if (await isSameDatabase(session.client, pooled.client)) return;
  throw new AppError('misconfigured', 'DATABASE_DIRECT_URL and DATABASE_URL must lead to the same database and schema');
}

/** Returns the error for a database to which no connection can be made. */
export function notResponding(cause: unknown, setting: 'DATABASE_URL' | 'DATABASE_DIRECT_URL'): AppError {
  if (cause instanceof DatabaseError && cause.code === protocolViolation && /startup parameter/.test(cause.message)) {
    return needsSessions(setting);
  }
  if (cause instanceof Error && 'code' in cause && certificateCodes.test(String(cause.code))) {
    const remedy = `Name its authority in CA_FILE, or choose another sslmode in ${setting}`;
    return new AppError(
      'misconfigured',
      `The certificate of the database is not trusted: ${cause.message}. ${remedy}`,
      {
        cause,
      },
    );
  }
  const message = `The database does not respond: ${formatReason(cause)}. Check ${setting}`;
  return new AppError('misconfigured', message, { cause });
}

function needsSessions(setting: 'DATABASE_URL' | 'DATABASE_DIRECT_URL'): AppError {
  return new AppError(
    'misconfigured',
    setting === 'DATABASE_URL'
      ? 'DATABASE_URL leads to a pooler, such as PgBouncer: set DATABASE_DIRECT_URL to the address of the database itself'
      : 'DATABASE_DIRECT_URL leads to a pooler, such as PgBouncer: it must be the address of the database itself',
  );
}

interface Connected extends AsyncDisposable {
  client: ClientBase;
}

/** Poolers connect to the server with the first statement. */
const firstStatement = { text: 'select', query_timeout: timeoutMs };

async function connect(config: ClientConfig, setting: 'DATABASE_URL' | 'DATABASE_DIRECT_URL'): Promise<Connected> {
  const client = new Client({ ...config, query_timeout: timeoutMs });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(firstStatement);
  } catch (error) {
    await endConnection(client);
    throw notResponding(error, setting);
  }
  return { client, [Symbol.asyncDispose]: () => endConnection(client) };
}

/**
 * Returns whether sessions of one connection are those of others too. A server names its own process at the start of a
 * connection, and a pooler invents a number: it could not know whose statement a cancellation means otherwise.
 */
async function isShared(
  first: ClientBase,
  config: ClientConfig,
  setting: 'DATABASE_URL' | 'DATABASE_DIRECT_URL',
): Promise<boolean> {
  if ((await findProcessId(first)) === first.processID) return false;
  await using second = await connect(config, setting);
  const seen = [new Set<number>(), new Set<number>()] as const;
  for (const index of comparisons) seen[index].add(await findProcessId([first, second.client][index] ?? first));
  return seen.some(({ size }) => size > 1) || [...seen[0]].some((pid) => seen[1].has(pid));
}

async function findProcessId(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}

/** Returns whether a connection sees a lock that the session holds, and works in the same schema. */
async function isSameDatabase(session: ClientBase, pooled: ClientBase): Promise<boolean> {
  const { rows } = await session.query<{ pid: number; schema: string }>(
    `select pg_backend_pid() as pid, current_schema() as schema,
       pg_advisory_lock_shared(${advisoryLocks.sameDatabase}, pg_backend_pid())`,
  );
  const found = await pooled.query(
    `select from pg_locks where locktype = 'advisory' and classid::bigint = $1 and pid = $2 and objid::bigint = $2
       and database = (select oid from pg_database where datname = current_database()) and current_schema() = $3`,
    [advisoryLocks.sameDatabase, rows[0]?.pid, rows[0]?.schema],
  );
  return found.rowCount === 1;
}

/** Returns the driver's own message, which names hosts, users and databases, but never a password. */
function formatReason(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown reason';
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}

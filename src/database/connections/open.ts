import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { type ClientConfig, type Pool, TypeOverrides } from 'pg';
import { AppError } from '../../model/errors.ts';
import { openEmbedded } from '../embedded/embedded.ts';
import { migrate } from '../migrations/migrate.ts';
import { usualApplication } from '../queue/listener.ts';
import type { Connection, Database } from './connection.ts';
import { openPool, type PoolLimits, type PoolObserver } from './pool.ts';
import { notResponding, requireSessions } from './sessions.ts';

/** The modes of libpq, weakest first (https://www.postgresql.org/docs/current/libpq-ssl.html), and that of the driver. */
const modes = ['disable', 'allow', 'prefer', 'no-verify', 'require', 'verify-ca', 'verify-full'] as const;
type Mode = (typeof modes)[number];

/** The parameters of an address that `toTlsConfig` reads in place of the driver, which warns of all but `verify-full`. */
const read = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat'] as const;

/** The number of connections that a server permits to ordinary users, and of those in use by others. */
interface ConnectionLimit {
  permitted: number;
  used: number;
}

/** Enough for commands, which run one piece of work at a time. */
const fewConnections = 8;
const connectTimeoutMs = 10_000;
const keepAliveDelayMs = 10_000;
const statementTimeoutMs = 600_000;

interface OpenOptions {
  databaseUrl: string | undefined;
  /** The address of the same database past a pooler; by default `databaseUrl`, which then leads to no pooler. */
  databaseDirectUrl?: string | undefined;
  /** The address of a standby. */
  databaseReplicaUrl?: string | undefined;
  dataDir: string;
  log: (line: string) => void;
  /** The longest time that a statement may take; by default enough for the heaviest. */
  statementTimeoutMs?: number;
  observer?: PoolObserver | undefined;
  /** The largest number of connections; by default enough for a command. */
  jobConnections?: number;
  /** The folder of the package with the embedded server's programs; by default that of this release. */
  postgresPackage?: string | undefined;
}

/**
 * Opens the database that the settings name, or the embedded one, and brings its tables up to date.
 * @throws AppError `misconfigured` with one line for a person.
 */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const database = await openUnchanged(options);
  if (isUnverified(database.clientConfig)) {
    options.log('DATABASE_URL encrypts without a check of the certificate; sslmode=verify-full checks it');
  }
  try {
    const version = await readServerVersion(database.pool);
    if (!isSupported(version)) {
      throw new AppError(
        'misconfigured',
        `PostgreSQL ${oldestSupported} or later is needed; the database is ${version.name}`,
      );
    }
    await migrate(database, { log: options.log });
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/**
 * Opens the same database without changing it, with any version and any tables.
 * @throws AppError `misconfigured` when the embedded server cannot be started, or an address leads to no session.
 */
export async function openUnchanged(options: OpenOptions): Promise<Database> {
  const server = await openServer(options);
  const database = connect(server, {
    maxConnections: options.jobConnections ?? fewConnections,
    statementTimeoutMs: options.statementTimeoutMs ?? statementTimeoutMs,
    observer: options.observer,
  });
  try {
    if (options.databaseUrl !== undefined) await requireSessions(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

interface Server {
  clientConfig: ClientConfig;
  /** The connection past the pooler to which `clientConfig` leads; undefined: it leads to none. */
  directConfig?: ClientConfig | undefined;
  replicaConfig?: ClientConfig | undefined;
  description: string;
  release(): Promise<void>;
}

async function openEmbeddedServer(options: OpenOptions): Promise<Server> {
  const embedded = await openEmbedded(options);
  return {
    clientConfig: embedded.connection,
    description: `embedded PostgreSQL in ${options.dataDir}`,
    release: () => embedded.release(),
  };
}

async function openServer(options: OpenOptions): Promise<Server> {
  const { databaseUrl, databaseDirectUrl: DATABASE_DIRECT_URL, databaseReplicaUrl: DATABASE_REPLICA_URL } = options;
  const others = Object.entries({ DATABASE_DIRECT_URL, DATABASE_REPLICA_URL });
  const [directConfig, replicaConfig] = others.map(([name, address]) => {
    if (address === undefined) return undefined;
    if (databaseUrl === undefined) throw new AppError('misconfigured', `${name} needs DATABASE_URL`);
    return toClientConfig(name, address);
  });
  if (databaseUrl === undefined) return openEmbeddedServer(options);
  const clientConfig = toClientConfig('DATABASE_URL', databaseUrl);
  const { host, pathname } = new URL(databaseUrl);
  return {
    clientConfig,
    directConfig,
    replicaConfig,
    description: `PostgreSQL at ${host || 'a local socket'}${pathname}`,
    release: async () => {},
  };
}

function toClientConfig(name: string, address: string): ClientConfig {
  if (URL.canParse(address)) return toTlsConfig(name, address);
  throw new AppError('misconfigured', `${name} must be an address like postgresql://user:password@host:5432/database`);
}

function connect(server: Server, limits: PoolLimits): Database {
  const common: ClientConfig = {
    application_name: usualApplication,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    // A peer that vanished silently is noticed after some minutes.
    keepAliveInitialDelayMillis: keepAliveDelayMs,
    types: typeParsers(),
  };
  const { description, directConfig } = server;
  // PgBouncer refuses connections that name a time limit for statements.
  const ownConfig = directConfig === undefined ? {} : { statement_timeout: false as const };
  const clientConfig: ClientConfig = { ...server.clientConfig, ...common, ...ownConfig };
  const sessionConfig = directConfig === undefined ? clientConfig : { ...directConfig, ...common };
  const connections = openPool(clientConfig, limits);
  let closing: Promise<void> | undefined;
  const closeOnce = async (): Promise<void> => {
    await connections.close();
    await server.release();
  };
  const close = (): Promise<void> => (closing ??= closeOnce());
  return {
    ...connections,
    clientConfig,
    sessionConfig,
    replicaConfig: server.replicaConfig && { ...server.replicaConfig, ...common },
    description,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** PostgreSQL's numbers of these types, from its table pg_type. */
const typeOids = { int8: 20, date: 1082 };

/**
 * Returns parsers that read int8 as a number, because counters stay far below 2^53, and a date as text, because a day
 * is not a moment.
 */
function typeParsers(): TypeOverrides {
  const parsers = new TypeOverrides();
  parsers.setTypeParser(typeOids.int8, Number);
  parsers.setTypeParser(typeOids.date, String);
  return parsers;
}

/** The major version of PostgreSQL below which the service does not work. */
export const oldestSupported = 15;

export interface ServerVersion {
  /** PostgreSQL's own version number: 150018 for 15.18. */
  number: number;
  /** The version as people write it. */
  name: string;
}

export function isSupported({ number }: ServerVersion): boolean {
  return number >= oldestSupported * 10_000;
}

/**
 * Reads the version of the server.
 * @throws AppError `misconfigured` when the database does not respond.
 */
export async function readServerVersion(pool: Pool): Promise<ServerVersion> {
  const { rows } = await pool
    .query<ServerVersion>(
      `select current_setting('server_version_num')::int as number, current_setting('server_version') as name`,
    )
    .catch((cause: unknown) => {
      throw notResponding(cause, 'DATABASE_URL');
    });
  return rows[0] ?? { number: 0, name: 'unknown' };
}

export async function readConnectionLimit(connection: Connection): Promise<ConnectionLimit> {
  const { rows } = await sql<ConnectionLimit>`
    select current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
        as permitted,
      (select count(*)::integer from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid())
        as used`.execute(connection);
  return rows[0] ?? { permitted: 0, used: 0 };
}

/**
 * Returns the settings for an address, whose `sslmode` has the meaning that libpq gives it. Without `sslrootcert`, the modes that
 * verify accept certificates of the system's authorities and of CA_FILE.
 * @param name the setting with the address, for errors.
 * @throws AppError `misconfigured` for an unknown mode, or a file that cannot be read.
 */
export function toTlsConfig(name: string, address: string): ClientConfig {
  const url = new URL(address);
  const { searchParams } = url;
  if (!read.some((parameter) => searchParams.has(parameter))) return { connectionString: address };
  const rootCertificate = searchParams.get('sslrootcert') ?? undefined;
  // libpq demands verify-full of `system`, and verifies the issuer as soon as there is a root certificate.
  const usual = rootCertificate === 'system' ? 'verify-full' : rootCertificate === undefined ? 'prefer' : 'verify-ca';
  const text = searchParams.get('sslmode') ?? usual;
  const mode = modes.find((known) => known === text);
  if (mode === undefined) throw new AppError('misconfigured', `${name}: sslmode must be one of ${modes.join(', ')}`);
  const file = (parameter: string): string | undefined => readFile(name, parameter, searchParams.get(parameter));
  const ca = rootCertificate === 'system' ? undefined : file('sslrootcert');
  const [cert, key] = [file('sslcert'), file('sslkey')];
  for (const parameter of read) searchParams.delete(parameter);
  const isPlain = mode === 'disable' || mode === 'allow';
  const certificates = { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key && { key }) };
  return {
    connectionString: url.href,
    ssl: isPlain ? false : { ...certificates, ...toVerification(mode, rootCertificate !== undefined) },
  };
}

function toVerification(mode: Mode, hasRoot: boolean): Exclude<ClientConfig['ssl'], boolean | undefined> {
  if (mode === 'verify-full') return {};
  const verifiesIssuer = mode === 'verify-ca' || (mode === 'require' && hasRoot);
  return verifiesIssuer ? { checkServerIdentity: () => undefined } : { rejectUnauthorized: false };
}

/** Returns whether connections of these settings are encrypted without a check of the server's certificate. */
function isUnverified({ ssl }: ClientConfig): boolean {
  return typeof ssl === 'object' && ssl.rejectUnauthorized === false;
}

function readFile(name: string, parameter: string, path: string | null): string | undefined {
  if (path === null || path === '') return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new AppError('misconfigured', `${name}: ${parameter} names a file that can't be read`, { cause });
  }
}

import { readClock } from '../../../database/connections/clock.ts';
import type { Connection, Database } from '../../../database/connections/connection.ts';
import {
  isSupported,
  oldestSupported,
  openUnchanged,
  readServerVersion,
  type ServerVersion,
} from '../../../database/connections/open.ts';
import { isPooled } from '../../../database/connections/sessions.ts';
import { findFullDisk } from '../../../database/connections/unavailable.ts';
import { hasEmbeddedDatabase } from '../../../database/embedded/embedded.ts';
import { exportAndImport, type MigrationState, readMigrationState } from '../../../database/migrations/migrate.ts';
import { measureReplica } from '../../../database/reads/replica.ts';
import { type BlockingTransaction, findBlockingTransactions } from '../../../database/schema/blocking-transactions.ts';
import { AppError } from '../../../model/errors.ts';
import { counted } from '../../../model/text.ts';
import type { DatabaseSettings } from '../../config/config.ts';
import { ago, type Finding, found, lasting, quoted } from '../finding.ts';
import { limitsStatements, readLivingNodes } from '../store.ts';
import { maxGroups } from './collecting.ts';

/** The distance to the primary, in bytes of its log (one segment), from which on the replica can rarely be read. */
const farBehind = 16 * 1024 * 1024;

/** The result of opening the database. */
export interface Opened {
  findings: Finding[];
  /** Undefined: it cannot be reached. */
  database?: Database;
  /** True: its tables are those of this release, so that stored data can be checked. */
  isReadable: boolean;
}

/** Opens the database without changing anything in it, and checks the versions of the server and of the tables. */
export async function openForDoctor(config: DatabaseSettings, statementTimeoutMs: number): Promise<Opened> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl === undefined && !hasEmbeddedDatabase(dataDir)) {
    const message = `There is no database in ${dataDir} (DATA_DIR) yet.`;
    const remedy = 'Start the service once: it makes one.';
    return { findings: [database('hint', 'database_missing', message, remedy)], isReadable: false };
  }
  let opened: Database | undefined;
  try {
    opened = await openUnchanged({ ...config, statementTimeoutMs, log: () => {} });
    const version = await readServerVersion(opened.pool);
    const server = examineServer(version, opened.description);
    if (server.severity === 'problem') return { findings: [server], database: opened, isReadable: false };
    const migrations = examineMigrations(await readMigrationState(opened));
    return { findings: [server, ...migrations], database: opened, isReadable: migrations.length === 0 };
  } catch (error) {
    await opened?.close();
    if (!(error instanceof AppError)) throw error;
    const remedy =
      databaseUrl === undefined
        ? 'Look into server.log in the directory of the database.'
        : 'Start PostgreSQL, or correct DATABASE_URL. Until then nothing that is stored can be checked.';
    return { findings: [database('problem', 'database_unreachable', error.message, remedy)], isReadable: false };
  }
}

/**
 * Checks the version of PostgreSQL.
 * @param description names the database, without secrets.
 */
export function examineServer(version: ServerVersion, description: string): Finding {
  if (isSupported(version)) {
    return database('fine', 'database_reachable', `PostgreSQL ${version.name} responds (${description}).`);
  }
  const message = `PostgreSQL is version ${version.name}; the service needs ${oldestSupported} or later.`;
  return database('problem', 'database_too_old', message, 'Upgrade PostgreSQL, or let DATABASE_URL name another one.');
}

/** Checks the tables. @returns no finding when they are those of this release. */
export function examineMigrations({ applied, pending, unknown, isFormer }: MigrationState): Finding[] {
  if (isFormer) {
    const message = 'The tables are those of another version.';
    return [database('problem', 'tables_of_another_version', message, exportAndImport)];
  }
  if (unknown.length > 0) {
    const message = `The tables were written by a newer release (${unknown.at(-1)}).`;
    return [database('problem', 'database_too_new', message, 'Run that release.')];
  }
  if (pending.length === 0) return [];
  const message =
    applied.length === 0
      ? 'The database is empty.'
      : `${counted(pending.length, 'migration')} of this release ${pending.length === 1 ? 'is' : 'are'} pending.`;
  const remedy = 'Start this release of the service: it brings the tables up to date. Until then they are not checked.';
  return [database('hint', 'migrations_pending', message, remedy)];
}

/**
 * Limits of the difference between the clocks: from `hintMs` on, jobs start late; from `problemMs` on, valid tokens may
 * be refused as expired.
 */
const clockTolerance = { hintMs: 5000, problemMs: 60_000 };

/**
 * Compares the clock of the database with this machine's, and checks whether a service runs on the database and whether
 * statements have a time limit.
 */
export async function checkServer(opened: Database, now: () => Date): Promise<Finding[]> {
  const { connection } = opened;
  const before = now();
  const clock = await readClock(connection);
  // The database reads its clock about halfway between the request and its response.
  const middleMs = (before.getTime() + now().getTime()) / 2;
  const nodes = await readLivingNodes(connection);
  const service =
    nodes > 0
      ? database('fine', 'service_running', `${counted(nodes, 'node')} of the service ${nodes === 1 ? 'runs' : 'run'}.`)
      : database(
          'hint',
          'service_not_running',
          'No service runs on this database: nothing is collected, and no delivery is received.',
          'Start it with npm start.',
        );
  const isLimited = !isPooled(opened) || (await limitsStatements(connection));
  return [service, ...examineClock(clock.getTime() - middleMs), ...(isLimited ? [] : [noStatementLimit])];
}

/**
 * Checks the difference between the clocks.
 * @param aheadMs the time of the database's clock minus this machine's, in ms.
 */
export function examineClock(aheadMs: number): Finding[] {
  const difference = Math.abs(aheadMs);
  if (difference < clockTolerance.hintMs) return [];
  const severity = difference < clockTolerance.problemMs ? 'hint' : 'problem';
  const message = `The clock of the database is ${lasting(difference)} ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine's.`;
  return [database(severity, 'clock_differs', message, 'Set both clocks by a time server (NTP).')];
}

const noStatementLimit = database(
  'hint',
  'statement_limit_missing',
  'Behind a pooler, the statements of a node that was killed have no time limit.',
  "Set one for the role: alter role ... set statement_timeout = '10min'.",
);

/** Checks whether the database has space, with a write that it takes back. */
export async function checkSpace({ pool }: Database): Promise<Finding[]> {
  const fault = await findFullDisk(pool);
  if (fault === undefined) return [];
  const remedy = 'Make room there: nothing is stored until then. The service goes on by itself.';
  return [database('problem', 'disk_full', fault, remedy)];
}

/** Waits from this length on, in s, are worth knowing: locks are mostly free again within milliseconds. */
const longWaitS = 5;

/** Finds transactions for whose locks others wait. */
export async function checkLocks(connection: Connection, now: Date): Promise<Finding[]> {
  const blocking = await findBlockingTransactions(connection, maxGroups);
  return blocking.filter(({ waitS }) => waitS >= longWaitS).map((transaction) => describeBlocking(transaction, now));
}

function describeBlocking(transaction: BlockingTransaction, now: Date): Finding {
  const { pid, application, begunAt, state, lock, waiting, waitS, waitingStatement } = transaction;
  const client = application === '' ? '' : ` of ${quoted(application)}`;
  return found('database', {
    severity: 'problem',
    code: 'transaction_blocking',
    subject: lock,
    message:
      `${counted(waiting, 'session')} ${waiting === 1 ? 'waits' : 'wait'} up to ${lasting(waitS * 1000)} for a lock (${lock}) of the ` +
      `transaction in session ${pid}${client}, which began ${ago(begunAt, now)} and is ${state}: ${quoted(waitingStatement)}`,
    remedy: `Wait, or end it: select pg_terminate_backend(${pid}). Nothing stored is lost.`,
    since: begunAt,
    count: waiting,
  });
}

function database(severity: Finding['severity'], code: Finding['code'], message: string, remedy?: string): Finding {
  return found('database', { severity, code, message, remedy });
}

/** Checks that DATABASE_REPLICA_URL leads to a standby of the database. */
export async function checkReplica({ pool, replicaConfig }: Database): Promise<Finding[]> {
  if (replicaConfig === undefined) return [];
  let behind: number | undefined;
  try {
    behind = await measureReplica(pool, replicaConfig);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown reason';
    const message = `The replica does not respond: ${reason}. All responses are read from the primary.`;
    return [replica('hint', 'replica_unreachable', message, 'Start it, or correct DATABASE_REPLICA_URL.')];
  }
  return [examineReplica(behind)];
}

/**
 * Checks the state of the replica.
 * @param behind its distance to the primary, in bytes of the log; undefined: it is not a standby of the database.
 */
export function examineReplica(behind: number | undefined): Finding {
  if (behind === undefined) {
    const message = 'DATABASE_REPLICA_URL does not lead to a standby of the database, so it is not used.';
    return replica(
      'problem',
      'replica_unfit',
      message,
      'Let it name a streaming standby, and the same database there.',
    );
  }
  const message = `The replica responds, ${behind.toLocaleString('en')} bytes behind the primary.`;
  if (behind < farBehind) return replica('fine', 'replica_reachable', message);
  return replica(
    'hint',
    'replica_behind',
    message,
    'Look at pg_stat_replication, and at long statements on the replica.',
  );
}

function replica(severity: Finding['severity'], code: Finding['code'], message: string, remedy?: string): Finding {
  return found('database', { severity, code, message, remedy });
}

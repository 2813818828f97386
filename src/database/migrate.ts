import { Logger, runMigrations } from 'graphile-worker';
import { type Kysely, sql } from 'kysely';
import { AppError } from '../errors.ts';
import { applyDefinitions } from './apply-definitions.ts';
import { applyMigrations } from './apply-migrations.ts';
import { prepareDistributed } from './citus.ts';
import type { Database } from './connection.ts';
import { type Definition, readDefinitions } from './definitions.ts';
import {
  type MigratingConnections,
  type Reporting,
  retrying,
  waitForOtherNodes,
  withMigratingConnections,
} from './migrating-session.ts';
import { migrations as ofThisRelease } from './migrations/index.ts';
import type { Migration } from './migrations/migration.ts';

const reportEveryMs = 10_000;

export interface MigrateOptions {
  /** The last migration to apply; by default the newest. */
  upTo?: string | undefined;
  log?: (line: string) => void;
  /** The interval, in ms, at which long work and waits are reported. */
  logEveryMs?: number;
  /** The longest wait of a statement for a lock, in ms; by default two seconds. */
  lockTimeoutMs?: number;
  /** The migrations by their names, by default those of this release. */
  migrations?: Readonly<Record<string, Migration>>;
  /** The functions and triggers after the newest migration of this release, by default those of this release. */
  definitions?: readonly Definition[];
}

/**
 * Brings the tables, their functions and triggers, and the job queue up to date. Any number of nodes may do so at once: one does, the others wait.
 * @throws AppError `misconfigured` when the database was written by a newer release, or other sessions keep its tables
 * locked.
 */
export async function migrate(
  { sessionConfig }: Pick<Database, 'sessionConfig'>,
  options: MigrateOptions = {},
): Promise<void> {
  const { upTo, log = () => {}, logEveryMs = reportEveryMs, migrations = ofThisRelease } = options;
  const report: Reporting = { log, logEveryMs };
  const work = async ({ session, pool }: MigratingConnections): Promise<void> => {
    await waitForOtherNodes(session, report);
    await sql`
      create table if not exists kysely_migration (
        name varchar(255) primary key, timestamp varchar(255) not null)`.execute(session);
    const state = await compare(session, migrations);
    if (state.unknown.length > 0) {
      throw new AppError('misconfigured', 'The database was written by a newer release of this service; run that one');
    }
    const pending = state.pending
      .filter((name) => upTo === undefined || name <= upTo)
      .flatMap((name) => {
        const migration = migrations[name];
        return migration === undefined ? [] : [{ name, migration }];
      });
    await applyMigrations(session, pending, report, state.applied.length === 0);
    if (migrations === ofThisRelease && pending.length === state.pending.length) {
      await applyDefinitions(session, options.definitions ?? readDefinitions(), report);
      await prepareDistributed(session);
    }
    await retrying('the migration of the job queue', log, () =>
      runMigrations({ pgPool: pool, logger: new Logger(() => () => {}) }),
    );
  };
  await withMigratingConnections(sessionConfig, work, options.lockTimeoutMs);
}

/** Returns the newest migration of this release. */
export function newestMigration(): string {
  return Object.keys(ofThisRelease).toSorted().at(-1) ?? '';
}

/** Returns the newest migration that a database has. */
export async function appliedMigration(database: Pick<Database, 'connection'>): Promise<string | undefined> {
  return (await readMigrationState(database)).applied.at(-1);
}

/** The migrations of a database, compared with those of this release. */
export interface MigrationState {
  applied: string[];
  /** Migrations of this release that the database does not have yet. */
  pending: string[];
  /** Migrations of the database that this release does not know: a newer release wrote it. */
  unknown: string[];
}

/** Reads which migrations a database has; changes nothing. */
export async function readMigrationState({ connection }: Pick<Database, 'connection'>): Promise<MigrationState> {
  return compare(connection, ofThisRelease);
}

async function compare<Tables>(
  connection: Kysely<Tables>,
  migrations: Readonly<Record<string, Migration>>,
): Promise<MigrationState> {
  const { rows } = await sql<{ exists: boolean }>`select to_regclass('kysely_migration') is not null as exists`.execute(
    connection,
  );
  const stored = rows[0]?.exists
    ? await sql<{ name: string }>`select name from kysely_migration order by name`.execute(connection)
    : { rows: [] };
  const names = new Set(stored.rows.map(({ name }) => name));
  const known = Object.keys(migrations).toSorted();
  return {
    applied: known.filter((name) => names.has(name)),
    pending: known.filter((name) => !names.has(name)),
    unknown: [...names].filter((name) => !Object.hasOwn(migrations, name)),
  };
}

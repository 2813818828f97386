import { Logger, runMigrations } from 'graphile-worker';
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../model/errors.ts';
import type { Database } from '../connections/connection.ts';
import { prepareDistributed } from '../schema/citus.ts';
import { applyDefinitions, type Definition, readDefinitions } from '../schema/definitions.ts';
import { applyBaseline, applyMigrations } from './apply-migrations.ts';
import {
  type MigratingConnections,
  type Reporting,
  retrying,
  waitForOtherNodes,
  withMigratingConnections,
} from './migrating-session.ts';
import {
  type Baseline,
  isBaseline,
  type Migration,
  migrations as ofThisRelease,
  baseline as ofThisReleaseBaseline,
} from './migration.ts';

const reportEveryMs = 10_000;

interface MigrateOptions {
  log?: (line: string) => void;
  /** The interval, in ms, at which long work and waits are reported. */
  logEveryMs?: number;
  /** The longest wait of a statement for a lock, in ms; by default two seconds. */
  lockTimeoutMs?: number;
  /** The tables of an empty database, by default those of this release. */
  baseline?: Baseline;
  /** The migrations by their names, by default those of this release. */
  migrations?: Readonly<Record<string, Migration>>;
  /** The functions and triggers after the migrations of this release, by default those of this release. */
  definitions?: readonly Definition[];
}

/**
 * Brings the tables, their functions and triggers, and the job queue up to date. Any number of nodes may do so at once: one does, the others wait.
 * @throws AppError `misconfigured` when the database was written by a newer release, or before this baseline, or other
 * sessions keep its tables locked.
 */
export async function migrate(
  { sessionConfig }: Pick<Database, 'sessionConfig'>,
  options: MigrateOptions = {},
): Promise<void> {
  const { log = () => {}, logEveryMs = reportEveryMs, baseline = ofThisReleaseBaseline } = options;
  const { migrations = ofThisRelease } = options;
  const report: Reporting = { log, logEveryMs };
  const work = async ({ session, pool }: MigratingConnections): Promise<void> => {
    await waitForOtherNodes(session, report);
    if ((await listApplied(session)).length === 0) await applyBaseline(session, baseline, report);
    const state = await compare(session, baseline, migrations);
    if (state.isFormer) {
      throw new AppError('misconfigured', `The database has the tables of another version. ${exportAndImport}`);
    }
    if (state.unknown.length > 0) {
      throw new AppError('misconfigured', 'The database was written by a newer release of this service; run that one');
    }
    const pending = Object.entries(migrations).flatMap(([name, migration]) =>
      state.pending.includes(name) ? [{ name, migration }] : [],
    );
    await applyMigrations(
      session,
      pending.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
      report,
    );
    if (migrations === ofThisRelease) {
      await applyDefinitions(session, options.definitions ?? readDefinitions(), report);
      await prepareDistributed(session);
    }
    await retrying('the migration of the job queue', log, () =>
      runMigrations({ pgPool: pool, logger: new Logger(() => () => {}) }),
    );
  };
  await withMigratingConnections(sessionConfig, work, options.lockTimeoutMs);
}

/** Returns the newest migration of this release, or its baseline: the name of its tables. */
export function newestMigration(): string {
  return Object.keys(ofThisRelease).toSorted().at(-1) ?? ofThisReleaseBaseline.name;
}

/** The remedy for tables from before the baseline, or of another one. */
export const exportAndImport =
  'Run `plaudit export FILE` of the version that wrote the database, then `plaudit import FILE` of this one with a new database';

/** The migrations of a database, compared with those of this release. */
export interface MigrationState {
  /** The baseline and the migrations of this release that the database has; empty for an empty database. */
  applied: string[];
  /** Those of this release that the database does not have yet. */
  pending: string[];
  /** Migrations of the database that this release does not know: a newer release wrote it. */
  unknown: string[];
  /** True when its tables are from before the baseline, or of another one. */
  isFormer: boolean;
}

/** Reads which migrations a database has; changes nothing. */
export async function readMigrationState({ connection }: Pick<Database, 'connection'>): Promise<MigrationState> {
  return compare(connection, ofThisReleaseBaseline, ofThisRelease);
}

async function compare<Tables>(
  connection: Kysely<Tables>,
  baseline: Baseline,
  migrations: Readonly<Record<string, Migration>>,
): Promise<MigrationState> {
  const names = await listApplied(connection);
  const known = [baseline.name, ...Object.keys(migrations).toSorted()];
  return {
    applied: known.filter((name) => names.includes(name)),
    pending: known.filter((name) => !names.includes(name)),
    unknown: names.filter((name) => !known.includes(name)),
    isFormer: names.some((name) => (isBaseline(name) ? name !== baseline.name : name === tableBeforeBaseline)),
  };
}

/** The table in which versions from before the baseline recorded their migrations. */
const tableBeforeBaseline = 'kysely_migration';

/** Lists the names that are recorded; the name of the former table, where a version from before the baseline wrote. */
async function listApplied<Tables>(connection: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ exists: boolean; former: boolean }>`
    select to_regclass('applied_migrations') is not null as exists,
      to_regclass(${tableBeforeBaseline}) is not null as former`.execute(connection);
  // An old node that was started on these tables by mistake may have added its own table.
  if (rows[0]?.exists !== true) return rows[0]?.former === true ? [tableBeforeBaseline] : [];
  const stored = await sql<{ name: string }>`select name from applied_migrations order by name`.execute(connection);
  return stored.rows.map(({ name }) => name);
}

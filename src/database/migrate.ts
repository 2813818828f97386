import { Logger, runMigrations } from 'graphile-worker';
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { AppError } from '../errors.ts';
import { advisoryLocks } from './advisory-locks.ts';
import type { Database } from './connection.ts';
import { migrations } from './migrations/index.ts';

/**
 * Brings the tables and the job queue up to date. Any number of nodes may do so at once: one does, the others wait.
 * @param upTo the last migration to apply; by default the newest.
 * @throws AppError `misconfigured` when the database was written by a newer release.
 */
export async function migrate(
  { connection, pool }: Pick<Database, 'connection' | 'pool'>,
  upTo?: string,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [advisoryLocks.migrations]);
    const migrator = new Migrator({ db: connection, provider: { getMigrations: async () => migrations } });
    const { error } = upTo === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(upTo);
    if (error !== undefined) throw asMisconfigured(error);
    await runMigrations({ pgPool: pool, logger: new Logger(() => () => {}) });
  } finally {
    // Ending the connection ends the lock, also when the connection is broken already.
    client.release(true);
  }
}

/** Returns the newest migration that a database has. */
export async function appliedMigration({ connection }: Pick<Database, 'connection'>): Promise<string | undefined> {
  const migrator = new Migrator({ db: connection, provider: { getMigrations: async () => migrations } });
  const applied = (await migrator.getMigrations()).filter(({ executedAt }) => executedAt !== undefined);
  return applied.at(-1)?.name;
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
  const migrator = new Migrator({ db: connection, provider: { getMigrations: async () => migrations } });
  const known = await migrator.getMigrations();
  const { rows } = await sql<{ exists: boolean }>`select to_regclass('kysely_migration') is not null as exists`.execute(
    connection,
  );
  const stored = rows[0]?.exists
    ? await sql<{ name: string }>`select name from kysely_migration order by name`.execute(connection)
    : { rows: [] };
  return {
    applied: known.filter(({ executedAt }) => executedAt !== undefined).map(({ name }) => name),
    pending: known.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name),
    unknown: stored.rows.map(({ name }) => name).filter((name) => !Object.hasOwn(migrations, name)),
  };
}

function asMisconfigured(error: unknown): unknown {
  const isNewer = error instanceof Error && /previously executed migration .* is missing/.test(error.message);
  if (!isNewer) return error;
  return new AppError('misconfigured', 'The database was written by a newer release of this service; run that one', {
    cause: error,
  });
}

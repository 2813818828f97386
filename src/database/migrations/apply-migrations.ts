import { type Kysely, sql } from 'kysely';
import { type Reporting, reporting, retrying, withoutLockTimeout } from './migrating-session.ts';
import type { Backfill, Baseline, ConcurrentIndex, MigratingTransaction, Migration, Part } from './migration.ts';

/** A migration that the database does not have yet. */
interface Pending {
  name: string;
  migration: Migration;
}

/** Makes the tables of an empty database, with the record of that, in one transaction. */
export function applyBaseline(
  session: Kysely<unknown>,
  { name, statements }: Baseline,
  report: Reporting,
): Promise<void> {
  return transact(session, 'the creation of tables', report, async (transaction) => {
    await sql.raw(statements).execute(transaction);
    await recordMigration(transaction, name);
  });
}

/**
 * Applies migrations, each in its own transactions, so that a failure of one leaves the earlier ones applied. A
 * migration and the record of it commit together.
 */
export async function applyMigrations(
  session: Kysely<unknown>,
  pending: readonly Pending[],
  report: Reporting,
): Promise<void> {
  for (const [index, { name, migration }] of pending.entries()) {
    const title = `migration ${name} (${index + 1} of ${pending.length})`;
    report.log(title);
    if ('parts' in migration) await applyParts(session, { name, title, parts: migration.parts }, report);
    else {
      await transact(session, title, report, async (transaction) => {
        await migration.up(transaction);
        await recordMigration(transaction, name);
      });
    }
  }
}

interface InParts {
  name: string;
  title: string;
  parts: readonly Part[];
}

async function applyParts(session: Kysely<unknown>, { name, title, parts }: InParts, report: Reporting): Promise<void> {
  for (const [part, definition] of parts.entries()) {
    const step: Step = { migration: name, part, title: `${title}, part ${part + 1} of ${parts.length}` };
    if ((await readProgress(session, step))?.isDone === true) continue;
    if (parts.length > 1) report.log(step.title);
    if ('sql' in definition) {
      await transact(session, step.title, report, async (transaction) => {
        for (const statement of definition.sql) await statement.execute(transaction);
        await writeProgress(transaction, step, { position: null, isDone: true });
      });
    } else if ('concurrently' in definition) {
      await buildIndex(session, step, definition.concurrently, report);
    } else {
      await fill(session, step, definition.backfill, report);
    }
  }
  await transact(session, title, report, async (transaction) => {
    await sql`delete from migration_parts where migration = ${name}`.execute(transaction);
    await recordMigration(transaction, name);
  });
}

/** Runs work in one transaction, and again when other sessions held its locks. */
export function transact(
  session: Kysely<unknown>,
  title: string,
  report: Reporting,
  work: (transaction: MigratingTransaction) => Promise<void>,
): Promise<void> {
  return retrying(title, report.log, () =>
    reporting(
      report,
      () => title,
      () => session.transaction().execute(work),
    ),
  );
}

/**
 * Builds an index while others write. A build that failed or was killed leaves an invalid index, which PostgreSQL
 * maintains and never uses, so it is dropped first.
 */
async function buildIndex(
  session: Kysely<unknown>,
  step: Step,
  { name, isUnique = false, on }: ConcurrentIndex,
  report: Reporting,
): Promise<void> {
  const build = async (): Promise<void> => {
    const { rows } = await sql<{ isValid: boolean }>`
      select indisvalid as "isValid" from pg_index where indexrelid = to_regclass(${name})`.execute(session);
    if (rows[0]?.isValid === true) return;
    if (rows.length > 0) await sql`drop index concurrently ${sql.id(name)}`.execute(session);
    const [, table = ''] = /^\s*"?(\w+)/.exec(on.compile(session).sql) ?? [];
    // PostgreSQL cannot build an index of a partitioned table concurrently.
    const concurrently = sql.raw((await countPartitions(session, table)) > 1 ? '' : 'concurrently');
    await sql`
      create ${sql.raw(isUnique ? 'unique' : '')} index ${concurrently} ${sql.id(name)} on ${on}`.execute(session);
  };
  const title = `${step.title}, index ${name}`;
  await retrying(title, report.log, () =>
    reporting(
      report,
      () => title,
      () => withoutLockTimeout(session, build),
    ),
  );
  await writeProgress(session, step, { position: null, isDone: true });
}

/** Changes rows a batch at a time; each batch and its position commit together. */
async function fill(
  session: Kysely<unknown>,
  step: Step,
  { table, batch }: Backfill,
  report: Reporting,
): Promise<void> {
  let done = 0;
  const title = (): string => `${step.title}, ${done.toLocaleString('en')} rows of ${table}`;
  const next = async (): Promise<boolean> => {
    let isDone = false;
    await retrying(title(), report.log, () =>
      session.transaction().execute(async (transaction) => {
        const after = (await readProgress(transaction, step))?.position ?? null;
        const { next: position, rows } = await batch(transaction, after);
        if (position !== null && position === after) throw new Error(`${step.title} does not advance beyond ${after}`);
        isDone = position === null;
        await writeProgress(transaction, step, { position, isDone });
        done += rows;
      }),
    );
    return isDone;
  };
  await reporting(report, title, async () => {
    while (!(await next()));
  });
}

/** A part of a migration. */
interface Step {
  migration: string;
  part: number;
  title: string;
}

interface Progress {
  position: string | null;
  isDone: boolean;
}

async function readProgress(connection: Kysely<unknown>, { migration, part }: Step): Promise<Progress | undefined> {
  const { rows } = await sql<Progress>`
    select position, is_done as "isDone" from migration_parts
    where migration = ${migration} and part = ${part}`.execute(connection);
  return rows[0];
}

async function writeProgress(
  connection: Kysely<unknown>,
  { migration, part }: Step,
  { position, isDone }: Progress,
): Promise<void> {
  await sql`
    insert into migration_parts (migration, part, position, is_done)
    values (${migration}, ${part}, ${position}, ${isDone})
    on conflict (migration, part) do update
      set position = excluded.position, is_done = excluded.is_done`.execute(connection);
}

async function recordMigration(transaction: MigratingTransaction, name: string): Promise<void> {
  await sql`insert into applied_migrations (name) values (${name})`.execute(transaction);
}

/** Returns the number of partitions of a table; 1: the table has none, or does not exist. */
export async function countPartitions<Tables>(connection: Kysely<Tables>, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from pg_inherits i join pg_class c on c.oid = i.inhparent
    where i.inhparent = to_regclass(${table}) and c.relkind = 'p'`.execute(connection);
  return rows[0]?.count || 1;
}

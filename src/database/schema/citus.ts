import { type Kysely, sql } from 'kysely';
import { AppError } from '../../model/errors.ts';
import type { Database } from '../connections/connection.ts';
import { type Reporting, waitForOtherNodes, withMigratingConnections } from '../migrations/migrating-session.ts';
import { dividedNames } from '../tables/divided-tables.ts';

/** The setting with which statements run in the steps in which they are written. */
export const joinPolicy = 'citus.local_table_join_policy = never';
/** The column by which Citus distributes tables, colocated, so that a statement about a repository runs on one worker. */
const distributionColumn = 'repository_id';

/**
 * Distributes the tables that are divided by repository over the workers of a Citus cluster, whose coordinator this is. All
 * other tables stay on the coordinator. A run after one that was stopped continues with the remaining tables.
 * @returns the tables that were distributed.
 * @throws AppError `misconfigured` when the extension is missing, or Citus would refuse a table of this schema.
 */
export async function distribute(
  { sessionConfig }: Pick<Database, 'sessionConfig'>,
  report: Reporting,
): Promise<string[]> {
  const distributed: string[] = [];
  await withMigratingConnections(sessionConfig, async ({ session }) => {
    await waitForOtherNodes(session, report);
    if (!(await hasCitus(session))) {
      throw new AppError(
        'misconfigured',
        'This database has no extension citus: install it on the coordinator and the workers, and add the workers by citus_add_node',
      );
    }
    await requireCoordinator(session);
    const problems = await findObstacles(session);
    if (problems.length > 0) {
      throw new AppError('misconfigured', `Citus would refuse the tables: ${problems.join('; ')}`);
    }
    const [first, ...others] = dividedNames;
    for (const table of [first, ...others]) {
      if (await isDistributed(session, table)) continue;
      report.log(`distributing ${table}`);
      const colocated = table === first ? 'default' : first;
      await sql`
        select create_distributed_table(${table}::regclass, ${sql.lit(distributionColumn)}, colocate_with => ${colocated})`.execute(
        session,
      );
      distributed.push(table);
    }
    await prepareDistributed(session);
  });
  return distributed;
}

/**
 * Prepares the database of a coordinator for the statements and functions of this release, where tables are distributed:
 * - Statements run in the steps in which they are written, where the cluster would otherwise copy whole tables to its workers for
 *   a join.
 * - Functions plan their statements with values, without which the cluster cannot find the workers.
 * - A local table that the cluster knows has transactions commit in two phases (`commit_in_two_phases`).
 * @throws AppError `misconfigured` when the cluster does not know its coordinator.
 */
export async function prepareDistributed(session: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ isDistributed: boolean }>`
    select to_regclass('pg_dist_partition') is not null as "isDistributed"`.execute(session);
  if (rows[0]?.isDistributed !== true || !(await isDistributed(session, dividedNames[0]))) return;
  await requireCoordinator(session);
  await sql`
    do $$
    declare
      planned regprocedure;
    begin
      execute format('alter database %I set ${sql.raw(joinPolicy)}', current_database());
      for planned in
        select oid from pg_proc where pronamespace = current_schema()::regnamespace
          and 'plan_cache_mode=force_generic_plan' = any(proconfig)
      loop
        execute format('alter function %s reset plan_cache_mode', planned);
      end loop;
      if to_regclass('two_phase_commits') is null then
        create table two_phase_commits (id integer primary key);
        perform citus_add_local_table_to_metadata('two_phase_commits');
      end if;
    end $$`.execute(session);
}

/** @throws AppError `misconfigured`. */
async function requireCoordinator(session: Kysely<unknown>): Promise<void> {
  const { rows } = await sql`select from pg_dist_node where groupid = 0`.execute(session);
  if (rows.length > 0) return;
  throw new AppError(
    'misconfigured',
    'The Citus cluster does not know its coordinator: call citus_set_coordinator_host with an address that the workers reach',
  );
}

async function hasCitus(session: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql`
    select from pg_proc where proname = 'create_distributed_table' and pg_function_is_visible(oid)`.execute(session);
  return rows.length > 0;
}

async function isDistributed(session: Kysely<unknown>, table: string): Promise<boolean> {
  const { rows } = await sql`select from pg_dist_partition where logicalrelid = ${table}::regclass`.execute(session);
  return rows.length > 0;
}

/**
 * Lists the parts of the schema that Citus refuses: partitions by hash, triggers, foreign keys, functions that take or
 * return rows of these tables, identity columns, and unique keys without the repository.
 */
export async function findObstacles<Tables>(connection: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ problem: string }>`
    with divided as (
      select oid, reltype, relkind from pg_class
      where relname = any(${[...dividedNames]}::text[]) and relnamespace = current_schema()::regnamespace
        and relkind in ('r', 'p')
    )
    select 'partitions of ' || oid::regclass as problem from divided where relkind = 'p'
    union all
    select 'trigger ' || t.tgname || ' on ' || d.oid::regclass from pg_trigger t join divided d on d.oid = t.tgrelid
    where not t.tgisinternal
    union all
    select 'foreign key ' || c.conname from pg_constraint c join divided d on d.oid in (c.conrelid, c.confrelid)
    where c.contype = 'f'
    union all
    select 'function ' || p.oid::regprocedure from pg_proc p
    where exists (select from divided d join pg_type t on t.oid = d.reltype
      where (p.proargtypes::oid[] || p.prorettype || coalesce(p.proallargtypes, '{}')) && array[t.oid, t.typarray])
    union all
    select 'identity column ' || d.oid::regclass || '(' || a.attname || ')'
    from pg_attribute a join divided d on d.oid = a.attrelid where a.attidentity <> ''
    union all
    select 'unique index ' || i.indexrelid::regclass from pg_index i join divided d on d.oid = i.indrelid
    where i.indisunique and not exists (
      select from pg_attribute a
      where a.attrelid = d.oid and a.attnum = any(i.indkey) and a.attname = ${sql.lit(distributionColumn)})
    order by 1`.execute(connection);
  return rows.map(({ problem }) => problem);
}

import { sql } from 'kysely';
import type { Backfill, Batch, MigratingTransaction, Part } from './migration.ts';

/** Renames a field of stored JSON, `askedAt` until now, and a task of the job queue, `see_totals` until now. */

const rowsAtOnce = 2000;

/** Renames `askedAt` to `requestedAt` in the windows that GitHub's provider remembers of an account. */
function renameInMemory(table: 'accounts' | 'reported_totals', id: 'id' | 'account_id'): Backfill {
  return {
    table,
    batch: async (transaction: MigratingTransaction, after: string | null): Promise<Batch> => {
      const { rows } = await sql<{ next: string | null; rows: number }>`
        with batch as (
          select ${sql.id(id)} as id from ${sql.table(table)}
          where ${sql.id(id)} > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000')
          order by ${sql.id(id)} limit ${sql.lit(rowsAtOnce)}),
        changed as (
          update ${sql.table(table)} t set provider_memory = jsonb_set(t.provider_memory, '{windows}', (
            select coalesce(jsonb_agg(
              case when one ? 'askedAt'
                then one - 'askedAt' || jsonb_build_object('requestedAt', one -> 'askedAt')
                else one end
              order by position), '[]')
            from jsonb_array_elements(t.provider_memory -> 'windows') with ordinality as w (one, position)))
          from batch
          where t.${sql.id(id)} = batch.id and jsonb_path_exists(t.provider_memory, '$.windows[*].askedAt')
            and jsonb_typeof(t.provider_memory -> 'windows') = 'array'
          returning 1)
        select (select id::text from batch order by id desc offset 0 limit 1) as next,
          (select count(*) from changed)::integer as rows`.execute(transaction);
      return rows[0] ?? { next: null, rows: 0 };
    },
  };
}

export const parts: readonly Part[] = [
  { backfill: renameInMemory('accounts', 'id') },
  { backfill: renameInMemory('reported_totals', 'account_id') },
  {
    sql: [
      // A database without jobs has no queue yet.
      sql`
        do $$ begin
          if to_regclass('graphile_worker._private_jobs') is null then return; end if;
          insert into graphile_worker._private_tasks (identifier) values ('fetch_reported_totals') on conflict do nothing;
          update graphile_worker._private_jobs j set task_id = present.id,
            key = case when starts_with(j.key, 'see_totals ')
              then 'fetch_reported_totals ' || substr(j.key, length('see_totals ') + 1) else j.key end
          from graphile_worker._private_tasks former, graphile_worker._private_tasks present
          where former.identifier = 'see_totals' and present.identifier = 'fetch_reported_totals'
            and j.task_id = former.id;
          delete from graphile_worker._private_tasks where identifier = 'see_totals';
        end $$`,
      sql`
        update lookups set key = 'fetch_reported_totals ' || substr(key, length('see_totals ') + 1)
        where starts_with(key, 'see_totals ')`,
    ],
  },
];

import { until } from '../../time.ts';
import type { TestService } from '../service.ts';

/**
 * Returns every row of every table, including those of jobs, as text. Announcements are left out: for a minute they name
 * the ids of changed accounts, also of erased ones, and nothing else.
 */
export async function readAllTables({ database }: Pick<TestService, 'database'>): Promise<string> {
  const { rows } = await database.pool.query<{ text: string }>(
    `select coalesce(string_agg(
       query_to_xml(format('select * from %I.%I', schemaname, tablename), true, false, '')::text, ''), '') as text
     from pg_tables where schemaname in ('public', 'graphile_worker') and tablename <> 'announcements'`,
  );
  return rows[0]?.text ?? '';
}

/**
 * Waits until no lookup is under way and no job is left to do or running, replaced ones included.
 * @param options.aheadS the time, in s, from now for which jobs count as left to do; those of a schedule do not.
 */
export async function untilIdle(
  { database, work }: { database: Pick<TestService['database'], 'pool'>; work?: TestService['work'] },
  { withinMs, aheadS = 0 }: { withinMs?: number; aheadS?: number } = {},
): Promise<void> {
  let left: unknown[] = [];
  const isIdle = async (): Promise<true | undefined> => {
    await work?.();
    const { rows } = await database.pool.query(
      `select key from lookups where state = 'running'
       union all
       select concat_ws(' ', coalesce(key, task_identifier), 'locked ' || locked_at, last_error)
       from graphile_worker.jobs
       where locked_at is not null or (run_at <= now() + $1 * interval '1 second' and attempts < max_attempts
         and (run_at <= now() or key is distinct from 'second start_owner_polls'))`,
      [aheadS],
    );
    left = rows;
    return rows.length === 0 ? true : undefined;
  };
  await until(isIdle, 'nothing is under way', withinMs).catch((error: unknown) => {
    throw new Error(`still under way: ${JSON.stringify(left)}`, { cause: error });
  });
}

/** Waits until the repositories of an account were listed at `at` or later, requesting `path` until then. */
export async function untilListedAgain(service: TestService, path: string, at: Date): Promise<void> {
  const [name = ''] = path.split('/');
  await until(async () => {
    await service.get(path);
    const query = 'select 1 from accounts where name = $1 and listed_at >= $2';
    const { rows } = await service.database.pool.query(query, [name, at]);
    return rows.length > 0 ? true : undefined;
  }, 'the repositories are listed again');
  await untilIdle(service);
}

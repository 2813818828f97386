import type { Database } from '../../src/database/connections/connection.ts';

/**
 * Counts the rows that transactions change in some tables from now on, by triggers.
 * @returns a function that returns the rows of each transaction since then.
 */
export async function watchChangedRows(
  { pool }: Pick<Database, 'pool'>,
  tables: readonly string[],
): Promise<() => Promise<number[]>> {
  await pool.query(`
    create table changed_rows (transaction_id xid8 not null, rows bigint not null);
    create function note_changed_rows() returns trigger language plpgsql as $$
    begin
      insert into changed_rows select pg_current_xact_id(), count(*) from changed;
      return null;
    end $$`);
  for (const table of tables) {
    for (const [event, rows] of [
      ['insert', 'new'],
      ['update', 'new'],
      ['delete', 'old'],
    ]) {
      await pool.query(`
        create trigger note_${event} after ${event} on ${table} referencing ${rows} table as changed
        for each statement execute function note_changed_rows()`);
    }
  }
  return async () => {
    const { rows } = await pool.query<{ rows: number }>(`
      select sum(rows)::integer as rows from changed_rows group by transaction_id having sum(rows) > 0
      order by transaction_id`);
    return rows.map((row) => row.rows);
  };
}

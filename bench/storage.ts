import type { Pool } from 'pg';
import type { BenchResult } from './bench-result.ts';
import { openOrganization } from './kept-organization.ts';
import { sized } from './size.ts';

const size = {
  contributions: sized(200_000, 3000),
  repositories: sized(50, 5),
  people: sized(3000, 300),
};

/** The tables whose rows have a title, with its column. */
const titled = [
  ['contributions', 'title'],
  ['commits', 'subject'],
] as const;
type Titled = (typeof titled)[number];

/**
 * Titles of 20 to 83 characters, on average 52: half of the titles and subjects in public projects are about 50 long. No text of this
 * length is compressed, so its words do not matter.
 */
const titleOf = `left(repeat('title of an item ', 6), 20 + abs(hashtext(c::text)) % 64)`;

/** Measures how many bytes a row takes, with its indexes, with and without its title and the time since when it is stored. */
export async function run(): Promise<BenchResult[]> {
  const opened = await openOrganization(size);
  await using place = opened.place;
  const { pool } = place.database;
  const results: BenchResult[] = [];
  for (const table of titled) results.push(...(await measure(pool, table)));
  return results;
}

async function measure(pool: Pool, [table, title]: Titled): Promise<BenchResult[]> {
  const bare = await findBytes(pool, table, { [title]: 'null' });
  const whole = await findBytes(pool, table, { [title]: titleOf });
  const undated = await findBytes(pool, table, { [title]: titleOf, stored_at: undefined });
  return [
    {
      name: `storage-titles-${table}`,
      ratio: whole / bare,
      goal: '<=1.3',
      baseline: 'the same rows without titles',
      detail: `${whole.toFixed(0)} bytes for a row, ${bare.toFixed(0)} without its title`,
    },
    {
      name: `storage-stored-at-${table}`,
      ratio: whole / undated,
      goal: 'none',
      baseline: 'the same rows without stored_at',
      detail: `${(whole - undated).toFixed(1)} bytes of a row`,
    },
  ];
}

/**
 * Returns the bytes for a row of a copy of the table with its indexes.
 * @param changed SQL for columns of the row `c` that the copy has otherwise; undefined: it lacks them.
 */
async function findBytes(pool: Pool, table: string, changed: Record<string, string | undefined>): Promise<number> {
  await pool.query(`create table copy (like ${table} including all)`);
  for (const [column, value] of Object.entries(changed)) {
    if (value === undefined) await pool.query(`alter table copy drop column ${column}`);
  }
  const { rows: columns } = await pool.query<{ name: string }>(
    `select column_name as name from information_schema.columns where table_name = 'copy' order by ordinal_position`,
  );
  const names = columns.map(({ name }) => name);
  const values = names.map((name) => changed[name] ?? `c.${name}`);
  await pool.query(`insert into copy (${names.join(', ')}) select ${values.join(', ')} from ${table} c`);
  const { rows } = await pool.query<{ bytes: number }>(
    `select pg_total_relation_size('copy')::float8 / count(*) as bytes from copy`,
  );
  await pool.query('drop table copy');
  return rows[0]?.bytes ?? 0;
}

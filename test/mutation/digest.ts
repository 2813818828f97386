import type { Pool } from 'pg';

/** A table, or its copy in a saved state. */
export interface Source {
  table: string;
  from: string;
  columns: readonly string[];
}

/** Digests of the values of columns, by `TABLE.COLUMN`. */
export type ColumnDigests = ReadonlyMap<string, string>;

/** Returns digests of the values of each column, without regard to their rows. */
export async function digestColumns(pool: Pool, sources: readonly Source[]): Promise<ColumnDigests> {
  const queries = sources.map(({ table, from, columns }) => {
    const digests = columns.map((column) => `md5(string_agg(${column}::text, ' ' order by ${column}::text))`);
    return `select '${table}' as table, array[${digests.join(', ')}] as digests from ${from}`;
  });
  const { rows } = await pool.query<{ table: string; digests: (string | null)[] }>(queries.join(' union all '));
  const columnsOf = new Map(sources.map(({ table, columns }) => [table, columns]));
  return new Map(
    rows.flatMap(({ table, digests }) =>
      (columnsOf.get(table) ?? []).map((column, index) => [`${table}.${column}`, digests[index] ?? ''] as const),
    ),
  );
}

/** Returns a digest of all rows. @param inconstant the columns, as `TABLE.COLUMN`, of which only null counts. */
export async function digestRows(
  pool: Pool,
  sources: readonly Source[],
  inconstant: ReadonlySet<string>,
): Promise<string> {
  const queries = sources.map(({ table, from, columns }) => {
    const parts = columns.map((column) => (inconstant.has(`${table}.${column}`) ? `${column} is null` : column));
    const row = `row(${parts.join(', ')})::text`;
    return `select '${table}' as name, md5(string_agg(${row}, ' ' order by ${row} collate "C")) as digest from ${from}`;
  });
  const { rows } = await pool.query<{ digest: string }>(
    `select md5(string_agg(name || digest, ' ' order by name)) as digest from (${queries.join(' union all ')}) t
     where $1 = $1`,
    [true],
  );
  return rows[0]?.digest ?? '';
}

import { Client } from 'pg';

/** Lists the objects of the schema with their definitions, one in each row, in order. */
const objects = `
  with tables as (
    select c.*, c.oid::regclass::text as name from pg_class c where c.relnamespace = current_schema()::regnamespace
  ), described (object) as (
    select format('relation %s %s %s %s', name, relkind, relpersistence, reloptions::text) from tables
    union all
    select format('column %s.%s %s%s%s%s default %s', t.name, a.attname, format_type(a.atttypid, a.atttypmod),
      case when a.attnotnull then ' not null' end, ' ' || nullif(a.attidentity::text, ''), ' ' || nullif(a.attgenerated::text, ''),
      pg_get_expr(d.adbin, d.adrelid))
    from tables t join pg_attribute a on a.attrelid = t.oid left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
    where t.relkind in ('r', 'p', 'v', 'm', 'c') and a.attnum > 0 and not a.attisdropped
    union all
    select format('index %s valid %s', pg_get_indexdef(i.indexrelid), i.indisvalid)
    from pg_index i join tables t on t.oid = i.indexrelid
    union all
    select format('constraint %s on %s %s valid %s', c.conname, coalesce(t.name, 'a domain'), pg_get_constraintdef(c.oid), c.convalidated)
    from pg_constraint c left join tables t on t.oid = c.conrelid where c.connamespace = current_schema()::regnamespace
    union all
    select format('function %s', pg_get_functiondef(oid))
    from pg_proc where pronamespace = current_schema()::regnamespace and prokind in ('f', 'p')
    union all
    select format('trigger %s enabled %s', pg_get_triggerdef(g.oid), g.tgenabled)
    from pg_trigger g join tables t on t.oid = g.tgrelid where not g.tgisinternal
    union all
    select format('view %s %s', name, pg_get_viewdef(oid)) from tables where relkind in ('v', 'm')
    union all
    select format('type %s %s', typname, typtype) from pg_type where typnamespace = current_schema()::regnamespace
    union all
    select format('statistics %s', pg_get_statisticsobjdef(oid))
    from pg_statistic_ext where stxnamespace = current_schema()::regnamespace
    union all
    select format('migration %s', name) from applied_migrations
  )
  select object from described order by object collate "C"`;

/** Lists the tables, columns, indexes, constraints, functions, triggers, types and migrations of a database. */
export async function readCatalog(databaseUrl: string): Promise<string[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ object: string }>(objects);
    return rows.map(({ object }) => object);
  } finally {
    await client.end();
  }
}

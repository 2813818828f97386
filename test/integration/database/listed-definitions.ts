/** A function or trigger that PostgreSQL has. */
export interface Listed {
  name: string;
  definition: string;
  /** The number of the transaction that wrote it. */
  version: string;
}

/** A statement that lists them. */
export const functionsAndTriggers = `
  select p.proname::text as name, pg_get_functiondef(p.oid) as definition, p.xmin::text as version
  from pg_proc p where p.pronamespace = current_schema()::regnamespace and p.proname <> 'shorten_delay'
  union all
  select t.tgname, pg_get_triggerdef(t.oid), t.xmin::text from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where c.relnamespace = current_schema()::regnamespace and not t.tgisinternal order by name`;

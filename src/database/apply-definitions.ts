import { type Kysely, sql } from 'kysely';
import { transact } from './apply-migrations.ts';
import { type Definition, dropOf, isFunction } from './definitions.ts';
import type { Reporting } from './migrating-session.ts';

/**
 * Brings the functions and triggers of a database to their definitions, in one transaction. Touches those alone that
 * are defined otherwise, because a statement about a trigger waits for all writers of its table, and removes those that
 * it made before and that nothing defines any more. Others' functions and triggers stay.
 */
export async function applyDefinitions(
  session: Kysely<unknown>,
  definitions: readonly Definition[],
  report: Reporting,
): Promise<void> {
  const present = await readPresent(session);
  const changed = definitions.filter(({ object, hash }) => present.get(object) !== hash);
  const defined = new Set(definitions.map(({ object }) => object));
  const removed = [...present.keys()].flatMap((object) => (defined.has(object) ? [] : [{ object }]));
  if (changed.length + removed.length === 0) return;
  await transact(session, 'the definition of functions and triggers', report, async (transaction) => {
    const drop = async ({ object }: { object: string }): Promise<void> => {
      await sql.raw(dropOf(object)).execute(transaction);
      await sql`delete from applied_definitions where object = ${object}`.execute(transaction);
    };
    for (const trigger of removed.filter((one) => !isFunction(one))) await drop(trigger);
    for (const { object, statement, hash } of changed) {
      await sql.raw(statement).execute(transaction);
      await sql`
        insert into applied_definitions (object, hash) values (${object}, ${hash})
        on conflict (object) do update set hash = excluded.hash`.execute(transaction);
    }
    // A trigger may have executed another function until now.
    for (const one of removed.filter(isFunction)) await drop(one);
  });
}

/** Reads which objects were made, with the hashes of their definitions; null: it no longer exists. */
async function readPresent(session: Kysely<unknown>): Promise<Map<string, string | null>> {
  // A table that was made again has lost its triggers.
  const { rows } = await sql<{ object: string; hash: string | null }>`
    select object, case when split_part(object, '(', 1) in (
        select format('function %s', p.proname) from pg_proc p where p.pronamespace = current_schema()::regnamespace
        union all
        select format('trigger %s on %s', t.tgname, c.relname) from pg_trigger t join pg_class c on c.oid = t.tgrelid
        where c.relnamespace = current_schema()::regnamespace) then hash end as hash
    from applied_definitions`.execute(session);
  return new Map(rows.map(({ object, hash }) => [object, hash]));
}

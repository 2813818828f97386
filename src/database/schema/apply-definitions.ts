import { type Kysely, sql } from 'kysely';
import { transact } from '../migrations/apply-migrations.ts';
import type { Reporting } from '../migrations/migrating-session.ts';
import { type Definition, isFunction, toDropStatement } from './definitions.ts';

/**
 * Creates and replaces functions and triggers so that they match their definitions, in one transaction. Leaves those that
 * match as they are, because a statement about a trigger waits for all writers of its table. Drops those that an earlier
 * call created and no definition contains any more, and no others.
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
      await sql.raw(toDropStatement(object)).execute(transaction);
      await sql`delete from applied_definitions where object = ${object}`.execute(transaction);
    };
    for (const trigger of removed.filter((object) => !isFunction(object))) await drop(trigger);
    for (const { object, statement, hash } of changed) {
      await sql.raw(statement).execute(transaction);
      await sql`
        insert into applied_definitions (object, hash) values (${object}, ${hash})
        on conflict (object) do update set hash = excluded.hash`.execute(transaction);
    }
    // Functions are dropped last, because a trigger may have executed one until it was replaced above.
    for (const unused of removed.filter(isFunction)) await drop(unused);
  });
}

/** Returns the objects that earlier calls created, with the hashes of their definitions; null: the object no longer exists. */
async function readPresent(session: Kysely<unknown>): Promise<Map<string, string | null>> {
  // An object can be missing: a table that a migration created again has lost its triggers.
  const { rows } = await sql<{ object: string; hash: string | null }>`
    select object, case when split_part(object, '(', 1) in (
        select format('function %s', p.proname) from pg_proc p where p.pronamespace = current_schema()::regnamespace
        union all
        select format('trigger %s on %s', t.tgname, c.relname) from pg_trigger t join pg_class c on c.oid = t.tgrelid
        where c.relnamespace = current_schema()::regnamespace) then hash end as hash
    from applied_definitions`.execute(session);
  return new Map(rows.map(({ object, hash }) => [object, hash]));
}

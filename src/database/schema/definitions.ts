import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { type Kysely, sql } from 'kysely';
import { type StoredCounter, storedCounters } from '../../model/kinds.ts';
import { transact } from '../migrations/apply-migrations.ts';
import type { Reporting } from '../migrations/migrating-session.ts';
import { maxAtOnce } from '../queue/announcements.ts';
import { countingFunction } from './count-changes.ts';
import { lockingFunctions } from './locks.ts';
import { summingFunctions } from './owner-sums.ts';

/** A function or trigger of the database, as `schema/` defines it. */
export interface Definition {
  /** The words that name it in DROP: `function lock_totals(repository uuid)` or `trigger awards_deleted on awards`. */
  object: string;
  /** Statements that create or replace it. */
  statement: string;
  hash: string;
}

const schemaFolder = new URL('./', import.meta.url);
const begin = /^(?=create )/m;
const header =
  /^create (?:or replace (?<function>function [a-z_]+\([^()]*\))\s+returns |(?:or replace|constraint) trigger (?<trigger>[a-z_]+) (?:before|after) [a-z_, ]+? on (?<table>[a-z_]+)\s)/;

/** Reads the functions and triggers of this release: those in files, and those that follow from the list of counters. */
export function readDefinitions(counters: readonly StoredCounter[] = storedCounters): Definition[] {
  const files = readdirSync(schemaFolder).filter((name) => name.endsWith('.sql'));
  const texts = files.toSorted().map((name) => readFileSync(new URL(name, schemaFolder), 'utf8'));
  return parseDefinitions(
    [maxAnnouncedFunction(), lockingFunctions(), countingFunction(counters), summingFunctions(counters), ...texts].join(
      '\n',
    ),
  );
}

/**
 * Splits statements, which begin at the start of a line with `create or replace`, or `create constraint trigger`,
 * which PostgreSQL cannot replace.
 * @returns functions first, then the triggers that execute them.
 * @throws Error when a statement defines something else, or something twice.
 */
export function parseDefinitions(text: string): Definition[] {
  const statements = text
    .replaceAll(/^--.*$/gm, '')
    .split(begin)
    .filter((statement) => statement.trim() !== '');
  const definitions = statements.map((statement) => {
    const { function: name, trigger, table } = header.exec(statement)?.groups ?? {};
    const object = name ?? (trigger && table && `trigger ${trigger} on ${table}`);
    if (!object) throw new Error(`Neither a function nor a trigger: ${statement.split('\n', 1)[0]}`);
    const trimmed = statement.trim();
    const hash = createHash('sha256').update(trimmed).digest('hex');
    const isReplacing = trimmed.startsWith('create or replace ');
    return { object, statement: isReplacing ? trimmed : `${toDropStatement(object)};\n${trimmed}`, hash };
  });
  const names = definitions.map(({ object }) => object.split('(', 1)[0]);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new Error(`Defined twice: ${twice}`);
  return [...definitions.filter(isFunction), ...definitions.filter((definition) => !isFunction(definition))];
}

/** Returns the statement that removes an object, if there is one. */
function toDropStatement(object: string): string {
  return `drop ${object.replace(' ', ' if exists ')}`;
}

function isFunction({ object }: Pick<Definition, 'object'>): boolean {
  return object.startsWith('function ');
}

/** Returns the definition of a function: the most accounts that one transaction names, which a node reads at a time. */
function maxAnnouncedFunction(): string {
  return `
create or replace function max_announced() returns integer language sql immutable as $$ select ${maxAtOnce} $$;
`;
}

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

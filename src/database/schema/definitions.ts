import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { type Kysely, sql } from 'kysely';
import { type StoredCounter, storedCounters } from '../../model/kinds.ts';
import { transact } from '../migrations/apply-migrations.ts';
import type { Reporting } from '../migrations/migrating-session.ts';
import { maxAtOnce } from '../queue/announcements.ts';
import { advisoryLocks } from './advisory-locks.ts';
import { countingFunction } from './count-changes.ts';
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

/**
 * Returns the definitions of the locks of transactions that change the contributions or commits of a repository, or its
 * totals, in the place of triggers; see docs/decisions/0064-tables-by-repository.md. Both return whether the people of the
 * repository are noted, because its achievements are evaluated or boards count it; null: it is not stored.
 * `hold_repository` keeps it, and the accounts that the transaction finds after it, from being erased until the transaction
 * ends. `lock_totals` also locks its totals, so that one transaction at a time changes the contributions that they count.
 * `hold_accounts` keeps accounts that were found earlier from being erased, and returns those that are still stored.
 * `hold_identity_uses` locks the rows of repositories that name some addresses, one repository after another: Citus locks no rows of several.
 * `hold_signing` keeps seasons that the transaction does not see from being signed until it ends.
 * `commit_in_two_phases` has the transaction commit on the coordinator of a Citus cluster and on a worker, or on neither. Citus commits on
 * a single worker first, and a failure before the commit of the coordinator would leave contributions without what follows from them. It
 * prepares the commit of the worker when the transaction also changes a local table that it knows (`ExecuteLocalTaskListExtended` and
 * `CoordinatedTransactionCallback` of Citus 13.2.2).
 * `mark_commits_uncounted` has all commits of some repositories counted again, and locks their totals in the order of their ids. Until
 * then their commits are not completely known.
 */
function lockingFunctions(): string {
  return `
create or replace function commit_in_two_phases() returns void language plpgsql as $$
begin
  if to_regclass('two_phase_commits') is not null then delete from two_phase_commits; end if;
end $$;

create or replace function hold_repository(repository uuid) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(${advisoryLocks.erasure});
  perform commit_in_two_phases();
  perform from repositories where id = repository for key share;
  if not found then return null; end if;
  return exists (select from achievement_files where repository_id = repository and path is not null)
    or exists (select from board_repositories where repository_id = repository);
end $$;

create or replace function lock_totals(repository uuid) returns boolean language plpgsql as $$
declare
  is_followed constant boolean := hold_repository(repository);
begin
  if is_followed is null then return null; end if;
  insert into repository_totals as t (repository_id) values (repository)
  on conflict (repository_id) do update set is_changed = t.is_changed where false;
  return is_followed;
end $$;

create or replace function hold_identity_uses(repositories uuid[], ids integer[])
returns table (repository uuid, is_counted boolean) language plpgsql as $$
begin
  perform commit_in_two_phases();
  for repository in select distinct r.id from unnest(repositories) as r (id) order by 1 loop
    return query select u.repository_id, u.is_counted from repository_identities u
    where u.repository_id = repository and u.identity_id = any(ids) order by u.identity_id for no key update;
  end loop;
end $$;

create or replace function mark_commits_uncounted(ids uuid[]) returns void language plpgsql as $$
declare
  repository uuid;
begin
  perform commit_in_two_phases();
  for repository in select distinct u.id from unnest(ids) as u (id) order by 1 loop
    perform from repositories where id = repository;
    continue when not found;
    -- A count that stores the first totals of the repository is not visible yet: the conflict waits for it.
    insert into repository_totals as t (repository_id) values (repository)
    on conflict (repository_id) do update set commits_counted = false, recounted_until = null, recounted_commits = 0,
      checked_commits = null, counting_day = null;
    perform mark_unsummed(array[repository]);
  end loop;
end $$;

create or replace function hold_signing() returns void language sql as $$
  select pg_advisory_xact_lock_shared(${advisoryLocks.signing})
$$;

create or replace function hold_accounts(ids uuid[]) returns uuid[] language sql as $$
  select array(select id from accounts where id = any(ids) and erased_at is null order by id for key share)
$$;
`;
}

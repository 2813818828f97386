import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { type Days, isDayIn, isMomentIn } from '../totals/expected-totals-store.ts';
import { markUncheckable } from '../totals/running-check-store.ts';
import { needsLanguages, sumsInSql } from './store.ts';
import { changeLanguageSums } from './sum-store.ts';

/** The comparison of languages of days with the commits of a repository, and their recount. */

/** SQL for the commits of some days of a repository whose languages were read, as `sumsInSql` takes them. */
function readCommits(repositoryId: string, days: Days): RawBuilder<unknown> {
  return sql`(
    select * from commits c where c.repository_id = ${repositoryId} and c.languages is not null
      and ${isMomentIn(days, sql`c.authored_at`)}) c`;
}

/** Counts the languages of some days of a repository, of which none are counted. Must run in a transaction. */
export async function countStoredLanguages(transaction: Connection, repositoryId: string, days: Days): Promise<void> {
  const sums = sumsInSql(readCommits(repositoryId, days));
  await changeLanguageSums(transaction, repositoryId, sql`select identity_id, language, files from (${sums}) s`);
  await sql`
    insert into language_days (repository_id, identity_id, day, language, files, commits)
    select * from (${sums}) s`.execute(transaction);
}

/** Returns whether the sums of some days of a repository differ from its commits. Locks nothing. */
export async function doLanguagesDiffer(connection: Connection, repositoryId: string, days: Days): Promise<boolean> {
  if (!(await needsLanguages(connection, repositoryId))) return false;
  const { rows } = await sql`
    with summed as (${sumsInSql(readCommits(repositoryId, days))})
    select 1 from summed s
    full join (select * from language_days where repository_id = ${repositoryId} and ${isDayIn(days, sql`day`)}) k
      using (identity_id, day, language)
    where (s.files, s.commits) is distinct from (k.files, k.commits) limit 1`.execute(connection);
  return rows.length > 0;
}

/** The languages of an address on one day as they were counted. */
export type LanguagesOfDay = ReadonlyMap<string, { files: number; commits: number }>;

/** A day, and addresses with their languages on it. */
export interface CountedLanguages extends Days {
  addresses: ReadonlyMap<number, LanguagesOfDay>;
}

/** Returns SQL for the sums of some days, and the condition for stored sums of the same addresses. */
function sumsOn(
  repositoryId: string,
  days: Days | CountedLanguages,
): { sums: RawBuilder<unknown>; isOfAddresses: RawBuilder<boolean> } {
  if (!('addresses' in days)) return { sums: sumsInSql(readCommits(repositoryId, days)), isOfAddresses: sql`true` };
  const ids = [...days.addresses.keys()];
  const sums = [...days.addresses].flatMap(([id, languages]) =>
    [...languages].map(([language, { files, commits }]) => ({ id, language, files, commits })),
  );
  return {
    sums: sql`
      select ${repositoryId}::uuid as repository_id, identity_id, ${days.from}::date as day, language, files, commits
      from unnest(${sums.map(({ id }) => id)}::integer[], ${sums.map(({ language }) => language)}::text[],
        ${sums.map(({ files }) => files)}::integer[], ${sums.map(({ commits }) => commits)}::integer[]
      ) as u (identity_id, language, files, commits)
      where commits > 0`,
    isOfAddresses: sql`identity_id = any(${ids}::integer[])`,
  };
}

/**
 * Counts the sums of some days of a repository again. Must run in a transaction that holds its totals.
 * @returns how many sums differed.
 */
export async function recountLanguages(
  transaction: Connection,
  repositoryId: string,
  days: Days | CountedLanguages,
): Promise<number> {
  if (!(await needsLanguages(transaction, repositoryId))) return 0;
  const { sums, isOfAddresses } = sumsOn(repositoryId, days);
  const stored = sql`
    select * from language_days d where d.repository_id = ${repositoryId} and ${isDayIn(days, sql`d.day`)} and ${isOfAddresses}`;
  await changeLanguageSums(
    transaction,
    repositoryId,
    sql`
      select identity_id, language, coalesce(s.files, 0) - coalesce(k.files, 0) as files
      from (${sums}) s full join (${stored}) k using (identity_id, day, language)`,
  );
  const { rows } = await sql<{ differences: number }>`
    with summed as (${sums}), vanished as (
      delete from language_days d
      where d.repository_id = ${repositoryId} and ${isDayIn(days, sql`d.day`)} and ${isOfAddresses} and not exists (
        select from summed s where s.identity_id = d.identity_id and s.day = d.day and s.language = d.language)
      returning 1
    ), saved as (
      insert into language_days (repository_id, identity_id, day, language, files, commits)
      select s.* from summed s
      where not exists (
        select from language_days k
        where k.repository_id = ${repositoryId} and k.identity_id = s.identity_id and k.day = s.day
          and k.language = s.language and (k.files, k.commits) = (s.files, s.commits))
      on conflict (repository_id, identity_id, day, language)
        do update set files = excluded.files, commits = excluded.commits
      returning 1
    )
    select ((select count(*) from vanished) + (select count(*) from saved))::integer
      as differences`.execute(transaction);
  const { differences } = rows[0] ?? { differences: 0 };
  if (differences > 0) await markUncheckable(transaction, repositoryId, 'languages', days.from);
  return differences;
}

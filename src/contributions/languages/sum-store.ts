import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connection.ts';

/**
 * Sums of `language_days` over all days, by repository, address and language. Pages read them, because a person has far
 * fewer of them than days. All functions must run in a transaction that holds the totals of the repository.
 */

/**
 * Adds changed files to the sums.
 * @param changes SQL for rows with `identity_id`, `language` and `files`, which may be negative.
 */
export async function changeLanguageSums(
  transaction: Connection,
  repositoryId: string,
  changes: RawBuilder<unknown>,
): Promise<void> {
  const { rows } = await sql<{ id: number; files: number }>`
    insert into language_sums as s (repository_id, identity_id, language, files)
    select ${repositoryId}::uuid, c.identity_id, c.language, sum(c.files)::integer from (${changes}) c
    group by c.identity_id, c.language having sum(c.files) <> 0
    on conflict (repository_id, identity_id, language) do update set files = s.files + excluded.files
    returning identity_id as id, files`.execute(transaction);
  const empty = rows.filter(({ files }) => files <= 0);
  if (empty.length === 0) return;
  await sql`
    delete from language_sums where repository_id = ${repositoryId} and files <= 0
      and identity_id = any(${[...new Set(empty.map(({ id }) => id))]}::integer[])`.execute(transaction);
}

/** Returns SQL for the sums of the days of a repository. */
function summed(repositoryId: string): RawBuilder<unknown> {
  return sql`
    select identity_id, language, sum(files)::integer as files from language_days where repository_id = ${repositoryId}
    group by identity_id, language`;
}

/** Returns an SQL condition that the sums of a repository differ from its days. */
export function languageSumsDiffer(repositoryId: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from (${summed(repositoryId)}) s
    full join (select * from language_sums where repository_id = ${repositoryId}) k using (identity_id, language)
    where s.files is distinct from k.files)`;
}

/**
 * Sums the days of a repository again.
 * @returns how many sums differed.
 */
export async function recountLanguageSums(transaction: Connection, repositoryId: string): Promise<number> {
  const { rows } = await sql<{ differences: number }>`
    with summed as (${summed(repositoryId)}), vanished as (
      delete from language_sums k where k.repository_id = ${repositoryId}
        and not exists (select from summed s where s.identity_id = k.identity_id and s.language = k.language)
      returning 1
    ), saved as (
      insert into language_sums (repository_id, identity_id, language, files)
      select ${repositoryId}::uuid, s.identity_id, s.language, s.files from summed s
      where not exists (
        select from language_sums k
        where k.repository_id = ${repositoryId} and k.identity_id = s.identity_id and k.language = s.language
          and k.files = s.files)
      on conflict (repository_id, identity_id, language) do update set files = excluded.files
      returning 1
    )
    select ((select count(*) from vanished) + (select count(*) from saved))::integer as differences`.execute(
    transaction,
  );
  return rows[0]?.differences ?? 0;
}

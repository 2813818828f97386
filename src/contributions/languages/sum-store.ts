import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';

/**
 * Sums of `language_days` over all days, by repository, address and language. Pages read them, because a person has far
 * fewer of them than days. Functions that write must run in a transaction that holds the totals of the repository.
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

/** Addresses in the order of their ids: `after` is the one before the first, `until` the last one; null: no bound. */
export interface Addresses {
  after: number;
  until: number | null;
}

/** Returns the condition for rows of some addresses of a repository. */
function isAmongAddresses(repositoryId: string, { after, until }: Addresses): RawBuilder<boolean> {
  const isUntil = until === null ? sql`true` : sql`identity_id <= ${until}::integer`;
  return sql`repository_id = ${repositoryId} and identity_id > ${after}::integer and ${isUntil}`;
}

/** Returns SQL for the sums of the days of some addresses. */
function summed(condition: RawBuilder<boolean>): RawBuilder<unknown> {
  return sql`
    select identity_id, language, sum(files)::integer as files from language_days where ${condition}
    group by identity_id, language`;
}

/**
 * Finds the last of the next addresses of a repository that one statement sums up: those with `rows` days of languages or
 * stored sums, and the rest of the last one.
 * @returns null: no more addresses follow.
 */
export async function findEndOfAddresses(
  connection: Connection,
  repositoryId: string,
  after: number,
  rows: number,
): Promise<number | null> {
  const rest = isAmongAddresses(repositoryId, { after, until: null });
  const behind = (table: string): RawBuilder<unknown> => sql`
    (select identity_id from ${sql.table(table)} where ${rest} order by identity_id offset ${rows} limit 1)`;
  const { rows: found } = await sql<{ until: number | null }>`
    select least(${behind('language_days')}, ${behind('language_sums')}) as until`.execute(connection);
  return found[0]?.until ?? null;
}

/** Returns whether the sums of some addresses differ from their days, in one statement, which locks nothing. */
export async function doLanguageSumsDiffer(
  connection: Connection,
  repositoryId: string,
  addresses: Addresses,
): Promise<boolean> {
  const condition = isAmongAddresses(repositoryId, addresses);
  const { rows } = await sql`
    select 1 from (${summed(condition)}) s
    full join (select * from language_sums where ${condition}) k using (identity_id, language)
    where s.files is distinct from k.files limit 1`.execute(connection);
  return rows.length > 0;
}

/**
 * Sums the days of some addresses of a repository again.
 * @returns how many sums differed.
 */
export async function recountLanguageSums(
  transaction: Connection,
  repositoryId: string,
  addresses: Addresses,
): Promise<number> {
  const condition = isAmongAddresses(repositoryId, addresses);
  const { rows } = await sql<{ differences: number }>`
    with summed as (${summed(condition)}), vanished as (
      delete from language_sums k where ${condition}
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
    select ((select count(*) from vanished) + (select count(*) from saved))::integer
      as differences`.execute(transaction);
  return rows[0]?.differences ?? 0;
}

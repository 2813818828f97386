import { sql } from 'kysely';
import type { Connection } from '../database/connections/connection.ts';
import { storedCounters } from '../model/kinds.ts';
import { holdRepository } from './items/write-store.ts';
import { countStoredLanguages } from './languages/recount-store.ts';
import { countedInSql } from './totals/column-store.ts';
import { daysInParts } from './totals/compare-totals-store.ts';
import { type Days, isMomentIn } from './totals/expected-totals-store.ts';
import { countStoredCommits } from './totals/total-store.ts';

/** The contributions, or commits, that one statement counts; one day at least. */
const rowsAtOnce = 100_000;
const repositoriesAtOnce = 1000;

/**
 * Counts all stored contributions, commits and languages where there are no totals yet, as after the import of an export of
 * another version. Commits of repositories that have to be counted from the beginning wait for that. Must run in a
 * transaction; its end sums up the repositories of owners.
 */
export async function countImported(transaction: Connection): Promise<void> {
  let after: string | null = null;
  do {
    const ids: string[] = await listNext(transaction, after);
    for (const id of ids) await countRepository(transaction, id);
    await sql`select mark_unsummed(${ids}::uuid[])`.execute(transaction);
    after = ids.at(-1) ?? null;
  } while (after !== null);
}

async function listNext(transaction: Connection, after: string | null): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from repositories where ${after}::uuid is null or id > ${after}::uuid
    order by id limit ${repositoriesAtOnce}`.execute(transaction);
  return rows.map(({ id }) => id);
}

async function countRepository(transaction: Connection, repositoryId: string): Promise<void> {
  await holdRepository(transaction, repositoryId);
  for await (const days of daysInParts(transaction, repositoryId, rowsAtOnce)) {
    await countItems(transaction, repositoryId, days);
    await countStoredCommits(transaction, repositoryId, days);
    await countStoredLanguages(transaction, repositoryId, days);
  }
}

async function countItems(transaction: Connection, repositoryId: string, days: Days): Promise<void> {
  await sql`
    select count_changes(array_agg(${repositoryId}::uuid), array_agg(account_id), array_agg(day), array_agg(counter),
      array_agg(added), array_agg(added))::text
    from (
      select split_part(entry, ' ', 1) as counter, split_part(entry, ' ', 2)::date as day,
        nullif(split_part(entry, ' ', 3), '')::uuid as account_id, count(*) as added
      from contributions c cross join unnest(string_to_array(${countedInSql(storedCounters)}, ',')) as e (entry)
      where c.repository_id = ${repositoryId} and ${isMomentIn(days, sql`c.created_at`)}
      group by 1, 2, 3) changes`.execute(transaction);
}

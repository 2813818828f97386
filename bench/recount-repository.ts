import { sql } from 'kysely';
import { markAddressesCounted } from '../src/contributions/items/identity-store.ts';
import { holdRepository, lockTotals } from '../src/contributions/items/write-store.ts';
import { recountLanguageSums } from '../src/contributions/languages/sum-store.ts';
import { columnInSql, columnsInSql, counts } from '../src/contributions/totals/column-store.ts';
import { recountParts } from '../src/contributions/totals/recount-store.ts';
import type { Connection } from '../src/database/connections/connection.ts';
import { type StoredCounter, storedCounters } from '../src/model/kinds.ts';

/**
 * Counts all totals of one repository again, in the surrounding transaction: what the service does in parts.
 * @returns the number of rows of totals that differed.
 */
export async function recountRepository(
  transaction: Connection,
  repositoryId: string,
  counters: readonly StoredCounter[] = storedCounters,
): Promise<number> {
  await holdRepository(transaction, repositoryId);
  await markAddressesCounted(transaction, repositoryId);
  await lockTotals(transaction, repositoryId);
  await transaction.deleteFrom('uncounted_commits').where('repository_id', '=', repositoryId).execute();
  const days = { from: null, until: null };
  const parts = [days, { contributors: null }, { languages: days }] as const;
  const ofParts = await recountParts(transaction, repositoryId, parts, counters);
  const ofLanguages = await recountLanguageSums(transaction, repositoryId, { after: 0, until: null });
  const ofWhole = await recountWhole(transaction, repositoryId, counters);
  await sql`
    update repository_totals set commits_counted = true, recounted_until = null, recounted_commits = 0
    where repository_id = ${repositoryId} and not commits_counted`.execute(transaction);
  return ofParts + ofLanguages + ofWhole;
}

async function recountWhole(
  transaction: Connection,
  repositoryId: string,
  counters: readonly StoredCounter[],
): Promise<number> {
  const commits = sql`(select count(*) from commits where repository_id = ${repositoryId})`;
  const numbers = counters.map((counter) => ({
    name: sql.ref(counter.name),
    number: counter.kind === 'commit' ? commits : sql`count(*) filter (where ${counts(counter)})`,
  }));
  const { rows } = await sql`
    with counted as (
      select ${sql.join(numbers.map(({ name, number }) => sql`(${number})::integer as ${name}`))}
      from contributions c where c.repository_id = ${repositoryId}
    )
    update repository_totals t
    set is_changed = true, ${sql.join(counters.map(({ name }) => sql`${sql.ref(name)} = ${columnInSql(name, 'c')}`))}
    from counted c
    where t.repository_id = ${repositoryId} and (${columnsInSql(counters, 'c')}) is distinct from (${columnsInSql(counters, 't')})
    returning 1`.execute(transaction);
  if (rows.length > 0) await sql`select mark_unsummed(array[${repositoryId}::uuid])`.execute(transaction);
  return rows.length;
}

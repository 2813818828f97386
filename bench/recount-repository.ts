import { sql } from 'kysely';
import { markAddressesCounted } from '../src/contributions/identity-store.ts';
import { type StoredCounter, storedCounters } from '../src/contributions/kinds.ts';
import { recountParts } from '../src/contributions/recount-store.ts';
import { holdRepository, lockTotals } from '../src/contributions/write-store.ts';
import type { Connection } from '../src/database/connection.ts';

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
  const parts = [days, 'people', { languages: days }, 'whole'] as const;
  const differences = await recountParts(transaction, repositoryId, parts, counters);
  await sql`
    update repository_totals set commits_counted = true, recounted_until = null, recounted_commits = 0
    where repository_id = ${repositoryId} and not commits_counted`.execute(transaction);
  return differences;
}

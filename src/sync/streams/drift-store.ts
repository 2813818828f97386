import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { deleteSome } from '../../database/schema/delete-some.ts';

/** A difference between stored data and the provider's. */
export interface Drift {
  provider: string;
  /** Our id of the repository, because not every reader may see its name. */
  repositoryId: string;
  /** The name of the stream, or `sums` for totals that did not agree with the stored contributions. */
  part: string;
  /**
   * The number of items at the provider, and in `found` the stored number. For `sums`, `found` is the number of wrong
   * totals.
   */
  expected: number;
  found: number;
  isRepaired: boolean;
}

/** Stores a drift in place of the last one of the same part of the repository. */
export async function saveDrift(connection: Connection, drift: Drift, now: Date): Promise<void> {
  const { repositoryId, part, expected, found, isRepaired } = drift;
  // Nothing is stored where the repository was erased meanwhile.
  await sql`
    insert into drifts (repository_id, part, expected, found, is_repaired, found_at)
    select id, ${part}, ${expected}, ${found}, ${isRepaired}, ${now} from repositories where id = ${repositoryId}
    on conflict (repository_id, part) do update set
      expected = excluded.expected, found = excluded.found, is_repaired = excluded.is_repaired,
      found_at = excluded.found_at`.execute(connection);
}

/** Marks drifts of a repository as repaired, except those of the parts that still differ. */
export async function markDriftsRepaired(
  connection: Connection,
  repositoryId: string,
  stillDifferent: readonly string[],
): Promise<void> {
  await sql`
    update drifts set is_repaired = true
    where repository_id = ${repositoryId} and not is_repaired
      and part <> all(${stillDifferent}::text[])`.execute(connection);
}

/** Deletes some repaired drifts that were found before a time. @returns how many. */
export function deleteDrifts(connection: Connection, before: Date, limit: number): Promise<number> {
  const where = sql`is_repaired and found_at < ${before}`;
  return deleteSome(connection, 'drifts', { where, orderBy: sql`found_at`, limit });
}

import type { Pool } from 'pg';
import { sumColumns } from '../src/model/kinds.ts';

/**
 * Adds up the sums of an owner to one row for each visibility. The service does it for more than fifty, and the number of
 * those that filling has left follows the size.
 */
export async function foldAll(pool: Pool, ownerId: string): Promise<void> {
  const summed = sumColumns.map((name) => `sum(${name})`).join(', ');
  await pool.query(
    `with taken as (delete from owner_sums where owner_id = $1 returning *)
     insert into owner_sums (owner_id, is_private, ${sumColumns.join(', ')})
     select owner_id, is_private, ${summed} from taken group by owner_id, is_private`,
    [ownerId],
  );
}

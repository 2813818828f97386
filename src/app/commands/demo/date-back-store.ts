import { sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';

/** Shorter than the time for which changes are kept. */
const loggedDays = 80;

/**
 * Dates stored contributions back to when they happened, because the clock of the demonstration is behind the time of its
 * import: comparisons with a former moment show what has happened since.
 */
export async function dateChangesBack(connection: Connection, now: Date): Promise<void> {
  await sql`update changes_kept set since = ${now}::timestamptz - make_interval(days => ${loggedDays})`.execute(
    connection,
  );
  await sql`update contributions set stored_at = created_at`.execute(connection);
  await sql`update commits set stored_at = authored_at`.execute(connection);
}

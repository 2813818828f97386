import { sql } from 'kysely';
import type { Connection } from '../../database/connection.ts';

/**
 * Requests a full scan of every repository that holds commits of erased people: nothing is stored that shows to which
 * of them a returning person contributed.
 */
export async function requestRescanOfErased(connection: Connection, provider: string, now: Date): Promise<void> {
  await sql`
    update streams set full_scan_wanted_at = ${now}
    where repository_id in (
      select u.repository_id from repository_identities u join identities i on i.id = u.identity_id
      where i.provider = ${provider} and i.email like 'erased %')`.execute(connection);
}

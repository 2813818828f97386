import { sql } from 'kysely';
import type { Connection } from '../../database/connection.ts';

/**
 * Has repositories with commits of people who were erased read whole when they are read next: nothing tells which of them
 * somebody who returns contributed to, for nothing of them was kept.
 */
export async function readErasedAnew(connection: Connection, provider: string, now: Date): Promise<void> {
  await sql`
    update streams set full_scan_wanted_at = ${now}
    where repository_id in (
      select u.repository_id from repository_identities u join identities i on i.id = u.identity_id
      where i.provider = ${provider} and i.email like 'erased %')`.execute(connection);
}

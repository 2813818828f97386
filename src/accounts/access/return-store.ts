import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';

/**
 * Requests a full scan of every repository of a provider that holds commits of erased people, because no stored data
 * shows to which of them a returning person contributed.
 */
export async function requestRescanOfErased(connection: Connection, provider: string, now: Date): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select distinct repository_id as id from repository_identities where identity_id in (
      select id from identities where provider = ${provider} and email like 'erased %')`.execute(connection);
  // A statement of its own, because Citus misreads the rows of a locking subquery that depends on tables divided by repository.
  await sql`
    update streams set full_scan_wanted_at = ${now} where (repository_id, name) in (
      select repository_id, name from streams where repository_id = any(${rows.map(({ id }) => id)}::uuid[])
      order by repository_id, name for no key update)`.execute(connection);
}

import { sql } from 'kysely';
import type { Connection } from '../../../src/database/connection.ts';

/** Stores an account with a repository about which nothing else is stored. @returns the id of the repository. */
export async function addRepository(connection: Connection): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    with account as (
      insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
      values (gen_random_uuid(), 'github', '1', '1', 'user', 'ada', now(), now(), now()) returning id
    )
    insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
      created_at, updated_at)
    select gen_random_uuid(), 'github', '1', '1', id, 'engine', false, false, now(), now(), now(), now() from account
    returning id`.execute(connection);
  return rows[0]?.id ?? '';
}

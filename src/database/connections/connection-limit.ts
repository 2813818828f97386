import { sql } from 'kysely';
import type { Connection } from './connection.ts';

/** The number of connections that a server permits to ordinary users, and of those in use by others. */
export interface ConnectionLimit {
  permitted: number;
  used: number;
}

export async function readConnectionLimit(connection: Connection): Promise<ConnectionLimit> {
  const { rows } = await sql<ConnectionLimit>`
    select current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
        as permitted,
      (select count(*)::integer from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid())
        as used`.execute(connection);
  return rows[0] ?? { permitted: 0, used: 0 };
}

import { sql } from 'kysely';
import type { Part } from './migration.ts';

/**
 * Looks up the numbered addresses again that earlier releases credited by the number alone, without their host. The
 * repositories that count their commits are counted again.
 */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`
        update identities
        set account_id = null, resolved_at = null, forgotten_until = '00000000-0000-0000-0000-000000000000'
        where account_id is not null and email ~ '^[0-9]+[+][^@]+@' and email not like '%@users.noreply.github.com'`,
    ],
  },
];

import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets the lookups for an account be found when it is erased. */
export const parts: readonly Part[] = [
  {
    concurrently: {
      name: 'lookups_account',
      on: sql`lookups ((substring(key from ' ([0-9a-f]{8}-[0-9a-f-]{27})')))
        where substring(key from ' ([0-9a-f]{8}-[0-9a-f-]{27})') is not null`,
    },
  },
];

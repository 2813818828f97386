import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets followers be unknown, because hosts withhold some. Stored numbers stay until the account is fetched again. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`alter table accounts alter column followers drop not null, alter column followers drop default,
        alter column following drop not null, alter column following drop default`,
    ],
  },
];

import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Notes accounts whose totals at the host have to be fetched again since a change of visibility, and their changes. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`alter table accounts add column totals_wanted_at timestamptz`,
      sql`alter table changed_contributors add column is_visibility boolean not null default false`,
    ],
  },
];

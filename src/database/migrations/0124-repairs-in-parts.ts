import { sql } from 'kysely';
import type { Part } from './migration.ts';

/**
 * Lets the check of a repository know each total of items, and a repair of totals go on where it stopped. Checks that are
 * under way begin again, because they have one sum for all items. The table has a row for each repository, and is written
 * again whole: a column that is dropped instead would be left out by a table that is divided later.
 */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`alter table repository_totals alter column checked_items type jsonb using null`,
      sql`alter table repository_totals rename column checked_items to checked_counts`,
      sql`alter table repository_totals add column repair jsonb`,
      sql`update repository_totals set checked_until = null where checked_until is not null`,
    ],
  },
];

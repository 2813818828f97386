import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Renames the field of a stored change that says its type, and the column of a drift that names its part. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`alter table drifts rename column what to part`,
      // Applied deliveries keep no changes.
      sql`
        update deliveries set changes = (
          select jsonb_agg(change - 'what' || jsonb_build_object('type', change -> 'what') order by position)
          from jsonb_array_elements(changes) with ordinality as c (change, position))
        where applied_at is null and changes <> '[]'`,
    ],
  },
];

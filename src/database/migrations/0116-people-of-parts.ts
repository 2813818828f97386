import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets an index find the seasons in which a person is whose rows are not stored yet. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`alter table next_season_ranks add column account_ids uuid[]`,
      sql`
        update next_season_ranks set account_ids = array(
          select (p ->> 'account_id')::uuid from json_array_elements(people) p where p ->> 'account_id' is not null)`,
      sql`alter table next_season_ranks alter column account_ids set not null`,
      // Entries that wait for their place in the index would be read by each search.
      sql`create index next_season_ranks_people on next_season_ranks using gin (account_ids) with (fastupdate = off)`,
      sql`create index withdrawn_names_name on withdrawn_names (name)`,
    ],
  },
];

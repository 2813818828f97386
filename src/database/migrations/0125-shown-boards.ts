import { sql } from 'kysely';
import type { Part } from './migration.ts';

/**
 * Keeps the parts of definitions that lists of boards show: reading four members of the JSON of each board took a quarter of the
 * time of such a list. There are few boards, so that the table is rewritten at once.
 */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`
        alter table boards
          add column name text not null generated always as (coalesce(definition ->> 'name', '')) stored,
          add column description text not null generated always as (coalesce(definition ->> 'description', '')) stored,
          add column is_of_team boolean not null
            generated always as (definition #>> '{people,only_members_of}' is not null) stored`,
    ],
  },
];

import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** The accounts that boards name, and when those that are not stored were looked up. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`alter table boards add column people text[] not null default '{}'`,
      sql`
        update boards b set people = array(
          select distinct lower(case when n.bare like '%/%' then n.bare else (b.definition ->> 'provider') || '/' || n.bare end)
          from (
            select regexp_replace(t.text, '^@', '') as bare from (
              select json_array_elements_text(b.definition #> '{people,exclude}') as text
              union all select json_array_elements_text(m.value) from json_each(b.definition -> 'teams') m
              union all select g ->> 'person' from json_array_elements(b.definition -> 'grants') g) t
            where t.text not like '@%/%') n
          order by 1)`,
      sql`
        create table named_people (
          name text primary key,
          looked_up_at timestamptz not null,
          is_absent boolean not null
        )`,
    ],
  },
];

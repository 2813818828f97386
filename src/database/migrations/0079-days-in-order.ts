import { sql } from 'kysely';
import type { Part } from './migration.ts';

/**
 * Lets the days of a person be read in their order, and those of a window alone: the primary key has the same columns in
 * another order, so that no further index is needed.
 */
export const parts: readonly Part[] = [
  {
    concurrently: {
      name: 'contribution_days_in_order',
      isUnique: true,
      on: sql`contribution_days (account_id, day, repository_id)`,
    },
  },
  {
    sql: [
      // An index cannot become the key of a table with partitions, so that its key is built again.
      sql`
        do $$ begin
          if exists (select from pg_class where oid = 'contribution_days'::regclass and relkind = 'p') then
            drop index contribution_days_in_order;
            alter table contribution_days drop constraint contribution_days_pkey,
              add constraint contribution_days_pkey primary key (account_id, day, repository_id);
          else
            alter table contribution_days drop constraint contribution_days_pkey,
              add constraint contribution_days_pkey primary key using index contribution_days_in_order;
          end if;
        end $$`,
    ],
  },
];

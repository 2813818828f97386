import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Repositories whose contributors have to be recorded as changed, and how far they are. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`
        create table changed_repositories (
          repository_id uuid primary key references repositories on delete cascade,
          position uuid
        )`,
    ],
  },
];

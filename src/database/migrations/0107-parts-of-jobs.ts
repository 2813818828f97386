import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets more jobs store how far they are. */
export const parts: readonly Part[] = [
  { sql: [sql`alter table pending_details add column rest text not null default 'absent'`] },
  { sql: [sql`alter table identities add column forgotten_until uuid`] },
  { sql: [sql`alter table repositories add column erased_at timestamptz`] },
  {
    concurrently: {
      name: 'pending_evaluations_achievement',
      on: sql`pending_evaluations (achievement_id) where achievement_id is not null`,
    },
  },
  {
    concurrently: {
      name: 'repositories_erased',
      on: sql`repositories (erased_at, id) where erased_at is not null`,
    },
  },
  {
    concurrently: {
      name: 'identities_forgotten',
      on: sql`identities (forgotten_until, id) where forgotten_until is not null`,
    },
  },
  {
    concurrently: {
      name: 'repository_identities_uncounted',
      on: sql`repository_identities (repository_id, identity_id) where not is_counted`,
    },
  },
];

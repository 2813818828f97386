import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Programming languages of the files that commits change, of each commit and as sums of days. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`alter table commits add column languages jsonb`,
      // Not valid: reading all rows would hold the lock, and they met a stricter check.
      sql`
        alter table pending_details drop constraint lacking_details_detail_check,
          add constraint pending_details_detail_check check (
            detail in ('commit_lines', 'commit_files', 'commit_languages', 'pull_request_files')) not valid`,
      sql`
        create table language_days (
          repository_id uuid not null,
          identity_id integer not null,
          day date not null,
          language text not null,
          files integer not null,
          commits integer not null,
          primary key (repository_id, identity_id, day, language)
        )`,
      sql`create index language_days_people on language_days (identity_id, day)`,
    ],
  },
];

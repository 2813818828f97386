import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** The functions and triggers that migrations made. From here on they are defined in `schema/`. */
const made = [
  'function announce_awarded()',
  'function announce_awarded_by_owner()',
  'function announce_awarded_in_repository()',
  'function announce_awards()',
  'function announce_shown_account()',
  'function changes_of(contributions, sign integer)',
  'function commit_without_scan(item commits)',
  'function contribution_without_scan(item contributions)',
  'function count_changes(changes contribution_change[])',
  'function count_deleted()',
  'function count_inserted()',
  'function count_updated()',
  'function drop_image()',
  'function people_of(contributions)',
  'function queue_evaluations_of_commits()',
  'function queue_evaluations_of_deleted()',
  'function queue_evaluations_of_identities()',
  'function queue_evaluations_of_inserted()',
  'function queue_evaluations_of_updated()',
  'function queue_evaluations_of_updated_commits()',
  'function record_changed_contributors()',
  'trigger accounts_changed_image on accounts',
  'trigger accounts_deleted_image on accounts',
  'trigger accounts_seen_otherwise on accounts',
  'trigger accounts_shown_otherwise on accounts',
  'trigger achievements_seen_otherwise on achievements',
  'trigger awards_deleted on awards',
  'trigger awards_inserted on awards',
  'trigger awards_updated on awards',
  'trigger commits_deleted_noted on commits',
  'trigger commits_inserted_noted on commits',
  'trigger commits_updated_noted on commits',
  'trigger contribution_days_noted_delete on contribution_days',
  'trigger contribution_days_noted_insert on contribution_days',
  'trigger contribution_days_noted_update on contribution_days',
  'trigger contributions_deleted on contributions',
  'trigger contributions_deleted_noted on contributions',
  'trigger contributions_inserted on contributions',
  'trigger contributions_inserted_noted on contributions',
  'trigger contributions_updated on contributions',
  'trigger contributions_updated_noted on contributions',
  'trigger contributor_totals_noted_delete on contributor_totals',
  'trigger contributor_totals_noted_insert on contributor_totals',
  'trigger contributor_totals_noted_update on contributor_totals',
  'trigger identities_updated_noted on identities',
  'trigger repositories_seen_otherwise on repositories',
];

/** Records which functions and triggers this service made, with the hashes of their definitions. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`create table applied_definitions (object text primary key, hash text not null)`,
      sql`insert into applied_definitions (object, hash) select unnest(${made}::text[]), ''`,
    ],
  },
];

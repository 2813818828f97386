import { type Kysely, sql } from 'kysely';

/** Renames tables, columns and functions to the terms of `docs/glossary.md`. Triggers and indexes follow by themselves. */

const tables = {
  questions: 'lookups',
  seen_totals: 'reported_totals',
  lacking_details: 'pending_details',
  achievement_work: 'pending_evaluations',
};

/** Columns by the present names of their tables. */
const columns: [table: string, from: string, to: string][] = [
  ['accounts', 'asked_at', 'fetched_at'],
  ['accounts', 'gone_at', 'deleted_at'],
  ['repositories', 'gone_at', 'deleted_at'],
  ['reported_totals', 'asked_at', 'fetched_at'],
  ['achievements', 'judged_at', 'evaluate_at'],
  ['achievements', 'settled_at', 'evaluated_at'],
  ['notifications', 'settled_at', 'ended_at'],
  ['streams', 'hinted_at', 'invalidated_at'],
  ['star_events', 'noted_at', 'recorded_at'],
  ['pending_details', 'noted', 'revision'],
  ['changed_contributors', 'is_news', 'is_update'],
  ['redeliveries', 'asked', 'requests'],
];

const functions = {
  note_changed_contributors: 'record_changed_contributors',
  note_commits: 'queue_evaluations_of_commits',
  note_updated_commits: 'queue_evaluations_of_updated_commits',
  note_identities: 'queue_evaluations_of_identities',
  note_inserted: 'queue_evaluations_of_inserted',
  note_updated: 'queue_evaluations_of_updated',
  note_deleted: 'queue_evaluations_of_deleted',
};

const indexes = {
  accounts_gone: 'accounts_deleted',
  repositories_gone: 'repositories_deleted',
  achievement_work_repository: 'pending_evaluations_repository',
  achievements_unsettled: 'achievements_unevaluated',
  notifications_settled: 'notifications_ended',
  questions_pkey: 'lookups_pkey',
  seen_totals_pkey: 'reported_totals_pkey',
  lacking_details_pkey: 'pending_details_pkey',
  achievement_work_pkey: 'pending_evaluations_pkey',
};

const statements = [
  ...Object.entries(tables).map(([from, to]) => sql`alter table ${sql.id(from)} rename to ${sql.id(to)}`),
  ...columns.map(
    ([table, from, to]) => sql`alter table ${sql.id(table)} rename column ${sql.id(from)} to ${sql.id(to)}`,
  ),
  ...Object.entries(functions).map(([from, to]) => sql`alter function ${sql.id(from)} rename to ${sql.id(to)}`),
  ...Object.entries(indexes).map(([from, to]) => sql`alter index ${sql.id(from)} rename to ${sql.id(to)}`),
  // The text of a function does not follow a renamed table or column.
  sql`
    do $$ declare definition text; begin
      for definition in
        select pg_get_functiondef(oid) from pg_proc
        where pronamespace = current_schema()::regnamespace and prosrc ~ '\\m(achievement_work|is_news)\\M'
      loop
        execute replace(replace(definition, 'achievement_work', 'pending_evaluations'), 'is_news', 'is_update');
      end loop;
    end $$`,
  sql`alter table lookups drop constraint questions_state_check`,
  sql`update lookups set state = 'running' where state = 'asked'`,
  sql`alter table lookups add constraint lookups_state_check check (state in ('running', 'absent', 'failed'))`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}

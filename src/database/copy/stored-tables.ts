import { type Client, escapeIdentifier } from 'pg';
import type { Tables } from '../tables/tables.ts';

/**
 * All tables, and whether a backup contains them. Left out are lists, which are made again, and data about running
 * processes and sessions; the unlogged table `announcements` and the records of migrations and definitions are not in this list.
 */
const backedUp: Readonly<Record<keyof Tables, boolean>> = {
  accounts: true,
  former_names: true,
  former_repository_names: true,
  lookups: true,
  counters: true,
  repositories: true,
  erased_repositories: true,
  streams: true,
  skipped_items: true,
  star_events: true,
  drifts: true,
  contributions: true,
  identities: true,
  commits: true,
  repository_totals: true,
  contributor_totals: true,
  contribution_days: true,
  language_days: true,
  language_sums: true,
  counted_changes: true,
  former_repositories: true,
  changes_kept: false,
  latest_time: false,
  calendars: true,
  reported_windows: true,
  repository_identities: true,
  uncounted_commits: true,
  pending_details: true,
  changed_contributors: true,
  changed_repositories: true,
  owner_sums: true,
  summed_repositories: true,
  unsummed_repositories: false,
  unlisted_contributors: false,
  owner_polls: true,
  repository_polls: true,
  rankings: false,
  ranks: false,
  achievement_files: true,
  achievements: true,
  awards: true,
  pending_evaluations: true,
  changed_identities: true,
  reported_totals: true,
  signing_keys: true,
  administrators: true,
  owner_keys: true,
  revoked_tokens: true,
  embeds: true,
  sessions: false,
  sign_ins: false,
  audit_entries: true,
  opt_outs: true,
  deliveries: true,
  installations: true,
  covered_repositories: true,
  delivery_checks: true,
  redeliveries: true,
  rejected_deliveries: true,
  owner_deliveries: true,
  repository_webhooks: true,
  notifications: true,
  failing_receivers: true,
  webhook_secrets: true,
  credential_keys: true,
  credential_signers: true,
  credential_statuses: true,
  rate_limits: false,
  secrets: true,
  workers: false,
  images: true,
  withdrawn_credentials: true,
  scan_pages: true,
  board_files: true,
  boards: true,
  board_repositories: false,
  board_rankings: true,
  board_ranks: true,
  next_board_rankings: true,
  next_board_ranks: true,
  board_changes: false,
  board_leaders: true,
  board_seasons: true,
  board_season_ranks: true,
  next_season_ranks: true,
  host_teams: true,
  host_team_members: true,
  named_people: true,
  withdrawn_names: true,
  pending_withdrawals: true,
};

/** The names of the tables that a backup contains. */
export const storedNames: readonly string[] = Object.entries(backedUp).flatMap(([name, isBackedUp]) =>
  isBackedUp ? [name] : [],
);

/** A list of rows in a backup. */
export interface CopiedRows {
  /** The name of a table, or `jobs`. */
  name: string;
  columns: readonly string[];
  /** True for a partitioned table, which COPY cannot read by its name. */
  isPartitioned?: boolean;
}

/** The waiting jobs of the queue, in the columns that `restore` adds them from. */
export const jobs = {
  name: 'jobs',
  columns: ['identifier', 'payload', 'job_key', 'run_at', 'priority'],
  query: `
    select t.identifier, j.payload, j.key as job_key, j.run_at, j.priority
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where j.attempts < j.max_attempts order by j.id`,
} as const;

/** Lists the tables that a backup contains, each after those that it refers to. */
export async function listStoredTables(client: Client): Promise<CopiedRows[]> {
  const { rows } = await client.query<{ name: string; columns: string[]; isPartitioned: boolean; parents: string[] }>(
    `select c.relname::text as name, c.relkind = 'p' as "isPartitioned",
       array(select a.attname::text from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
         order by a.attnum) as columns,
       array(select distinct p.relname::text from pg_constraint f join pg_class p on p.oid = f.confrelid
         where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as parents
     from pg_class c
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relname = any($1)
     order by c.relname`,
    [storedNames],
  );
  const ordered = new Map<string, CopiedRows>();
  while (ordered.size < rows.length) {
    const ready = rows.filter(
      ({ name, parents }) => !ordered.has(name) && parents.every((parent) => ordered.has(parent)),
    );
    if (ready.length === 0) throw new Error('the tables refer to each other in a circle');
    for (const { name, columns, isPartitioned } of ready) ordered.set(name, { name, columns, isPartitioned });
  }
  return [...ordered.values()];
}

/** Returns names as a list in SQL. */
export function inSql(names: readonly string[]): string {
  return names.map(escapeIdentifier).join(', ');
}

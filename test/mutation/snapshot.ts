import type { Pool } from 'pg';
import { counterNames, ofDays, ofPeople, type StoredCounter, storedCounters } from '../../src/model/kinds.ts';

/** Everything that a run stores, without our own ids and the times of the run. */

export type Row = Readonly<Record<string, unknown>>;

export interface Snapshot {
  /** Rows by `KIND NAME`, such as `contribution 7 issue 12`; repositories and accounts are named by the host's ids. */
  rows: ReadonlyMap<string, Row>;
  /** The reasons why something is not stored, or not completely. */
  reasons: Row[];
}

const toExternalId = (column: string): string => `(select external_id from accounts where id = ${column})`;
const listExternalIds = (column: string): string =>
  `(select array_agg(a.external_id order by n) from unnest(${column}) with ordinality as u(id, n) left join accounts a on a.id = u.id)`;

const columns = (counters: readonly StoredCounter[]): string => counters.map(({ name }) => `t.${name}`).join(', ');

/** Queries whose first column identifies the rows of a kind. */
const queriesByKind: Record<string, string> = {
  account: `
    select external_id, type, handle, name, display_name, avatar_url, website, description, socials, followers,
      following, experience, hidden, publishes_private, deleted_at is not null as is_deleted, fetched_at is not null as is_fetched,
      listed_at is not null as is_listed, array(
        select distinct kind from repositories r cross join unnest(uncollected_kinds(r.id)) as kinds (kind)
        where r.owner_id = accounts.id and not r.is_private and r.deleted_at is null order by kind) as uncollected
    from accounts`,
  former_name: `select name_key, ${toExternalId('account_id')} as account from former_names`,
  counters: `
    select distinct on (a.external_id, c.includes_private)
      a.external_id || ' ' || case when c.includes_private then 'private' else 'public' end,
      ${counterNames.map((name) => `c.${name}`).join(', ')}, c.missing
    from counters c join accounts a on a.id = c.account_id order by a.external_id, c.includes_private, c.day desc`,
  repository: `
    select external_id, handle, ${toExternalId('owner_id')} as owner, name, description, language, license, default_branch,
      is_private, credential_name, is_fork, stars, forks, open_issues, size_kib, deleted_at is not null as is_deleted,
      installed_at is not null as is_installed, collected_at is not null as is_collected
    from repositories`,
  stream: `
    select r.external_id || ' ' || s.name, s.covers, s.completed_at is not null as is_complete, s.is_deep, s.failure,
      s.failure_reason
    from streams s join repositories r on r.id = s.repository_id`,
  contribution: `
    select r.external_id || ' ' || c.kind || ' ' || c.external_id, c.parent_external_id, ${toExternalId('c.account_id')} as author,
      ${toExternalId('c.answered_by')} as answered_by, c.answered, c.created_at, c.updated_at, c.closed_at, c.merged_at, c.number,
      ${toExternalId('c.resolved_by')} as resolved_by, c.answered_at, ${listExternalIds('c.assignees')} as assignees,
      ${listExternalIds('c.reviewers')} as reviewers, c.comments, c.emojis, ${listExternalIds('c.reactors')} as reactors, c.additions,
      c.deletions, c.changed_files, c.commits, c.upvotes, c.labels, c.files, c.reason, c.state
    from contributions c join repositories r on r.id = c.repository_id`,
  commit: `
    select r.external_id || ' ' || encode(c.oid, 'hex'), c.authored_at, c.committed_at, c.additions, c.deletions,
      c.changed_files, c.files,
      (select array_agg(i.email order by i.email) from identities i where i.id = any(c.identity_ids)) as people
    from commits c join repositories r on r.id = c.repository_id`,
  identity: `select email, ${toExternalId('account_id')} as account, resolved_at is not null as is_resolved from identities`,
  // A repository without a row and one with zeros have the same totals.
  totals: `
    select r.external_id, ${columns(storedCounters)}
    from repository_totals t join repositories r on r.id = t.repository_id
    where ${storedCounters.map(({ name }) => `t.${name}`).join(' + ')} > 0`,
  contributor: `
    select r.external_id || ' ' || a.external_id, ${columns(ofPeople(storedCounters))}
    from contributor_totals t join repositories r on r.id = t.repository_id join accounts a on a.id = t.account_id`,
  day: `
    select r.external_id || ' ' || a.external_id || ' ' || t.day, ${columns(ofDays(storedCounters))}
    from contribution_days t join repositories r on r.id = t.repository_id join accounts a on a.id = t.account_id`,
  pending: `
    select r.external_id || ' ' || l.detail || ' ' || l.key
    from pending_details l join repositories r on r.id = l.repository_id`,
  reported: `
select ${toExternalId('account_id')} || ' ' || credential_name, counters, missing from reported_totals`,
  calendar: `
    select ${toExternalId('account_id')}, first_day, counts, total, includes_private from calendars`,
  installation: `
    select id, account_external_id, account_name, covers, missing_permissions, suspended_at is not null as is_suspended,
      removed_at is not null as is_removed
    from installations`,
  covered: `select installation_id || ' ' || repository_external_id from covered_repositories`,
};

const reasons = [
  `select 'skipped' as what, stream, kind, reason, path, explanation, is_stored, items,
    (select external_id from repositories where id = repository_id) as repository,
    (select external_id from accounts where id = account_id) as account
  from skipped_items`,
  `select 'failed stream' as what, s.name as stream, s.failure, s.failure_reason, s.covers, r.external_id as repository
  from streams s join repositories r on r.id = s.repository_id where s.failure is not null`,
  `select 'lookup without a result' as what, split_part(key, ' ', 1) as task, state, error_code, error_message
  from lookups where state <> 'running'`,
];

const query = Object.entries(queriesByKind)
  .map(([kind, text]) => `select '${kind}' as kind, array_agg(to_jsonb(part)) as rows from (${text}) as part(key)`)
  .join(' union all ');

export async function takeSnapshot(pool: Pool): Promise<Snapshot> {
  const rows = new Map<string, Row>();
  const read = await pool.query<{ kind: string; rows: Row[] | null }>(query);
  for (const { kind, rows: found } of read.rows) {
    for (const row of found ?? []) {
      const { key, ...content } = row;
      rows.set(`${kind} ${String(key)}`, content);
    }
  }
  const storedReasons: Row[] = [];
  for (const text of reasons) storedReasons.push(...(await pool.query<Row>(text)).rows);
  return { rows, reasons: storedReasons };
}

/** Returns the texts in a column, which may be a list. */
export function listTexts(row: Row | undefined, column: string): string[] {
  const value = row?.[column];
  const texts: unknown[] = Array.isArray(value) ? value : [value];
  return texts.filter((text) => typeof text === 'string');
}

export function toText(row: Row | undefined, column: string): string {
  return listTexts(row, column)[0] ?? '';
}

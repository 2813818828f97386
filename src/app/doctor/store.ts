import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { livingNodeNames } from '../../database/queue/listener.ts';
import { maxAttempts } from '../../sync/deliveries/store.ts';

/** The number of repositories that are named for each group. */
const maxNamed = 3;

/** The streams of one kind that fail for the same reason. */
export interface FailingStreams {
  provider: string;
  stream: string;
  code: string;
  /** The host's message; null: it sent none, or the message contains private data. */
  reason: string | null;
  repositories: number;
  /** The names of the first few of these repositories. */
  names: string[];
  since: Date | null;
}

const repositoryName = sql<string>`a.name || '/' || r.name`;

/** Repositories of accounts whose collection waits for the same reason. */
export interface WaitingRepositories {
  provider: string;
  reason: 'quota' | 'allowance' | 'unreachable' | 'refused';
  accounts: number;
  /** The known repositories that are not completely read; 0 where none is listed yet. */
  repositories: number;
  /** The names of the first few accounts. */
  names: string[];
  /** The time at which the last of them goes on. */
  until: Date;
  /** The time since which the host fails; null for limits. */
  since: Date | null;
}

/** Items that were skipped at the same path of responses for the same reason, in all repositories and accounts. */
export interface SkippedPlaces {
  provider: string;
  stream: string;
  kind: string;
  reason: 'unreadable' | 'refused';
  path: string;
  isStored: boolean;
  items: number;
  /** The number of repositories and accounts with such items. */
  places: number;
  names: string[];
  explanation: string;
  lastAt: Date;
}

/** The drifts of the same part in several repositories; the numbers are those of `name`. */
export interface DriftedPart {
  provider: string;
  part: string;
  isRepaired: boolean;
  repositories: number;
  /** The repository with the latest drift. */
  name: string;
  expected: number;
  found: number;
  lastAt: Date;
}

/** The installed repositories whose poll is overdue; `oldestAt` and `name` are those of the longest due poll. */
interface OverduePolls {
  repositories: number;
  oldestAt: Date | null;
  name: string | null;
  /** All installed repositories. */
  installed: number;
}

/** Installations of the App that are suspended or lack permissions, in groups with the same fault. */
export interface FaultyInstallations {
  provider: string;
  isSuspended: boolean;
  missing: string[];
  installations: number;
  names: string[];
}

/** Deliveries of one provider that are not applied. */
export interface UnappliedDeliveries {
  provider: string;
  pending: number;
  /** The number of deliveries that could not be applied and are not tried again. */
  failed: number;
  /** The time at which the oldest pending or failed delivery was received. */
  oldestAt: Date;
  /** The time at which the oldest pending delivery was received; null: none is pending. */
  oldestPendingAt: Date | null;
}

/** The number of installed repositories of a provider, and the last known change in them that hosts deliver. */
export interface InstalledActivity {
  repositories: number;
  changedAt: Date | null;
  /** The repository that changed last. */
  repository: string | null;
}

/** The administrators of organizations at one provider who hold keys or embed links. */
export interface HeldAdministrations {
  provider: string;
  administrators: number;
  /** The number of administrators that no credential of the service can check. */
  unchecked: number;
  /** The name of an organization of such an administrator. */
  uncheckedExample: string | null;
  /** The number of administrators whose last confirmation is overdue, though a credential may be able to check them. */
  unanswered: number;
  /** The oldest overdue confirmation. */
  unansweredSince: Date | null;
}

/** Returns whether a `statement_timeout` is set for this session. */
export async function limitsStatements(connection: Connection): Promise<boolean> {
  const { rows } = await sql<{ isLimited: boolean }>`
    select current_setting('statement_timeout') <> '0' as "isLimited"`.execute(connection);
  return rows[0]?.isLimited === true;
}

/** Counts the nodes of the service that are connected to the database. A node may consist of several processes. */
export async function readLivingNodes(connection: Connection): Promise<number> {
  const { rows } = await sql<{ nodes: number }>`
    select count(*) as nodes from (${livingNodeNames}) as living`.execute(connection);
  return rows[0]?.nodes ?? 0;
}

/**
 * Counts the administrators with keys or embed links, by provider.
 * @param before the time before which a confirmation is overdue.
 */
export async function findHeldAdministrations(connection: Connection, before: Date): Promise<HeldAdministrations[]> {
  const overdue = sql`m.can_check is distinct from false and m.confirmed_at < ${before}`;
  const { rows } = await sql<HeldAdministrations>`
    select a.provider, count(*) as administrators, count(*) filter (where m.can_check = false) as unchecked,
      min(a.name) filter (where m.can_check = false) as "uncheckedExample",
      count(*) filter (where ${overdue}) as unanswered,
      min(m.confirmed_at) filter (where ${overdue}) as "unansweredSince"
    from administrators m join accounts a on a.id = m.account_id
    where a.deleted_at is null and (
      exists (select from owner_keys k where k.account_id = m.account_id and k.holder = m.person and k.ended_at is null)
      or exists (select from embeds e where e.account_id = m.account_id and e.holder = m.person and e.ended_at is null))
    group by a.provider order by a.provider`.execute(connection);
  return rows;
}

export async function findUnapplied(connection: Connection): Promise<UnappliedDeliveries[]> {
  const { rows } = await sql<UnappliedDeliveries>`
    select provider, count(*) filter (where attempts < ${maxAttempts}) as pending,
      count(*) filter (where attempts >= ${maxAttempts}) as failed, min(received_at) as "oldestAt",
      min(received_at) filter (where attempts < ${maxAttempts}) as "oldestPendingAt"
    from deliveries where applied_at is null group by provider order by provider`.execute(connection);
  return rows;
}

/** Finds the time of a provider's last stored delivery; null when there is none. */
export async function findLastDelivery(connection: Connection, provider: string): Promise<Date | null> {
  const row = await connection
    .selectFrom('deliveries')
    .select('received_at')
    .where('provider', '=', provider)
    .orderBy('received_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.received_at ?? null;
}

/** Counts installed repositories, and finds their last change. Stars do not count, because some hosts deliver none. */
export async function findInstalledActivity(connection: Connection, provider: string): Promise<InstalledActivity> {
  const { rows } = await sql<{ repositories: number; changed_at: Date | null; repository: string | null }>`
    with installed as (
      select r.id, a.name || '/' || r.name as repository, r.installed_at
      from repositories r join accounts a on a.id = r.owner_id
      where r.provider = ${provider} and r.installed_at is not null and r.deleted_at is null
    ), changed as (
      select i.repository, s.provider_changed_at as changed_at
      from installed i join streams s on s.repository_id = i.id
      where s.covers && '{commit,issue,pull_request}' and s.provider_changed_at > i.installed_at
      order by s.provider_changed_at desc limit 1
    )
    select (select count(*) from installed) as repositories, (select changed_at from changed) as changed_at,
      (select repository from changed) as repository`.execute(connection);
  const [row] = rows;
  return {
    repositories: row?.repositories ?? 0,
    changedAt: row?.changed_at ?? null,
    repository: row?.repository ?? null,
  };
}

/**
 * Finds failing streams of repositories that are shown, by reason, the largest groups first.
 * @param unavailableBefore the time since which a host that cannot be reached has to fail: others may be back at once.
 */
export async function findFailingStreams(
  connection: Connection,
  limit: number,
  unavailableBefore: Date,
): Promise<FailingStreams[]> {
  const { rows } = await sql<FailingStreams>`
    select r.provider, s.name as stream, s.failure as code, s.failure_reason as reason, count(*) as repositories,
      (array_agg(${repositoryName} order by s.failing_since nulls last, r.id))[1:${sql.lit(maxNamed)}] as names,
      min(s.failing_since) as since
    from streams s join repositories r on r.id = s.repository_id join accounts a on a.id = r.owner_id
    where s.failure is not null and r.deleted_at is null
      and (s.failure <> 'provider_unavailable' or s.failing_since <= ${unavailableBefore})
    group by 1, 2, 3, 4 order by count(*) desc, 1, 2, 3, 4 limit ${limit}`.execute(connection);
  return rows;
}

/** Finds the repositories that wait for a limit of a host or of a visitor, or for a host that fails, by reason. */
export async function findWaitingRepositories(connection: Connection, now: Date): Promise<WaitingRepositories[]> {
  const { rows } = await sql<WaitingRepositories>`
    with waits as (
      select substring(key from ' ([0-9a-f]{8}-[0-9a-f-]{27})')::uuid as account_id,
        regexp_replace(substring(key from '^collect_repository [0-9a-f-]{36}/(.*)$'), ' with private$', '') as repository,
        case when state = 'delayed_by_allowance' then 'allowance'
          when state = 'delayed_by_quota' or error_code = 'provider_rate_limited' then 'quota'
          when error_code = 'provider_denied' then 'refused' else 'unreachable' end as reason,
        -- A delayed lookup is claimed for a minute from the time at which it runs.
        case when state in ('running', 'failed') then retry_at else retry_at - interval '1 minute' end as until,
        failing_since
      from lookups
      where (starts_with(key, 'collect ') or starts_with(key, 'collect_repository '))
        and state <> 'absent' and (failing_since is not null or state <> 'running')
        and (retry_at > ${now} or error_code is distinct from 'provider_rate_limited' and failing_since is not null)
    )
    select a.provider, w.reason, count(distinct a.id) as accounts, count(distinct r.id) as repositories,
      (array_agg(distinct a.name))[1:${sql.lit(maxNamed)}] as names, max(w.until) as until, min(w.failing_since) as since
    from waits w join accounts a on a.id = w.account_id
      left join summed_repositories s on s.owner_id = a.id and s.unfinished > 0
      left join repositories r on r.id = s.repository_id and (w.repository is null or lower(r.name) = w.repository)
    group by 1, 2 order by count(distinct r.id) desc, 1, 2`.execute(connection);
  return rows;
}

/** Returns the names of repositories, each with that of its owner. */
export async function findNames(connection: Connection, repositoryIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select ${repositoryName} as name from repositories r join accounts a on a.id = r.owner_id
    where r.id = any(${[...repositoryIds]}::uuid[]) order by 1`.execute(connection);
  return rows.map(({ name }) => name);
}

export async function findSkippedPlaces(connection: Connection, limit: number): Promise<SkippedPlaces[]> {
  const { rows } = await sql<SkippedPlaces>`
    select k.provider, stream, kind, reason, path, is_stored as "isStored", sum(items) as items, count(*) as places,
      (array_agg(case when r.id is null then b.name else ${repositoryName} end
        order by k.seen_at desc))[1:${sql.lit(maxNamed)}] as names,
      coalesce(max(explanation), '') as explanation, max(k.seen_at) as "lastAt"
    from skipped_items k
      left join repositories r on r.id = k.repository_id left join accounts a on a.id = r.owner_id
      left join accounts b on b.id = k.account_id
    group by 1, 2, 3, 4, 5, 6 order by is_stored, sum(items) desc, 1, 2, 3, 4, 5 limit ${limit}`.execute(connection);
  return rows;
}

/** Finds drifts that are not repaired, and drifts that were found after `since` and repaired. */
export async function findDrifts(connection: Connection, since: Date, limit: number): Promise<DriftedPart[]> {
  const { rows } = await sql<DriftedPart>`
    select r.provider, part, is_repaired as "isRepaired", count(*) as repositories,
      (array_agg(${repositoryName} order by found_at desc, r.id))[1] as name,
      (array_agg(expected order by found_at desc, r.id))[1] as expected,
      (array_agg(found order by found_at desc, r.id))[1] as found, max(found_at) as "lastAt"
    from drifts d join repositories r on r.id = d.repository_id join accounts a on a.id = r.owner_id
    where not is_repaired or found_at >= ${since}
    group by 1, 2, 3 order by is_repaired, count(*) desc, 1, 2 limit ${limit}`.execute(connection);
  return rows;
}

/** Counts the installed repositories, and those whose poll was due before `before`. */
export async function findOverduePolls(
  connection: Connection,
  providers: readonly string[],
  before: Date,
): Promise<OverduePolls> {
  const { rows } = await sql<OverduePolls>`
    with installed as (
      select r.id, ${repositoryName} as name, coalesce(p.next_at, r.installed_at) as due_at
      from repositories r join accounts a on a.id = r.owner_id left join repository_polls p on p.repository_id = r.id
      where r.installed_at is not null and r.deleted_at is null and r.provider = any(${[...providers]})
    ), overdue as (select * from installed where due_at < ${before})
    select (select count(*) from overdue) as repositories, (select min(due_at) from overdue) as "oldestAt",
      (select name from overdue order by due_at, id limit 1) as name, (select count(*) from installed) as installed`.execute(
    connection,
  );
  return rows[0] ?? { repositories: 0, oldestAt: null, name: null, installed: 0 };
}

export async function findFaultyInstallations(connection: Connection, limit: number): Promise<FaultyInstallations[]> {
  const { rows } = await sql<FaultyInstallations>`
    select provider, suspended_at is not null as "isSuspended", missing_permissions as missing,
      count(*) as installations,
      (array_agg(account_name order by account_name, id))[1:${sql.lit(maxNamed)}] as names
    from installations
    where source = 'app' and removed_at is null and (suspended_at is not null or missing_permissions <> '{}')
    group by 1, 2, 3 order by count(*) desc, 1, 2, 3 limit ${limit}`.execute(connection);
  return rows;
}

/** Counts the stored private repositories that each credential shows. */
export async function countPrivateByCredential(connection: Connection): Promise<Map<string, number>> {
  const { rows } = await sql<{ credential_name: string; count: number }>`
    select credential_name, count(*) as count from repositories
    where is_private and credential_name is not null and deleted_at is null group by credential_name`.execute(
    connection,
  );
  return new Map(rows.map(({ credential_name: credentialName, count }) => [credentialName, count]));
}

/** Finds the accounts that installed the App, by the name of the installation as a credential. */
export async function findInstalledAccounts(
  connection: Connection,
  credentialNames: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ credential_name: string; name: string }>`
    select credential_name, account_name as name from installations
    where credential_name = any(${[...credentialNames]}) and removed_at is null`.execute(connection);
  return new Map(rows.map(({ credential_name: credentialName, name }) => [credentialName, name]));
}

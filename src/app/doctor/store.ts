import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { livingNodeNames } from '../../database/queue/listener.ts';
import { maxAttempts } from '../../sync/deliveries/store.ts';

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

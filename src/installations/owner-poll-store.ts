import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import { isLiving } from './store.ts';

/** When the repositories of owners are polled together of whom anything is installed. */

/** What the last poll of an owner left. */
export interface OwnerPoll {
  /** Requests, or points where the host counts points. */
  cost: number;
  /** The provider's: up to where changes are known that no listing shows. */
  position: string | null;
}

/** SQL for whether something of the account `a` is installed and can be polled. */
const isPolled = sql<boolean>`a.gone_at is null and not a.pinned and exists (
  select from installations i
  where i.provider = a.provider and i.account_external_id = a.external_id and ${isLiving})`;

/** Names of the providers that have an owner whose poll is due. */
export async function findDueProviders(
  connection: Connection,
  providers: readonly string[],
  dueUntil: Date,
): Promise<string[]> {
  const { rows } = await sql<{ provider: string }>`
    select distinct a.provider
    from accounts a left join owner_polls p on p.account_id = a.id
    where a.provider = any(${providers}::text[]) and ${isPolled} and (p.next_at is null or p.next_at <= ${dueUntil})
    order by 1`.execute(connection);
  return rows.map(({ provider }) => provider);
}

/**
 * Takes the owner of a provider who has waited longest, so that no other process polls them before `nextAt`.
 * @returns undefined when no poll is due.
 */
export async function claimOwnerPoll(
  connection: Connection,
  provider: string,
  { dueUntil, nextAt }: { dueUntil: Date; nextAt: Date },
): Promise<(OwnerPoll & { accountId: string }) | undefined> {
  const { rows } = await sql<OwnerPoll & { accountId: string }>`
    with due as (
      select a.id from accounts a left join owner_polls p on p.account_id = a.id
      where a.provider = ${provider} and ${isPolled} and (p.next_at is null or p.next_at <= ${dueUntil})
      order by p.next_at nulls first, a.id limit 1)
    insert into owner_polls as p (account_id, next_at, cost, position)
    select id, ${nextAt}, 0, null from due
    on conflict (account_id) do update set next_at = excluded.next_at where p.next_at <= ${dueUntil}
    returning account_id as "accountId", cost, position`.execute(connection);
  return rows[0];
}

/** Stores when an owner is polled next, with what the poll left. */
export async function saveOwnerPoll(
  connection: Connection,
  accountId: string,
  { nextAt, cost, position }: OwnerPoll & { nextAt: Date },
): Promise<void> {
  await connection
    .updateTable('owner_polls')
    .set({ next_at: nextAt, cost, position })
    .where('account_id', '=', accountId)
    .execute();
}

/** Sums what one poll of every owner of a provider costs. */
export async function sumPollCosts(connection: Connection, provider: string): Promise<number> {
  const { rows } = await sql<{ cost: number }>`
    select coalesce(sum(p.cost), 0)::integer as cost
    from owner_polls p join accounts a on a.id = p.account_id
    where a.provider = ${provider} and ${isPolled}`.execute(connection);
  return rows[0]?.cost ?? 0;
}

/** Whether everything that an account owns is installed, also what comes later. */
export async function isWhollyInstalled(
  connection: Connection,
  account: { provider: string; externalId: string },
): Promise<boolean> {
  const { rows } = await sql`
    select from installations i
    where i.provider = ${account.provider} and i.account_external_id = ${account.externalId} and i.covers = 'all'
      and ${isLiving} limit 1`.execute(connection);
  return rows.length > 0;
}

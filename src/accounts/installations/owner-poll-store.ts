import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { isLiving } from './store.ts';

/** Schedules the polls of owners with an installation. One poll covers all repositories of an owner. */

/** The result of an owner's last poll. */
export interface OwnerPoll {
  /** The cost in requests, or in points where the host counts points. */
  cost: number;
  /** The provider's position in the changes that no listing shows; earlier ones are known. */
  position: string | null;
}

/** SQL that is true when the account `a` has a living installation and can be polled. */
const isPolled = sql<boolean>`a.deleted_at is null and not a.pinned and exists (
  select from installations i
  where i.provider = a.provider and i.account_external_id = a.external_id and ${isLiving})`;

/** Finds the names of the providers that have an owner whose poll is due. */
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
 * Claims the poll that has been due longest at a provider, so that no other process polls the owner before `nextAt`.
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

/** Stores the result of an owner's poll and the time of the next one. */
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

/** Sums the costs of one poll of every owner of a provider. */
export async function sumPollCosts(connection: Connection, provider: string): Promise<number> {
  const { rows } = await sql<{ cost: number }>`
    select coalesce(sum(p.cost), 0)::integer as cost
    from owner_polls p join accounts a on a.id = p.account_id
    where a.provider = ${provider} and ${isPolled}`.execute(connection);
  return rows[0]?.cost ?? 0;
}

/** Returns whether all repositories of an account are installed, including future ones. */
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

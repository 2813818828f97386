import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { isLiving } from './store.ts';

/** Finds the repositories that are polled with the same quota. */

/**
 * The installed repositories whose polls use the same quota: those that an installation of the app reads, all that the
 * configured tokens of a provider read, or the private ones that one of these tokens shows.
 */
export type QuotaUsers =
  | { installation: string; ownerId: string }
  | { provider: string; hasApp: boolean }
  | { provider: string; token: string };

/** The wishes of repositories that use one quota. */
export interface PollDemand {
  repositories: number;
  /** The polls of all of them in an hour, if each had the interval that it wants. */
  wantedPerHour: number;
}

/** The rule by which a repository wants an interval, in ms. */
interface WantedInterval {
  shortest: number;
  longest: number;
  /** The part of the time since the last change. */
  partOfAge: number;
}

/** SQL that is true when the living installation `i` of the app on the account `a` reads the repository `r`. */
const reads = sql`i.source = 'app' and i.provider = a.provider and i.account_external_id = a.external_id and ${isLiving}
  and (r.credential_name is null or r.credential_name = i.credential_name)`;

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

/**
 * Returns the name of the credential of the app's installation that reads a repository; null: a configured token reads
 * it.
 */
export async function findInstallationCredential(connection: Connection, repositoryId: string): Promise<string | null> {
  const { rows } = await sql<{ name: string | null }>`
    select i.credential_name as name
    from repositories r join accounts a on a.id = r.owner_id join installations i on ${reads}
    where r.id = ${repositoryId} order by i.id limit 1`.execute(connection);
  return rows[0]?.name ?? null;
}

/** Sums what the users of a quota want. */
export async function sumPollDemand(
  connection: Connection,
  users: QuotaUsers,
  { wanted, now }: { wanted: WantedInterval; now: Date },
): Promise<PollDemand> {
  const { rows } = await sql<PollDemand>`
    select count(*)::integer as repositories, coalesce(sum(3600000 / wanted_ms), 0)::float8 as "wantedPerHour"
    from (
      select case
          -- One that was never polled is about to be, as one that has just changed.
          when p.repository_id is null then ${wanted.shortest}::float8
          when p.changed_at is null then ${wanted.longest}::float8
          else least(greatest(extract(epoch from ${now}::timestamptz - p.changed_at) * 1000 * ${wanted.partOfAge}::float8,
            ${wanted.shortest}::float8), ${wanted.longest}::float8)
        end as wanted_ms
      from repositories r left join repository_polls p on p.repository_id = r.id
      where r.installed_at is not null and r.deleted_at is null and ${isUser(users)}
    ) installed`.execute(connection);
  return rows[0] ?? { repositories: 0, wantedPerHour: 0 };
}

function isUser(users: QuotaUsers): RawBuilder<boolean> {
  if ('installation' in users) {
    return sql`r.owner_id = ${users.ownerId} and (r.credential_name is null or r.credential_name = ${users.installation})`;
  }
  if ('token' in users) return sql`r.provider = ${users.provider} and r.credential_name = ${users.token}`;
  // Installations that are stored from a time with an app cannot be used without it.
  if (!users.hasApp) return sql`r.provider = ${users.provider}`;
  return sql`r.provider = ${users.provider} and not exists (
    select from accounts a join installations i on ${reads} where a.id = r.owner_id)`;
}

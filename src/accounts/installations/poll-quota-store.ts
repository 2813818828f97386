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
export interface WantedInterval {
  shortest: number;
  longest: number;
  /** The part of the time since the last change. */
  partOfAge: number;
}

/** SQL that is true when the living installation `i` of the app on the account `a` reads the repository `r`. */
const reads = sql`i.source = 'app' and i.provider = a.provider and i.account_external_id = a.external_id and ${isLiving}
  and (r.credential_name is null or r.credential_name = i.credential_name)`;

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

import { sql } from 'kysely';
import { nameKey } from '../../accounts/account.ts';
import { isShownInSql } from '../../accounts/shown-store.ts';
import { collectJob, collectRepositoryJob } from '../../contributions/jobs.ts';
import type { Job } from '../../database/added-jobs.ts';
import type { Connection } from '../../database/connection.ts';
import { isPresentInSql } from '../../repositories/present-store.ts';

/** An account by its name, or one of its repositories. */
export interface Followed {
  provider: string;
  name: string;
  /** Absent: all repositories of the account. */
  repository?: string | undefined;
}

/** The public repositories of an account, and those of which everything is collected. */
export interface Progress {
  complete: number;
  total: number;
  /** False while repositories of the account may exist that are not counted here. */
  isListed: boolean;
  /** The account; null where none of the name is stored. */
  accountId: string | null;
  /**
   * The time since which its repositories cannot be listed, or none of those that are left can be read; null where the last
   * attempt did not fail.
   */
  failingSince: Date | null;
  /** True when the collection itself fails, so that it has to be requested again; streams are read again by themselves. */
  hasStopped: boolean;
}

/** Counts the repositories of an account by its name, or one of them; none where no account of the name is stored. */
export async function countProgress(
  connection: Connection,
  { provider, name, repository }: Followed,
): Promise<Progress> {
  const { rows } = await sql<Omit<Progress, 'hasStopped'>>`
    select a.id as "accountId", count(r.id)::integer as total, (count(r.id) filter (where c.is_complete))::integer as complete,
      coalesce(bool_and(a.listed_at is not null or ${repository !== undefined}), true) as "isListed",
      case when bool_and(c.is_complete or c.failing_since is not null) then min(c.failing_since) end as "failingSince"
    from accounts a left join repositories r on r.owner_id = a.id and not r.is_private and ${isPresentInSql('r')}
      and (${repository ?? null}::text is null or lower(r.name) = lower(${repository ?? null}::text))
    left join lateral (
      select coalesce(bool_and(s.completed_at is not null), false) as is_complete,
        min(s.failing_since) filter (where s.completed_at is null) as failing_since
      from streams s where s.repository_id = r.id) c on true
    where a.provider = ${provider} and lower(a.name) = ${nameKey(name)} and ${isShownInSql('a')}
    group by a.id`.execute(connection);
  const [found] = rows;
  if (found === undefined || found.accountId === null)
    return { complete: 0, total: 0, isListed: true, accountId: null, failingSince: null, hasStopped: false };
  const isPending = repository === undefined ? !found.isListed : found.complete < found.total;
  const { key } = collectingJob(found.accountId, repository);
  const stopped = isPending ? await findFailingSince(connection, key) : null;
  // Repositories that are not listed yet may still be read.
  const ofStreams = found.isListed ? found.failingSince : null;
  return { ...found, failingSince: stopped ?? ofStreams, hasStopped: stopped !== null };
}

/** Returns the job that collects what a page follows: the public repositories of an account, or one of them. */
export function collectingJob(accountId: string, repository: string | undefined): Job {
  return repository === undefined
    ? collectJob(accountId)
    : collectRepositoryJob({ accountId, repository, withPrivate: false });
}

/** Finds since when a lookup fails; null when its last run did not fail. */
async function findFailingSince(connection: Connection, key: string): Promise<Date | null> {
  const row = await connection.selectFrom('lookups').select('failing_since').where('key', '=', key).executeTakeFirst();
  return row?.failing_since ?? null;
}

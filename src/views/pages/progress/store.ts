import { sql } from 'kysely';
import { lookUpJob, refreshJob } from '../../../accounts/jobs.ts';
import { isPresentInSql } from '../../../accounts/repositories/present-store.ts';
import { isShownInSql } from '../../../accounts/visibility/opt-out-store.ts';
import { collectJob, collectRepositoryJob, fetchReportedTotalsJob } from '../../../contributions/items/jobs.ts';
import { findLookups, findWait } from '../../../contributions/totals/progress-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import type { Job } from '../../../database/queue/added-jobs.ts';
import type { Wait } from '../../../http/pipeline/envelope.ts';
import { nameKey } from '../../../model/account.ts';

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
  /** True while numbers of the page may still change, because lists are being read. */
  isOpen: boolean;
  /** The reason for which reading waits. */
  wait: Wait;
  /**
   * The time since which its repositories cannot be listed, or none of those that are left can be read; null where the last
   * attempt did not fail.
   */
  failingSince: Date | null;
  /** Lookups that failed, so that they have to be requested again; streams are read again by themselves. */
  stopped: readonly Job[];
}

const noProgress: Progress = {
  complete: 0,
  total: 0,
  isOpen: false,
  wait: { reason: 'collecting' },
  failingSince: null,
  stopped: [],
};

interface Counted extends Pick<Progress, 'complete' | 'total' | 'failingSince'> {
  accountId: string;
  repositoryId: string | null;
  isOrganization: boolean;
  /** False while repositories of the account may exist that are not counted here. */
  isListed: boolean;
  /** True when the host's own numbers are not completely known. */
  lacksNumbers: boolean;
}

/**
 * Counts the repositories of an account by its name, or one of them; none where no account of the name is stored.
 * @param terms.reportsTotals whether the host reports the numbers of persons, so that they do not come from repositories.
 */
export async function countProgress(
  connection: Connection,
  followed: Followed,
  { now, reportsTotals }: { now: Date; reportsTotals: boolean },
): Promise<Progress> {
  const found = await countRepositories(connection, followed);
  if (found === undefined) return noProgress;
  const { provider, name, repository } = followed;
  const { accountId, repositoryId, complete, total, isListed } = found;
  const scope = { accountId, repositoryId, withPrivate: false };
  const wait = await findWait(connection, scope, { repositories: { complete, total }, now });
  const isSummed = repository !== undefined || found.isOrganization || !reportsTotals;
  if (!isSummed) {
    const { own } = await findLookups(connection, scope);
    const [first] = own.flatMap(({ failingSince }) => failingSince ?? []).toSorted((one, other) => +one - +other);
    const jobs = [lookUpJob({ provider, name }), refreshJob(accountId), fetchReportedTotalsJob(accountId)];
    const stopped = jobs.filter(({ key }) => own.some((lookup) => lookup.key === key && lookup.failingSince !== null));
    const isOpen = found.lacksNumbers && own.length > 0;
    // The person's repositories say nothing about numbers of the host.
    return { complete: 0, total: 0, isOpen, wait, failingSince: first ?? null, stopped };
  }
  const isPending = repository === undefined ? !isListed : complete < total;
  const job =
    repository === undefined
      ? collectJob(accountId)
      : collectRepositoryJob({ accountId, repository, withPrivate: false });
  const stoppedAt = isPending ? await findFailingSince(connection, job.key) : null;
  // Repositories that are not listed yet may still be read.
  const failingSince = stoppedAt ?? (isListed ? found.failingSince : null);
  const stopped = stoppedAt === null ? [] : [job];
  return { complete, total, isOpen: !isListed || complete < total, wait, failingSince, stopped };
}

async function countRepositories(
  connection: Connection,
  { provider, name, repository }: Followed,
): Promise<Counted | undefined> {
  const { rows } = await sql<Counted>`
    select a.id as "accountId", case when ${repository !== undefined} then (array_agg(r.id))[1] end as "repositoryId",
      a.type = 'organization' as "isOrganization",
      count(r.id)::integer as total, (count(r.id) filter (where c.is_complete))::integer as complete,
      bool_and(a.listed_at is not null or ${repository !== undefined}) as "isListed",
      coalesce((select cardinality(n.missing) > 0 from counters n
        where n.account_id = a.id and not n.includes_private order by n.day desc limit 1), true) as "lacksNumbers",
      case when bool_and(c.is_complete or c.failing_since is not null) then min(c.failing_since) end as "failingSince"
    from accounts a left join repositories r on r.owner_id = a.id and not r.is_private and ${isPresentInSql('r')}
      and (${repository ?? null}::text is null or lower(r.name) = lower(${repository ?? null}::text))
    left join lateral (
      select coalesce(bool_and(s.completed_at is not null), false) as is_complete,
        min(s.failing_since) filter (where s.completed_at is null) as failing_since
      from streams s where s.repository_id = r.id) c on true
    where a.provider = ${provider} and lower(a.name) = ${nameKey(name)} and ${isShownInSql('a')}
    group by a.id`.execute(connection);
  return rows[0];
}

/** Finds since when a lookup fails; null when its last run did not fail. */
async function findFailingSince(connection: Connection, key: string): Promise<Date | null> {
  const row = await connection.selectFrom('lookups').select('failing_since').where('key', '=', key).executeTakeFirst();
  return row?.failing_since ?? null;
}

import { type RawBuilder, sql } from 'kysely';
import { lookUpJob, type NameOnProvider, refreshJob } from '../../accounts/jobs.ts';
import { isPresentInSql } from '../../accounts/repositories/present-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { findLookupsByKey, type StoredLookup } from '../../database/queue/lookups.ts';
import type { Progress, Wait } from '../../http/pipeline/envelope.ts';
import type { AccountType } from '../../model/account.ts';
import { contributionKinds } from '../../model/contribution.ts';
import { uncollectedColumn } from '../../model/kinds.ts';
import type { CollectedScope } from '../items/collection-store.ts';
import { collectJob, collectRepositoryJob, fetchReportedTotalsJob } from '../items/jobs.ts';

/**
 * Finds how far collecting the repositories of a response is, and the reason why it is not at its end.
 * @param missing the names of its numbers that are incomplete.
 * @returns undefined where nothing is missing.
 */
export async function findProgress(
  connection: Connection,
  scope: CollectedScope,
  missing: readonly string[],
  now: Date,
): Promise<Progress | undefined> {
  if (missing.length === 0) return undefined;
  const repositories = await countRepositories(connection, scope);
  return { repositories, ...(await findWait(connection, scope, { repositories, now })) };
}

/**
 * Finds the reason why the repositories of a response are not completely read: that of the lookup that reads them, or where
 * they are, of the lookups of the account's own numbers; without any, that of their streams.
 */
export async function findWait(
  connection: Connection,
  scope: CollectedScope,
  { repositories, now }: { repositories: Progress['repositories']; now: Date },
): Promise<Wait> {
  const isRead = repositories.total > 0 && repositories.complete === repositories.total;
  const { reading, own, isOrganization } = await findLookups(connection, scope);
  const ofNumbers = toWaitOfAll(own, now);
  // The numbers of a person may come from the host, and then do not wait for the person's repositories.
  if (!isOrganization && ofNumbers !== undefined && ofNumbers.reason !== 'collecting') return ofNumbers;
  const ofRepositories = isRead ? undefined : toWaitOfAll(reading, now);
  return ofRepositories ?? ofNumbers ?? { reason: await findReasonOfStreams(connection, scope, isRead) };
}

/** Returns what lookups wait for: nothing while one runs, else the limit or failure that ends last; undefined without any. */
function toWaitOfAll(lookups: readonly StoredLookup[], now: Date): Wait | undefined {
  const waits = lookups.map((lookup) => toWait(lookup, now));
  const [longest] = waits.toSorted((one, other) => toTime(other) - toTime(one));
  return waits.find(({ reason }) => reason === 'collecting') ?? longest;
}

/** Finds the lookups that read the repositories of a scope, and those of the account's own numbers. */
export async function findLookups(
  connection: Connection,
  { accountId, repositoryId }: CollectedScope,
): Promise<{ reading: StoredLookup[]; own: StoredLookup[]; isOrganization: boolean }> {
  const { rows } = await sql<NameOnProvider & { type: AccountType; repository: string | null }>`
    select a.provider, a.name, a.type, (select r.name from repositories r where r.id = ${repositoryId}::uuid) as repository
    from accounts a where a.id = ${accountId}::uuid`.execute(connection);
  const [account] = rows;
  if (account === undefined) return { reading: [], own: [], isOrganization: false };
  const { repository } = account;
  const collecting = [
    collectJob(accountId),
    ...(repository === null
      ? []
      : [false, true].map((withPrivate) => collectRepositoryJob({ accountId, repository, withPrivate }))),
  ].map(({ key }) => key);
  const ofNumbers = [lookUpJob(account), refreshJob(accountId), fetchReportedTotalsJob(accountId)].map(
    ({ key }) => key,
  );
  const found = await findLookupsByKey(connection, [...collecting, ...ofNumbers], `fetch_window ${accountId} `);
  const reading = found.filter(({ key }) => collecting.includes(key));
  const own = repositoryId === null ? found.filter(({ key }) => !collecting.includes(key)) : [];
  return { reading, own, isOrganization: account.type === 'organization' };
}

/** Returns what a lookup waits for. The time is absent once it has come, because the next request goes on then. */
function toWait({ state, errorCode, failingSince, until }: StoredLookup, now: Date): Wait {
  const isAhead = until > now;
  if (state === 'delayed_by_quota' || (state === 'failed' && errorCode === 'provider_rate_limited'))
    return isAhead ? { reason: 'quota', resumesAt: until } : { reason: 'collecting' };
  if (state === 'delayed_by_allowance')
    return isAhead ? { reason: 'allowance', resumesAt: until } : { reason: 'collecting' };
  if (state === 'running' && failingSince === null) return { reason: 'collecting' };
  const reason = errorCode === 'provider_denied' ? 'refused' : 'unreachable';
  return state === 'failed' && isAhead ? { reason, resumesAt: until } : { reason };
}

function toTime({ resumesAt }: Wait): number {
  return resumesAt?.getTime() ?? 0;
}

/**
 * Finds the reason by the streams of a scope. While any is left to be read, they are being collected.
 * @param isRead whether all repositories are complete: the host does not give the numbers that are missing then.
 */
async function findReasonOfStreams(
  connection: Connection,
  { accountId, repositoryId, withPrivate }: CollectedScope,
  isRead: boolean,
): Promise<Wait['reason']> {
  if (isRead) return 'refused';
  const { rows } = await sql<{ isReading: boolean; isUnreachable: boolean; isRefused: boolean }>`
    with unread as (
      select r.id, s.name, s.completed_at is null as is_open, s.failure
      from summed_repositories u join repositories r on r.id = u.repository_id
        left join streams s on s.repository_id = r.id and s.covers && ${[...contributionKinds]}::text[]
      where u.owner_id = ${accountId}::uuid and (${repositoryId}::uuid is null or r.id = ${repositoryId}::uuid)
        and (${withPrivate}::boolean or not r.is_private) and ${isPresentInSql('r')} and ${uncollectedInSql('u')} > 0
    )
    select coalesce(bool_or(name is null or (is_open and failure is null)), true) as "isReading",
      coalesce(bool_or(is_open and failure = 'provider_unavailable'), false) as "isUnreachable",
      coalesce(bool_or(is_open), false) or exists (
        select from skipped_items k where k.repository_id in (select id from unread) and not (k.is_counted and k.is_stored)
      ) as "isRefused"
    from unread`.execute(connection);
  const [streams] = rows;
  if (streams === undefined || streams.isReading) return 'collecting';
  if (streams.isUnreachable) return 'unreachable';
  return streams.isRefused ? 'refused' : 'collecting';
}

/** SQL for the number of kinds of a repository's contributions that are not completely known. */
function uncollectedInSql(alias: 's' | 'u'): RawBuilder<number> {
  return sql.join(
    contributionKinds.map((kind) => sql.ref(`${alias}.${uncollectedColumn(kind)}`)),
    sql` + `,
  );
}

/** Counts the repositories of a scope, and those that are completely read. */
async function countRepositories(
  connection: Connection,
  { accountId, repositoryId, withPrivate }: CollectedScope,
): Promise<Progress['repositories']> {
  const { rows } = await sql<Progress['repositories']>`
    select count(*)::integer as total, (count(*) filter (where ${uncollectedInSql('s')} = 0))::integer as complete
    from summed_repositories s join repositories r on r.id = s.repository_id
    where s.owner_id = ${accountId}::uuid and (${repositoryId}::uuid is null or r.id = ${repositoryId}::uuid)
      and (${withPrivate}::boolean or not r.is_private) and ${isPresentInSql('r')}`.execute(connection);
  return rows[0] ?? { total: 0, complete: 0 };
}

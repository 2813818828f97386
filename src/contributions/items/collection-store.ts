import { sql } from 'kysely';
import { isPresentInSql } from '../../accounts/repositories/present-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { type ContributionKind, contributionKinds } from '../../model/contribution.ts';
import { sumOverOwned } from '../totals/owner-sum-store.ts';
import { takeChanged } from '../totals/total-store.ts';
import { isListedInPart, isSkippedElsewhere, toKinds } from '../totals/uncollected-store.ts';
import { requestTotals } from '../totals/update-queue-store.ts';

/**
 * The time between a change and the moment at which every response of a provider shows it, and the difference of its clock
 * to that of this service.
 */
const shownWithin = sql`interval '5 minutes'`;

/**
 * SQL for the time before which all changes of the stream `s` of the repository `r` are stored. A stream in which a
 * listing shows nothing new is not read again, so the last listing after which the repository was collected counts as
 * well. It does not count while a change is reported that is still to be read, nor where listings say nothing about the
 * stream.
 */
export const knownUntil = sql<Date | null>`greatest(s.known_until, case
  when r.collected_at is not null and s.completed_at is not null and s.scan_started_at is null and s.failure is null and s.withheld_at is null
    and (s.invalidated_at is null or s.invalidated_at < s.known_until)
    and (s.full_scan_wanted_at is null or s.full_scan_wanted_at < s.full_scan_at)
    and case
      when s.provider_revision is not null then s.provider_revision = s.cursor
      when s.provider_changed_at is not null then s.provider_changed_at < s.known_until
      else s.provider_total = 0
    end
  then least(r.collected_at, r.listed_at) - ${shownWithin} end)`;

/** The state of collecting the contributions to an account's repositories. */
export interface Collection {
  /** The time when its repositories were last listed; null: never. */
  listedAt: Date | null;
  /** True when the provider has reported since then that the list changed. */
  isListOutdated: boolean;
  /** Kinds that are not completely known. */
  uncollected: ContributionKind[];
  /** True when a readable stream was never read to its end: the process that was reading it may have been killed. */
  isUnfinished: boolean;
}

/**
 * Finds the state of collecting the contributions to an account's repositories.
 * @param options.withPrivate true to include private repositories.
 */
export async function findCollection(
  connection: Connection,
  accountId: string,
  { withPrivate }: { withPrivate: boolean } = { withPrivate: false },
): Promise<Collection> {
  const owned = await sumOverOwned(connection, accountId, withPrivate ? 'all' : 'public');
  const { listedAt, isListOutdated, uncollected } = owned;
  // Public numbers may be complete without all streams.
  const isUnfinished = owned.isUnfinished && (withPrivate || uncollected.length > 0);
  return { listedAt, isListOutdated, uncollected, isUnfinished };
}

/** Repositories of which a response counts contributions. */
export interface CollectedScope {
  accountId: string;
  /** Null: all repositories that the account owns. */
  repositoryId: string | null;
  withPrivate: boolean;
}

/**
 * Narrows kinds that are not completely known to those that may lack contributions since a time; null: in all time. The
 * first reading of a list begins with the newest change, so everything later than the time that it has reached is
 * stored. Commits always stay, because they are read in no order of the times at which they count; so do skipped items,
 * whose time is unknown.
 */
export async function narrowUncollected(
  connection: Connection,
  { accountId, repositoryId, withPrivate }: CollectedScope,
  kinds: readonly ContributionKind[],
  since: Date | null,
): Promise<ContributionKind[]> {
  if (since === null || kinds.length === 0) return [...kinds];
  const visibility = withPrivate ? 'all' : 'public';
  const isListed = sql`not (${repositoryId}::uuid is null and (
    a.listed_at is null or ${isListedInPart(visibility)} or ${isSkippedElsewhere(visibility)}))`;
  const { rows } = await sql<{ kind: string }>`
    select kinds.kind from accounts a cross join unnest(${[...kinds]}::text[]) as kinds (kind)
    where a.id = ${accountId}::uuid and not (kinds.kind <> 'commit' and ${isListed} and not exists (
      select from repositories r
      where r.owner_id = a.id and (${repositoryId}::uuid is null or r.id = ${repositoryId}::uuid)
        and (${withPrivate}::boolean or not r.is_private) and ${isPresentInSql('r')}
        and kinds.kind = any(uncollected_kinds(r.id))
        and (exists (select from skipped_items k where k.repository_id = r.id and is_lost_with(kinds.kind, k))
          or not exists (
            select from streams s
            where s.repository_id = r.id and kinds.kind = any(s.covers)
              and s.reached_at < ${since}))))`.execute(connection);
  return toKinds(rows.map(({ kind }) => kind));
}

/** Finds the kinds of contributions to one repository that are not completely known. */
export async function findUncollected(connection: Connection, repositoryId: string): Promise<ContributionKind[]> {
  const { rows } = await sql<{ kinds: string[] }>`
    select uncollected_kinds(${repositoryId}::uuid) as kinds`.execute(connection);
  return toKinds(rows[0]?.kinds ?? contributionKinds);
}

/**
 * Announces to all nodes the repositories whose counted contributions changed since the last call, and requests an update
 * of the contributors' totals.
 */
export async function recordTotalsChanged(connection: Connection, repositoryIds: readonly string[]): Promise<void> {
  for (const id of repositoryIds.toSorted()) {
    if (await takeChanged(connection, id)) await announceOwner(connection, id);
  }
  await requestTotals(connection, repositoryIds);
}

/** Announces a change of the present owner of a repository, which may have moved since its reading began. */
export async function announceOwner(connection: Connection, repositoryId: string): Promise<void> {
  await sql`
    insert into announcements (kind, key) select 'account', owner_id from repositories
    where id = ${repositoryId}`.execute(connection);
}

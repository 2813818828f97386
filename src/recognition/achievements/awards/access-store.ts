import { type RawBuilder, sql } from 'kysely';
import { checkAccessJob } from '../../../accounts/jobs.ts';
import { isPresentInSql } from '../../../accounts/repositories/present-store.ts';
import type { LoadServices } from '../../../accounts/resolve.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { findOutcome } from '../../../database/queue/lookups.ts';
import { allAwards, keptAwards } from '../../../database/schema/erasure.ts';
import type { KnownRepository } from '../../../hosts/interface/provider.ts';
import type { LookupTerms } from '../../../http/pipeline/endpoint.ts';
import type { Account } from '../../../model/account.ts';

/**
 * The time for which the host's word about the access of a person to a private repository counts, in ms: an hour less than the
 * 24 hours after which nothing may be shown without a new one, because responses are cached.
 */
const countsForMs = 23 * 3_600_000;

/** Returns the time from which on a check of access counts at a time. */
export function countsSince(now: Date): Date {
  return new Date(now.getTime() - countsForMs);
}

/**
 * Returns SQL that is true when the account of the award `w` may know the repository `r`: it is public or its own, or the host
 * confirmed the access since a time. The address in a commit proves nothing, because anyone can write it.
 */
export function mayKnowInSql(since: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(not r.is_private or r.owner_id = w.account_id or (w.has_access and w.access_checked_at > ${since}))`;
}

/** A private repository of another owner, of which the host has not said lately whether the account may see it. */
interface UncheckedRepository {
  id: string;
  known: KnownRepository;
}

/** Finds private repositories of other owners with awards of an account, newest first, that were not checked since a time. */
export async function findUnchecked(
  connection: Connection,
  accountId: string,
  { since, limit }: { since: Date; limit: number },
): Promise<UncheckedRepository[]> {
  const { rows } = await sql<KnownRepository & { id: string }>`
    select r.id, o.name as owner, r.name, r.handle, r.default_branch as "defaultBranch",
      r.credential_name as "credentialName"
    from ${keptAwards('w')} join achievements h on h.id = w.achievement_id join repositories r on r.id = h.repository_id
      join accounts o on o.id = r.owner_id
    where w.account_id = ${accountId} and w.revoked_at is null and r.is_private and r.owner_id <> w.account_id
      and ${isPresentInSql('r')} and o.deleted_at is null
      and (w.access_checked_at is null or w.access_checked_at <= ${since})
    group by r.id, o.id order by max(w.awarded_at) desc, r.id limit ${limit}`.execute(connection);
  return rows.map(({ id, ...known }) => ({ id, known }));
}

/** Stores whether an account may see a repository, on all its awards from it. */
export async function saveAccess(
  connection: Connection,
  { accountId, repositoryId }: { accountId: string; repositoryId: string },
  { hasAccess, checkedAt }: { hasAccess: boolean; checkedAt: Date },
): Promise<void> {
  await sql`
    update ${allAwards('w')} set has_access = ${hasAccess}, access_checked_at = ${checkedAt}
    where account_id = ${accountId}
      and achievement_id in (select id from achievements where repository_id = ${repositoryId})`.execute(connection);
}

/** Deletes what the host said about the access of a person, who may have lost some. */
export async function deleteAccess(connection: Connection, provider: string, person: string): Promise<void> {
  await sql`
    update ${allAwards('w')} set has_access = null, access_checked_at = null
    where access_checked_at is not null
      and account_id in (
        select id from accounts where provider = ${provider} and external_id = ${person})`.execute(connection);
}

/**
 * Checks at the host the private repositories that the account may see, before awards from them are shown. Waits until the
 * deadline; awards from repositories that are not checked by then are not shown.
 */
export async function awaitAccess(
  { connection, resolver, now }: Pick<LoadServices, 'connection' | 'resolver' | 'now'>,
  { id, pinned }: Account,
  terms: LookupTerms,
): Promise<void> {
  const isKnown = async (): Promise<true | undefined> => {
    const unchecked = await findUnchecked(connection, id, { since: countsSince(now()), limit: 1 });
    return unchecked.length === 0 ? true : undefined;
  };
  if (pinned || (await isKnown())) return;
  const job = checkAccessJob(id);
  const failed = await findOutcome(connection, job.key, now());
  if (failed === undefined) await resolver.requestAndWait(job, terms, isKnown);
}

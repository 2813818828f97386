import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connection.ts';
import { isPresentInSql } from '../../repositories/shown-store.ts';
import type { StoredCounter } from '../kinds.ts';
import { type Item, type ItemPage, type ItemScope, isOnPage } from './store.ts';

/** Reasons why something that was seen does not count. */
export const exclusionReasons = ['fork', 'host-refuses', 'no-account'] as const;
export type ExclusionReason = (typeof exclusionReasons)[number];

/** Something that was seen and does not count. */
export interface ExcludedItem extends Item {
  reason: ExclusionReason;
}

/**
 * Finds a page of data that was seen and does not count, newest first: forks, whose commits and stars count for no account; places at
 * which the host refused data; commits that no account is known for, where a list of contributors is wanted.
 */
export async function findExcluded(
  connection: Connection,
  scope: ItemScope & { ofContributors: boolean },
  counters: readonly StoredCounter[],
  page: ItemPage,
): Promise<ExcludedItem[]> {
  const order = page.before === undefined ? sql`desc` : sql`asc`;
  const kinds = counters.map(({ kind }) => kind);
  const parts = [
    ...(kinds.includes('commit') || kinds.includes('star') ? [forks(scope)] : []),
    refused(scope, kinds),
    ...(scope.ofContributors && kinds.includes('commit') ? [withoutAccount(scope)] : []),
  ];
  const { rows } = await sql<ExcludedItem>`
    select (extract(epoch from i.moment) * 1000000)::bigint as at, i.kind, i.repository_id as "repositoryId", i.id,
      ${counters[0]?.name ?? ''}::text as counter, o.name as owner, r.name as repository, null::integer as number,
      i.oid, '' as title, false as "isCoAuthored", i.reason
    from (${sql.join(parts, sql` union all `)}) i
      join repositories r on r.id = i.repository_id join accounts o on o.id = r.owner_id
    where ${isOnPage(page)} and (${scope.since}::timestamptz is null or i.moment >= ${scope.since}::timestamptz)
      and (${scope.until}::timestamptz is null or i.moment < ${scope.until}::timestamptz)
    order by i.moment ${order}, i.kind ${order}, i.repository_id ${order}, i.id ${order}
    limit ${page.limit}`.execute(connection);
  return page.before === undefined ? rows : rows.toReversed();
}

/** The condition that the repository `r` is of the owner, and visible. */
function isOwned({ personId, ownerId, repositoryId, seesPrivateOf }: ItemScope): RawBuilder<boolean> {
  return sql`(
    r.owner_id = ${ownerId ?? personId}::uuid and ${isPresentInSql('r')}
    and (not r.is_private or r.owner_id = ${seesPrivateOf}::uuid)
    and (${repositoryId}::uuid is null or r.id = ${repositoryId}::uuid))`;
}

function forks(scope: ItemScope): RawBuilder<unknown> {
  return sql`
    select r.created_at as moment, 'repository'::text as kind, r.id as repository_id, r.id::text as id,
      null::text as oid, 'fork' as reason
    from repositories r where r.is_fork and ${isOwned(scope)}`;
}

function refused(scope: ItemScope, kinds: readonly string[]): RawBuilder<unknown> {
  return sql`
    select k.first_seen_at as moment, k.kind, r.id as repository_id, md5(k.stream || k.path) as id, null::text as oid,
      'host-refuses' as reason
    from repositories r join skipped_items k on k.repository_id = r.id
    where k.reason = 'refused' and not k.is_counted and k.kind = any(${[...kinds]}::text[]) and ${isOwned(scope)}`;
}

function withoutAccount(scope: ItemScope): RawBuilder<unknown> {
  return sql`
    select c.authored_at as moment, 'commit' as kind, r.id as repository_id, encode(c.oid, 'hex') as id,
      encode(c.oid, 'hex') as oid, 'no-account' as reason
    from repositories r join commits c on c.repository_id = r.id join identities i on i.id = c.identity_ids[1]
    where i.account_id is null and not starts_with(i.email, 'erased ') and ${isOwned(scope)}`;
}

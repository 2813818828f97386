import { type RawBuilder, sql } from 'kysely';
import { isPresentInSql, isWithdrawnInSql } from '../../accounts/repositories/present-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { advisoryLocks } from '../../database/schema/advisory-locks.ts';
import { contributionKinds } from '../../model/contribution.ts';
import { contributionsIn } from '../totals/column-store.ts';
import type { Ranking, Scope, Version } from './contributor.ts';

/** Lists of contributors are made in parts, people in the order of their ids, so that no event waits for a whole list. */

/** The place before all people. */
const beginning = '00000000-0000-0000-0000-000000000000';

/** A list whose people up to one id are stored, and follow changes; null: all of them. */
interface Stored extends Ranking {
  madeUntil: string | null;
}

/**
 * Lists of contributors. The first request for a list makes it (`makePart`); from then on each transaction brings
 * it up to date at its end (`database/schema/contributor-lists.sql`), as a new version. A row that a later version replaced
 * is kept while there may be cursors into earlier ones.
 */

/** Finds the newest version of the list of a scope, if it was made completely. */
export async function findRanking(connection: Connection, scope: Scope): Promise<Ranking | undefined> {
  const { rows } = await sql<Ranking>`
    select r.id, r.version, r.people from rankings r
    where ${isOfScope(scope)} and r.made_until is null and not ${isOutdatedByCredentials}`.execute(connection);
  return rows[0];
}

/** SQL that is true for the list `r` of a scope, also while it is being made. */
function isOfScope({ accountId, repositoryId, includesPrivate }: Scope): RawBuilder<boolean> {
  return sql<boolean>`(r.account_id = ${accountId} and r.repository_id is not distinct from ${repositoryId}::uuid
    and r.includes_private = ${includesPrivate}::boolean and r.ended_at is null)`;
}

/**
 * SQL that is true when the list `r` may show private data of a credential that was withdrawn since, or lacks that of
 * one that is accepted again. The minute covers a list that was being made at the withdrawal.
 */
const isOutdatedByCredentials = sql<boolean>`(r.includes_private and (
  exists (
    select from withdrawn_credentials w join accounts o on o.provider = w.provider
    where o.id = r.account_id and r.built_at <= w.withdrawn_at + interval '1 minute')
  or exists (
    select from unnest(r.excluded) as excluded (name)
    where not exists (
      select from withdrawn_credentials w join accounts o on o.provider = w.provider
      where o.id = r.account_id and w.credential_name = excluded.name))))`;

/** Returns whether a version of a list is still stored and belongs to this scope. */
export async function hasVersion(connection: Connection, { id, version }: Version, scope: Scope): Promise<boolean> {
  const { rows } = await sql`
    select from rankings r
    where r.id = ${id} and ${isOfScope(scope)} and r.oldest_version <= ${version} and r.version >= ${version}
      and not ${isOutdatedByCredentials}`.execute(connection);
  return rows.length > 0;
}

/**
 * Removes rows that newer versions replaced before `before`; cursors into those versions are stale from then on.
 * @returns the number of removed rows.
 */
export async function removeReplaced(connection: Connection, before: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ removed: number }>`
    with found as materialized (
      select ctid, ranking_id, until_version from ranks
      where until_version is not null and ended_at < ${before} order by ended_at limit ${limit}
    ), locked as materialized (
      select id from rankings where id in (select ranking_id from found) order by id for no key update skip locked
    ), removed as (
      delete from ranks where ctid = any(array(select ctid from found where ranking_id in (select id from locked)))
      returning ranking_id, until_version
    ), older as (
      update rankings r set oldest_version = greatest(r.oldest_version, e.version)
      from (select ranking_id, max(until_version) as version from removed group by ranking_id) e where r.id = e.ranking_id
    )
    select count(*)::integer as removed from removed`.execute(connection);
  return rows[0]?.removed ?? 0;
}

/**
 * Removes rows of one list that has ended, and the list itself with its last row.
 * @returns the number of removed rows, with that of the list.
 */
export function removeEnded(connection: Connection, limit: number): Promise<number> {
  return removeOne(connection, sql`ended_at is not null order by ended_at`, limit);
}

/** Ends the lists of an account that is being erased, and removes rows of one of them, as `removeEnded` does. */
export async function removeLists(
  connection: Connection,
  accountId: string,
  { limit, now }: { limit: number; now: Date },
): Promise<number> {
  await sql`
    update rankings set ended_at = ${now} where id = any(array(
      select id from rankings where account_id = ${accountId} and ended_at is null
      order by id for no key update))`.execute(connection);
  return removeOne(connection, sql`account_id = ${accountId} order by id`, limit);
}

/** @param which SQL for the condition and the order of the lists, of which the first is removed. */
async function removeOne(connection: Connection, which: RawBuilder<unknown>, limit: number): Promise<number> {
  const { rows } = await sql<{ removed: number }>`
    with ended as materialized (
      select id from rankings where ${which} limit 1 for update skip locked
    ), removed as (
      delete from ranks where ctid = any(array(
        select s.ctid from ranks s where s.ranking_id in (select id from ended) limit ${limit}))
      returning 1
    ), empty as (
      delete from rankings where id in (select id from ended) and (select count(*) from removed) < ${limit} returning 1
    )
    select ((select count(*) from removed) + (select count(*) from empty))::integer as removed`.execute(connection);
  return rows[0]?.removed ?? 0;
}

/**
 * Ends up to `limit` lists that were made before `before`; the next request makes them again.
 * @returns the number of ended lists.
 */
export async function endOldRankings(
  connection: Connection,
  { before, now, limit }: { before: Date; now: Date; limit: number },
): Promise<number> {
  const { rows } = await sql`
    update rankings set ended_at = ${now} where id = any(array(
      select id from rankings where ended_at is null and built_at < ${before} order by built_at limit ${limit}
      for no key update skip locked))
    returning 1`.execute(connection);
  return rows.length;
}

/**
 * Compares the lists of some owners with the contributors to their repositories, and ends those that differ, of which
 * none are expected. The next request makes them again.
 * @returns the owners of the ended lists.
 */
export async function endDifferentRankings(
  connection: Connection,
  ownerIds: readonly string[],
  now: Date,
): Promise<string[]> {
  const { rows: different } = await sql<{ id: string }>`
    with lists as materialized (
      select r.* from rankings r
      where r.account_id = any(${[...ownerIds]}::uuid[]) and r.ended_at is null and r.made_until is null
        and not ${isOutdatedByCredentials}
    ), shown as (
      select k.id, r.id as repository_id
      from lists k join repositories r on r.owner_id = k.account_id and (k.includes_private or not r.is_private)
        and (k.repository_id is null or k.repository_id = r.id) and ${isPresentInSql('r')}
    ), parts as (
      select s.ranking_id, s.account_id, - s.contributions as contributions
      from lists k join ranks s on s.ranking_id = k.id and s.until_version is null
      union all
      select k.id, t.account_id, ${contributionsIn(contributionKinds, 't')}
      from shown k join contributor_totals t on t.repository_id = k.repository_id
    )
    select ranking_id as id from parts group by ranking_id, account_id having sum(contributions) <> 0
    union
    select k.id from lists k
    where k.people <> (
      select count(*) from ranks s join accounts a on a.id = s.account_id
      where s.ranking_id = k.id and s.until_version is null and is_counted(a))`.execute(connection);
  if (different.length === 0) return [];
  // A statement of its own, because Citus misreads the rows of a part that locks, beside tables that are divided by repository.
  const { rows } = await sql<{ id: string }>`
    with ended as (
      update rankings set ended_at = ${now} where id = any(array(
        select id from rankings where id = any(${different.map(({ id }) => id)}::bigint[]) and ended_at is null
        order by id for no key update))
      returning account_id
    )
    select distinct account_id as id from ended order by id`.execute(connection);
  return rows.map(({ id }) => id);
}

/** SQL for the repositories of a scope. */
function shownIn({ accountId, repositoryId, includesPrivate }: Scope): RawBuilder<unknown> {
  return sql`
    select r.id from repositories r
    where r.owner_id = ${accountId} and (${includesPrivate}::boolean or not r.is_private)
      and ${isPresentInSql('r')} and (${repositoryId}::uuid is null or r.id = ${repositoryId}::uuid)`;
}

/** Returns the last ids of the parts of a list, with `people` each; the rest is the last part. Locks nothing. */
export async function findParts(connection: Connection, scope: Scope, people: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with shown as (${shownIn(scope)}), found as materialized (
      select distinct t.account_id from contributor_totals t join shown r on r.id = t.repository_id
    ), numbered as (
      select account_id as id, row_number() over (order by account_id) as place from found
    )
    select id from numbered where place % ${people}::integer = 0 order by id`.execute(connection);
  return rows.map(({ id }) => id);
}

/**
 * Makes the next part of the list of a scope; other processes may have made the ones before. Must run in a transaction that holds the
 * shared erasure lock: a list must not name a person who is erased meanwhile.
 * @param parts as `findParts` returns them.
 * @returns the list after its last part.
 */
export async function makePart(
  transaction: Connection,
  scope: Scope,
  parts: readonly string[],
  now: Date,
): Promise<Ranking | undefined> {
  // With this lock, each transaction that changes contributors has ended, and the list contains its changes, or waits,
  // and then finds the list.
  await sql`
    select pg_advisory_xact_lock(${advisoryLocks.listing}, hashtext(${scope.accountId}))`.execute(transaction);
  await sql`
    update rankings r set ended_at = ${now} where ${isOfScope(scope)} and ${isOutdatedByCredentials}`.execute(
    transaction,
  );
  const { id, version, people, madeUntil } =
    (await findStored(transaction, scope)) ?? (await begin(transaction, scope, now));
  if (madeUntil === null) return { id, version, people };
  // Both are written in the same way, so their order is that of the database.
  const until = parts.find((part) => part > madeUntil) ?? null;
  const { rows: counted } = await sql<{ added: number }>`
    with shown as (${shownIn(scope)}), summed as materialized (
      select t.account_id, sum(${contributionsIn(contributionKinds, 't')})::integer as contributions
      from contributor_totals t join shown r on r.id = t.repository_id
      where t.account_id > ${madeUntil}::uuid and ${until === null ? sql`true` : sql`t.account_id <= ${until}::uuid`}
      group by t.account_id
    ), people as materialized (
      select a.id, lower(a.name) as name_key, is_counted(a) as is_counted, s.contributions
      from summed s join accounts a on a.id = s.account_id where s.contributions > 0
    ), filled as (
      insert into ranks (ranking_id, account_id, contributions, name_key, is_counted, since_version)
      select ${id}::bigint, p.id, p.contributions, p.name_key, p.is_counted, ${version}::bigint from people p
    )
    select count(*)::integer as added from people where is_counted`.execute(transaction);
  const { rows } = await sql<Ranking>`
    update rankings r set made_until = ${until}::uuid, people = r.people + ${counted[0]?.added ?? 0}::integer
    where r.id = ${id} returning r.id, r.version, r.people`.execute(transaction);
  return until === null ? rows[0] : undefined;
}

async function findStored(transaction: Connection, scope: Scope): Promise<Stored | undefined> {
  const { rows } = await sql<Stored>`
    select r.id, r.version, r.people, r.made_until as "madeUntil" from rankings r
    where ${isOfScope(scope)}`.execute(transaction);
  return rows[0];
}

async function begin(
  transaction: Connection,
  { accountId, repositoryId, includesPrivate }: Scope,
  now: Date,
): Promise<Stored> {
  const { rows } = await sql<Stored>`
    insert into rankings (account_id, repository_id, includes_private, excluded, built_at, made_until)
    select ${accountId}::uuid, ${repositoryId}::uuid, ${includesPrivate}::boolean, array(
      select distinct r.credential_name from repositories r
      where r.owner_id = ${accountId} and ${includesPrivate}::boolean and r.deleted_at is null
        and ${isWithdrawnInSql('r')}), ${now}, ${beginning}::uuid
    returning id, version, people, made_until as "madeUntil"`.execute(transaction);
  const [begun] = rows;
  if (begun === undefined) throw new Error('a list was not begun');
  return begun;
}

import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import {
  dayInSql,
  daysOfPage,
  endOfCounted,
  type ItemPage,
  type ItemScope,
  isErasedCommit,
  isOnPage,
  isVisible,
  momentOfPlace,
  visibleInSql,
} from '../evidence/items-store.ts';
import type { Item } from '../evidence/store.ts';
import { findAddresses, isOfEveryAddress, repeatedFiles } from './store.ts';

/**
 * Commits behind the number of a language. Sums of days lead to the commits: each day of `language_days` has at least
 * one. A commit counts once, however many of its addresses belong to the person.
 */

/** The files of a language that commits change. */
export interface LanguageScope extends ItemScope {
  language: string;
}

/** A commit that changes files of a language. */
export interface LanguageItem extends Item {
  files: number;
}

/** The counter of items of languages in `rules.ts`. */
const counter = 'languages';

/** Finds a page of the commits whose files count, newest first. */
export async function findLanguageCommits(
  connection: Connection,
  scope: LanguageScope,
  page: ItemPage,
): Promise<LanguageItem[]> {
  const isAscending = page.before !== undefined;
  const order = isAscending ? sql`asc` : sql`desc`;
  const place = sql`i.moment ${order}, i.kind ${order}, i.repository_id ${order}, i.id ${order}`;
  const { rows } = await sql<LanguageItem>`
    with n as materialized (${pageDays(scope, page)}), i as (
      select c.authored_at as moment, 'commit'::text as kind, c.repository_id, encode(c.oid, 'hex') as id, c.subject,
        c.assisted, ${changedFiles(scope)} as files
      from ${commitsOfDays(scope)} where ${scope.personId === null ? sql`not ${isErasedCommit('c')}` : sql`true`}
    ), p as (
      select i.* from i where ${isOnPage(page)} order by ${place} limit ${page.limit}
    )
    select (extract(epoch from i.moment) * 1000000)::bigint as at, i.kind, i.repository_id as "repositoryId", i.id,
      ${counter}::text as counter, o.name as owner, r.name as repository, null::integer as number, i.id as oid,
      coalesce(i.subject, '') as title, false as "isCoAuthored", i.assisted as "isAssisted", i.files
    from p i join repositories r on r.id = i.repository_id join accounts o on o.id = r.owner_id
    order by ${place}`.execute(connection);
  return isAscending ? rows.toReversed() : rows;
}

/** The changed files of a language by how they are shown; together they are `total`. */
interface LanguageCounts {
  total: number;
  /** In commits that are listed. */
  itemised: number;
  /** In commits of deleted or erased authors. */
  erased: number;
  /** In private repositories that the caller may not see. */
  hidden: number;
}

/** Counts the changed files of a language, as the card shows them. */
export async function countLanguageFiles(connection: Connection, scope: LanguageScope): Promise<LanguageCounts> {
  const repeated = repeatedFiles(await findAddresses(connection, scope.personId), isDayCounted(scope));
  const { rows } = await sql<{ total: number; visible: number }>`
    with sums as (
      select d.repository_id, sum(d.files) as files from language_days d
      where ${isCounted(scope, scope.personId === null ? isOfEveryAddress : sql`true`)} group by d.repository_id
      union all select s.repository_id, s.files from (${repeated}) s where s.language = ${scope.language})
    select coalesce(sum(s.files), 0)::float8 as total,
      coalesce(sum(s.files) filter (where ${isVisible({ ...scope, countsPrivate: false })}), 0)::float8 as visible
    from sums s join repositories r on r.id = s.repository_id where ${isVisible(scope)}`.execute(connection);
  const { total, visible } = rows[0] ?? { total: 0, visible: 0 };
  const erased = await countErasedFiles(connection, scope);
  return { total, itemised: visible - erased, erased, hidden: total - visible };
}

/** Counts the files in an owner's visible commits whose author is deleted or erased. */
async function countErasedFiles(connection: Connection, scope: LanguageScope): Promise<number> {
  if (scope.personId !== null) return 0;
  const { rows } = await sql<{ files: number }>`
    with n as materialized (${toInstants(daysInSql(scope, sql`true`, hasErased))})
    select coalesce(sum(${changedFiles(scope)}), 0)::float8 as files
    from ${commitsOfDays(scope)} where ${isErasedCommit('c')}`.execute(connection);
  return rows[0]?.files ?? 0;
}

/** The condition that the row `d` of `language_days` counts, whether its repository may be seen or not. */
function isCounted(scope: LanguageScope, condition: RawBuilder<boolean>): RawBuilder<boolean> {
  const { personId, ownerId, language } = scope;
  const isOfAccount =
    personId === null
      ? sql`d.repository_id in (select r.id from repositories r where r.owner_id = ${ownerId}::uuid)`
      : sql`d.identity_id = any(${identitiesInSql(personId)})`;
  return sql`(${isOfAccount} and d.language = ${language} and ${condition} and ${isDayCounted(scope)})`;
}

/** The condition that the day `d` counts. */
function isDayCounted({ since, ...ends }: LanguageScope): RawBuilder<boolean> {
  const until = endOfCounted(ends);
  return sql<boolean>`${since === null ? sql`true` : sql`d.day >= ${dayInSql(since)}`}
    and ${until === null ? sql`true` : sql`d.day < ${dayInSql(until)}`}`;
}

/** The condition that someone who changed files on the day `d` is deleted or erased. */
const hasErased = sql<boolean>`
  bool_or(d.identity_id = any(array(select i.id from identities i where starts_with(i.email, 'erased '))))`;

/**
 * SQL for the days on which visible files of the language were changed.
 * @param isOfDay a condition about all rows of a day together.
 */
function daysInSql(
  scope: LanguageScope,
  condition: RawBuilder<boolean>,
  isOfDay: RawBuilder<boolean>,
): RawBuilder<unknown> {
  return sql`
    select d.repository_id, d.day from language_days d
    where ${isCounted(scope, condition)} and d.repository_id in (${visibleInSql({ ...scope, countsPrivate: false })})
    group by d.repository_id, d.day having ${isOfDay}`;
}

/**
 * SQL for the days whose commits fill a page. Of an owner, days with a commit of an erased person are all read, because
 * they may have no commit that is listed.
 */
function pageDays(scope: LanguageScope, { limit, after, before }: ItemPage): RawBuilder<unknown> {
  const place = after ?? before;
  const isAscending = before !== undefined;
  const cursor = place === undefined ? null : momentOfPlace(place);
  const isWithinPage =
    cursor === null ? sql`true` : isAscending ? sql`d.day >= ${dayInSql(cursor)}` : sql`d.day <= ${dayInSql(cursor)}`;
  const days = (isOfDay: RawBuilder<boolean>) => (condition: RawBuilder<boolean>) =>
    daysInSql(scope, sql<boolean>`${condition} and ${isWithinPage}`, isOfDay);
  const page = { isAscending, partialDay: cursor };
  if (scope.personId !== null) return toInstants(daysOfPage(days(sql`true`), limit, page));
  return toInstants(
    sql`${daysOfPage(days(sql`not ${hasErased}`), limit, page)} union all ${days(hasErased)(sql`true`)}`,
  );
}

function toInstants(days: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select e.repository_id, e.day::timestamp at time zone 'UTC' as begins,
      (e.day + 1)::timestamp at time zone 'UTC' as ends
    from (${days}) e`;
}

/** SQL for the commits `c` of the days `n` that change files of the language. */
function commitsOfDays({ personId, language }: LanguageScope): RawBuilder<unknown> {
  const isOfPerson = personId === null ? sql`true` : sql`c.identity_ids && ${identitiesInSql(personId)}`;
  return sql`n cross join lateral (
    select c.* from commits c
    where c.repository_id = n.repository_id and c.authored_at >= n.begins and c.authored_at < n.ends
      and c.languages ->> ${language} is not null and ${isOfPerson}) c`;
}

/** SQL for the number of files of the language that the commit `c` changes. */
function changedFiles({ language }: LanguageScope): RawBuilder<number> {
  return sql<number>`(c.languages ->> ${language})::integer`;
}

/** The addresses of a person, which may be none. */
function identitiesInSql(accountId: string): RawBuilder<number[]> {
  return sql`array(select i.id from identities i where i.account_id = ${accountId}::uuid)`;
}

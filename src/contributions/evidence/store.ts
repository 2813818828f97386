import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { pointRead } from '../../database/reads/point-reads.ts';
import { contributionKinds, itemised, type StoredCounter } from '../../model/kinds.ts';
import { counts } from '../totals/column-store.ts';
import { commitsOfPerson, momentInSql } from '../windows/counted-window-store.ts';
import { isWanted } from './filter-store.ts';
import {
  endOfCounted,
  type ItemPage,
  type ItemPlace,
  type ItemScope,
  isErasedCommit,
  isOnPage,
  isVisible,
  isWithin,
  itemsInSql,
  personInSql,
  visibleInSql,
} from './items-store.ts';

/** Single items behind numbers, newest first. */

/** An item that counts. */
export interface Item extends ItemPlace {
  counter: string;
  owner: string;
  repository: string;
  number: number | null;
  /** The subject of a commit; empty where it is not stored. */
  title: string;
  /** Hexadecimal; of commits alone. */
  oid: string | null;
  /** True for a commit that names the person as co-author alone. */
  isCoAuthored: boolean;
  /** True for a commit that a program helped to write; null: not known. */
  isAssisted: boolean | null;
}

/**
 * SQL for the number and the title of the item `i`. A review has those of its pull request, which the common table
 * expression `p` finds; lists without reviews leave it out.
 */
const withParents = {
  part: sql`, p as (
    select distinct p.repository_id, p.external_id, p.number, p.title
    from i join contributions p on p.repository_id = i.repository_id and p.external_id = i.parent
    where p.kind = 'pull_request')`,
  number: sql`coalesce(i.number, p.number)`,
  title: sql`coalesce(i.title, p.title, '')`,
  join: sql`left join p on p.repository_id = i.repository_id and p.external_id = i.parent`,
};
const withoutParents = { part: sql``, number: sql`i.number`, title: sql`coalesce(i.title, '')`, join: sql`` };

/** Finds a page of the visible items of some counters, newest first: after one cursor, or right before another. */
export async function findItems(
  connection: Connection,
  scope: ItemScope,
  counters: readonly StoredCounter[],
  page: { limit: number; after?: ItemPlace | undefined; before?: ItemPlace | undefined },
): Promise<Item[]> {
  const size = preparedSize(scope, counters, page);
  const { rows } = await pageInSql(scope, counters, { ...page, size }).execute(connection);
  return page.before === undefined ? rows : rows.toReversed();
}

/** The sizes of the default page and of the largest one, each with the item that shows whether another page follows. */
const pageSizes = [31, 101];

/**
 * Returns the size of the prepared statement for a page of all items of one counter of a person; undefined: there is none. Its plan
 * fits persons with few items and with many, because it reads the first ones in the order of an index: of items by the
 * moment at which they were created, of commits by days. Between bounds of time, PostgreSQL plans better with the values.
 */
function preparedSize(
  scope: ItemScope,
  [counter, ...others]: readonly StoredCounter[],
  { limit }: { limit: number },
): number | undefined {
  const isInOrderOfIndex = counter?.kind !== 'star' && counter?.at === undefined && counter?.person === undefined;
  const isOfOne = counter !== undefined && others.length === 0 && scope.personId !== null;
  return isOfOne && isInOrderOfIndex && hasNoBounds(scope) ? pageSizes.find((atLeast) => limit <= atLeast) : undefined;
}

/** Returns whether a scope has no more than a person and the owner whose private items are visible. */
function hasNoBounds(scope: ItemScope): boolean {
  const { ownerId, repositoryId, repositories, countsPrivate, filter, former, since, until, countedUntil } = scope;
  const bounds = [ownerId, repositoryId, repositories, countsPrivate, filter, former, since, until, countedUntil];
  return bounds.every((bound) => bound === null || bound === undefined);
}

/** Returns SQL for a page of the visible items of some counters, with the names of the repositories of its items. */
function pageInSql(scope: ItemScope, counters: readonly StoredCounter[], page: ItemPage): RawBuilder<Item> {
  const order = orderInSql(page);
  const ofEach = counters.map(
    (counter) => sql`(
      select i.* from (${itemsInSql(scope, counter, page)}) i where ${isOnPage(page)} ${firstInSql(scope, counter, page)})`,
  );
  const shown = counters.some(({ kind }) => kind === 'review') ? withParents : withoutParents;
  return sql<Item>`
    with ${page.size === undefined ? sql`` : pointRead} i as (${sql.join(ofEach, sql` union all `)})${shown.part}
    select (extract(epoch from i.moment) * 1000000)::bigint as at, i.kind, i.repository_id as "repositoryId", i.id,
      i.counter, o.name as owner, r.name as repository, ${shown.number} as number, i.oid, ${shown.title} as title,
      i.is_co_authored as "isCoAuthored", i.assisted as "isAssisted"
    from i join repositories r on r.id = i.repository_id join accounts o on o.id = r.owner_id ${shown.join}
    order by i.moment ${order}, i.kind ${order}, i.repository_id ${order}, i.id ${order} limit ${page.limit}`;
}

/**
 * Returns SQL that leaves the first items of a list to a page. Those of a person are in the order of an index alone, and all of
 * the last moment follow: with more columns in the order, PostgreSQL would read and sort all of them where it expects few.
 */
function firstInSql({ personId }: ItemScope, { kind }: StoredCounter, page: ItemPage): RawBuilder<unknown> {
  const { limit, size } = page;
  const order = orderInSql(page);
  return personId === null || kind === 'commit'
    ? sql`order by i.moment ${order}, i.repository_id ${order}, i.id ${order} limit ${size === undefined ? limit : sql.lit(size)}`
    : sql`order by i.moment ${order} fetch first (${limit}::integer) rows with ties`;
}

function orderInSql({ before }: Pick<ItemPage, 'before'>): RawBuilder<unknown> {
  return before === undefined ? sql`desc` : sql`asc`;
}

/** Counts the items that `findItems` lists. */
export async function countItems(
  connection: Connection,
  scope: ItemScope,
  counters: readonly StoredCounter[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select sum(n)::integer as count from (${countsInSql(scope, counters)}) c`.execute(connection);
  return rows[0]?.count ?? 0;
}

/** Counts the items of each counter, by its name. */
export async function countItemsOfEach(
  connection: Connection,
  scope: ItemScope,
  counters: readonly StoredCounter[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ counter: string; count: number }>`
    select counter, sum(n)::integer as count from (${countsInSql(scope, counters)}) c
    group by counter`.execute(connection);
  return new Map(rows.map(({ counter, count }) => [counter, count]));
}

function countsInSql(scope: ItemScope, counters: readonly StoredCounter[]): RawBuilder<unknown> {
  const ofEach = counters.map((counter) =>
    scope.personId !== null && counter.kind === 'commit' && scope.filter === undefined
      ? sql`
        (with p as (${commitsOfPerson(scope.personId, { since: scope.since, until: endOfCounted(scope) })})
        select ${counter.name}::text as counter, p.n from p join repositories r on r.id = p.repository_id
        where ${isVisible(scope)})`
      : sql`select ${counter.name}::text as counter, count(*) as n from (${itemsInSql(scope, counter)}) i`,
  );
  return sql.join(ofEach, sql` union all `);
}

/** Counts the items of an owner's repositories whose person is deleted or erased; they count, and are not listed. */
export async function countErased(connection: Connection, scope: ItemScope, counter: StoredCounter): Promise<number> {
  if (scope.personId !== null || counter.kind === 'star') return 0;
  const isErased =
    counter.kind === 'commit' ? isErasedCommit('c') : sql`${personInSql(counter)} is null and ${counts(counter)}`;
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count
    from ${sql.table(counter.kind === 'commit' ? 'commits' : 'contributions')} c
    where ${isErased} and ${isWithin(momentInSql(counter), scope)} and ${isWanted(scope, counter)}
      and c.repository_id in (${visibleInSql(scope)})`.execute(connection);
  return rows[0]?.count ?? 0;
}

/** The counters whose items make up a contributor's number. */
export const countersOfContributors = itemised.filter(
  ({ isContribution, kind }) => isContribution === true && contributionKinds.some((known) => known === kind),
);

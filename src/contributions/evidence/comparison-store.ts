import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import type { StoredCounter } from '../../model/kinds.ts';
import { changesKeptMs, manyChanges } from '../totals/change-log-store.ts';
import { isAmong } from './filter-store.ts';
import {
  countsAsFork,
  type ItemPage,
  type ItemScope,
  isErasedCommit,
  isOnPage,
  isVisible,
  isWithin,
  itemsInSql,
  starIdInSql,
} from './items-store.ts';
import { contributing, repositoriesInSql } from './repository-store.ts';
import type { Item } from './store.ts';

/** Compares a number with a former moment: the items that were added to it and removed from it since. */

/**
 * Reasons of additions. `new`: the item happened since the former moment. `late`: it happened before, and is known or
 * visible since. `window`: it is in the present window, and was not in the former one.
 */
export const additionReasons = ['new', 'late', 'window'] as const;
/**
 * Reasons of removals. `window`: the item is not in the present window. `deleted`: its host does not list it any more.
 * `not-default-branch`: the commit left the default branch. `changed`: the item is stored, and does not count any more.
 */
export const removalReasons = ['window', 'deleted', 'not-default-branch', 'changed'] as const;
/**
 * Reasons of items that are counted and not listed: their repository does not count any more or is private, or the
 * person's account is deleted or erased.
 */
const unlistedReasons = ['not-visible', 'private', 'erased-account'] as const;
type AnyReason = typeof additionReasons | typeof removalReasons | typeof unlistedReasons;
type ChangeReason = AnyReason[number];

/** An item that was added to a number or removed from it. */
export interface ChangedItem extends Item {
  change: 'added' | 'removed';
  reason: ChangeReason;
}

/** The former moment with which a number is compared. */
export interface FormerScope {
  /** Bounds of the former window. */
  since: Date | null;
  until: Date | null;
  countedUntil?: Date | undefined;
  at: Date;
}

/** The numbers of added and removed items by reason; also of items that are not listed, such as private ones. */
interface ChangeCounts {
  added: Partial<Record<ChangeReason, number>>;
  removed: Partial<Record<ChangeReason, number>>;
  /** False when the log lacks items, because more were removed at once than it records. */
  isComplete: boolean;
}

/** Returns the earliest moment with which a number can be compared. */
export async function findComparableSince(connection: Connection, now: Date): Promise<Date> {
  const { rows } = await sql<{ since: Date }>`select max(since) as since from changes_kept`.execute(connection);
  return new Date(Math.max(rows[0]?.since.getTime() ?? 0, now.getTime() - changesKeptMs));
}

/**
 * Finds a page of the added and removed items, newest first, and counts all of them.
 * @param counters null: compares the repositories with a contribution.
 */
export async function findChanges(
  connection: Connection,
  itemScope: ItemScope,
  counters: readonly StoredCounter[] | null,
  { former, page }: { former: FormerScope; page: ItemPage },
): Promise<ChangeCounts & { items: ChangedItem[] }> {
  const scope = { ...itemScope, withErased: true };
  const order = page.before === undefined ? sql`desc` : sql`asc`;
  const place = sql`i.moment ${order}, i.kind ${order}, i.repository_id ${order}, i.id ${order}`;
  const { rows } = await sql<{ counts: CountRow[] | null; items: ChangedItem[] | null; is_complete: boolean }>`
    with ${partsInSql(scope, counters, former)},
    compared as materialized (
      select coalesce(n.moment, t.moment) as moment, coalesce(n.kind, t.kind) as kind,
        coalesce(n.repository_id, t.repository_id) as repository_id, coalesce(n.id, t.id) as id, coalesce(n.counter, t.counter) as counter,
        coalesce(n.number, t.number) as number, coalesce(n.title, t.title) as title, coalesce(n.oid, t.oid) as oid,
        coalesce(n.parent, t.parent) as parent, coalesce(n.is_co_authored, t.is_co_authored) as is_co_authored,
        coalesce(n.assisted, t.assisted) as assisted, t.id is null as is_added, t.is_logged
      from present n full join earlier t on n.repository_id = t.repository_id and n.id = t.id and n.kind = t.kind
      where n.id is null or t.id is null
    ), ${foundInSql}, i as materialized (
      select c.*, ${reasonInSql(scope, former)} as reason from compared c join repositories r on r.id = c.repository_id
    ), page as materialized (
      select i.* from i where i.reason <> all(${[...unlistedReasons]}::text[]) and ${isOnPage(page)}
      order by ${place} limit ${page.limit}
    ), p as (
      select distinct p.repository_id, p.external_id, p.number, p.title
      from page i join contributions p on p.repository_id = i.repository_id and p.external_id = i.parent
      where p.kind = 'pull_request'
    ), shown as (
      select case when i.is_added then 'added' else 'removed' end as change, i.reason,
        (extract(epoch from i.moment) * 1000000)::bigint as at, i.kind, i.repository_id as "repositoryId", i.id, i.counter,
        o.name as owner, r.name as repository, coalesce(i.number, p.number) as number, i.oid,
        coalesce(i.title, p.title, '') as title, i.is_co_authored as "isCoAuthored", i.assisted as "isAssisted"
      from page i join repositories r on r.id = i.repository_id join accounts o on o.id = r.owner_id
        left join p on p.repository_id = i.repository_id and p.external_id = i.parent
      order by ${place})
    select (select json_agg(s) from shown s) as items,
      (select json_agg(g) from (
        select is_added as "isAdded", reason, count(*) as count from i group by is_added, reason) g) as counts,
      not exists (
        select 1 from counted_changes l join repositories r on r.id = l.repository_id
        where l.counter = ${manyChanges} and l.changed_at > ${former.at} and (${isVisible(scope)} or ${wasCounted(scope)}))
          as is_complete`.execute(connection);
  const [row] = rows;
  const items = row?.items ?? [];
  const toCounts = (isAdded: boolean): ChangeCounts['added'] =>
    Object.fromEntries(
      (row?.counts ?? []).flatMap((part) => (part.isAdded === isAdded ? [[part.reason, part.count]] : [])),
    );
  return {
    items: page.before === undefined ? items : items.toReversed(),
    added: toCounts(true),
    removed: toCounts(false),
    isComplete: row?.is_complete ?? true,
  };
}

interface CountRow {
  isAdded: boolean;
  reason: ChangeReason;
  count: number;
}

/** Common table expressions: `present` and `earlier`, the items now and at the former moment. */
function partsInSql(
  scope: ItemScope,
  counters: readonly StoredCounter[] | null,
  former: FormerScope,
): RawBuilder<unknown> {
  const { since, until, countedUntil, at } = former;
  const wanted = counters ?? contributing;
  const isCounted = wasCounted(scope);
  const then: ItemScope = { ...scope, since, until, countedUntil, former: { at, isCounted } };
  const kept = wanted.map(
    (counter) => sql`
      select i.*, false as is_logged from (${itemsInSql(then, counter)}) i
      where not exists (
        select from logged l
        where l.repository_id = i.repository_id and l.counter = i.counter and l.key = i.id)`,
  );
  const items = sql`
    ${sql.join(kept, sql` union all `)}
    union all
    select case when l.kind = 'star' then date_trunc('day', l.at, 'UTC') else l.at end, l.kind, l.repository_id, l.key, l.counter,
      l.number, null::text, case when l.kind = 'commit' then l.external_id end, l.is_co_authored, null::text, null::boolean, true
    from logged l join repositories r on r.id = l.repository_id
    where not l.is_added and l.stored_at <= ${at} and ${isWithin(sql`l.at`, former)} and ${isCounted}`;
  return sql`
    former as materialized (
      select distinct on (repository_id) * from former_repositories where until > ${at} order by repository_id, until
    ), logged as materialized (
      select distinct on (repository_id, kind, external_id, counter) c.*,
        case when c.kind = 'star' then ${starIdInSql(scope)} else c.external_id end as key
      from counted_changes c where c.changed_at > ${at} and c.counter = any(${wanted.map(({ name }) => name)}::text[])
        and ${isOfScope(scope)}
      order by repository_id, kind, external_id, counter, changed_at, is_added
    ), earlier as materialized (${counters === null ? groupByRepository(items) : items}),
    present as materialized (${
      counters === null
        ? sql`select ${noItem} from (${repositoriesInSql(scope)}) i`
        : sql.join(
            wanted.map((counter) => sql`(${itemsInSql(scope, counter)})`),
            sql` union all `,
          )
    })`;
}

const noItem = sql`i.moment, i.kind, i.repository_id, i.id, 'contributed_to'::text as counter, null::integer as number,
  null::text as title, null::text as oid, false as is_co_authored, null::text as parent, null::boolean as assisted`;

function groupByRepository(items: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select ${noItem}, false as is_logged from (
      select max(e.moment) as moment, 'repository'::text as kind, e.repository_id, e.repository_id::text as id
      from (${items}) e group by e.repository_id) i`;
}

/** The condition that the logged change `c` is about the person, or about a repository that the owner has or had. */
function isOfScope({ personId, ownerId }: ItemScope): RawBuilder<boolean> {
  if (personId !== null) return sql`c.account_id = ${personId}::uuid`;
  return sql`c.repository_id in (
    select id from repositories where owner_id = ${ownerId}::uuid
    union select repository_id from former where owner_id = ${ownerId}::uuid)`;
}

/** The condition that the repository `r` counted at the former moment. */
function wasCounted(scope: ItemScope): RawBuilder<boolean> {
  const { ownerId, seesPrivateOf, countsPrivate } = scope;
  return sql`case when exists (select from former f where f.repository_id = r.id) then exists (
    select from former f where f.repository_id = r.id and not f.is_deleted
      and (${countsPrivate === true}::boolean or not f.is_private or f.owner_id = ${seesPrivateOf}::uuid)
      and (${ownerId}::uuid is null or f.owner_id = ${ownerId}::uuid)
      and ${countsAsFork(scope)} and ${isAmong(scope)})
    else ${isVisible(scope)} end`;
}

/** Common table expressions: the items in `compared` that are stored, and the commits of erased persons among them. */
const foundInSql = sql`
  stored as materialized (
    select distinct k.repository_id, k.kind, k.external_id as id, k.kind <> 'star'
      and case when c.counter = 'discussions_answered' then k.answered_by else k.account_id end is null as is_erased
    from compared c
    join contributions k on k.repository_id = c.repository_id and k.kind = c.kind and k.external_id = c.id
    where c.kind not in ('commit', 'repository')
  ), erased as materialized (
    select c.repository_id, c.kind, c.id from compared c
    join commits d on d.repository_id = c.repository_id and d.oid = decode(c.oid, 'hex')
    where c.kind = 'commit' and ${isErasedCommit('d')}
  )`;

/** The condition that the compared item `c` is among the rows of `stored` or `erased`. */
function isIn(found: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(c.repository_id, c.kind, c.id) in (select f.repository_id, f.kind, f.id from ${found})`;
}

/** SQL for the reason why the compared item `c` of the repository `r` was added or removed. */
function reasonInSql(scope: ItemScope, former: FormerScope): RawBuilder<ChangeReason> {
  return sql`case
    when ${isVisible(scope)} is not true then 'not-visible'
    when ${isVisible({ ...scope, countsPrivate: false })} is not true then 'private'
    when ${isIn(sql`erased f`)} or ${isIn(sql`stored f where f.is_erased`)} then 'erased-account'
    when c.is_added then case
      when c.moment >= ${former.at} then 'new' when not ${isWithin(sql`c.moment`, former)} then 'window' else 'late' end
    when not c.is_logged and not ${isWithin(sql`c.moment`, scope)} then 'window'
    when c.kind = 'commit' then 'not-default-branch'
    when c.kind = 'repository' or ${isIn(sql`stored f`)} then 'changed'
    else 'deleted' end`;
}

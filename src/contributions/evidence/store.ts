import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connection.ts';
import { isPresentInSql } from '../../repositories/shown-store.ts';
import { counts } from '../column-store.ts';
import { contributionKinds, itemised, type StoredCounter } from '../kinds.ts';
import { commitsOfDay, commitsOfPerson, identitiesOf, momentOf } from '../window-store.ts';
import { type ItemFilter, isWanted } from './filter-store.ts';

/** Single items behind numbers, newest first. Each kind of items is read by the index of its person or repository. */

/** The items behind a number. */
export interface ItemScope {
  /** The person whose items count; null: all items of the owner's repositories. */
  personId: string | null;
  /** The owner whose repositories alone count; null: all stored repositories. */
  ownerId: string | null;
  repositoryId: string | null;
  /** The owner whose private repositories are visible; null: private items are not visible. */
  seesPrivateOf: string | null;
  /** True: all private repositories count, as in numbers that their owners publish. */
  countsPrivate?: boolean;
  filter?: ItemFilter | undefined;
  /** Puts stars of one day into an order that does not show whose they are; needed for their pages alone. */
  starKey?: Buffer | undefined;
  since: Date | null;
  until: Date | null;
  former?: Former;
  /** True: the items of an owner's repositories whose person is deleted or erased are among them. */
  withErased?: boolean;
}

/** Has the items of a former moment read, as far as they are still stored. */
export interface Former {
  at: Date;
  /** The condition that the repository `r` counted then. */
  isCounted: RawBuilder<boolean>;
}

/** A place in a list of items. */
export interface ItemPlace {
  /** The moment in microseconds since 1970. */
  at: number;
  kind: string;
  repositoryId: string;
  /** The id of the item among those of its kind and repository; for a star an HMAC of it, because it names a person. */
  id: string;
}

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

export interface ItemPage {
  limit: number;
  after?: ItemPlace | undefined;
  before?: ItemPlace | undefined;
}

/** The number and the title of the item `i`: of a review those of its pull request. Other lists do without that join. */
const withParents = {
  number: sql`coalesce(i.number, p.number)`,
  title: sql`coalesce(i.title, p.title, '')`,
  join: sql`left join contributions p
    on p.repository_id = i.repository_id and p.kind = 'pull_request' and p.external_id = i.parent`,
};
const withoutParents = { number: sql`i.number`, title: sql`coalesce(i.title, '')`, join: sql`` };

/** Finds a page of the visible items of some counters, newest first: after a place, or right before one. */
export async function findItems(
  connection: Connection,
  scope: ItemScope,
  counters: readonly StoredCounter[],
  page: ItemPage,
): Promise<Item[]> {
  const order = page.before === undefined ? sql`desc` : sql`asc`;
  const ofEach = counters.map(
    (counter) => sql`(
      select i.* from (${itemsOf(scope, counter, page)}) i where ${isOnPage(page)}
      order by i.moment ${order}, i.repository_id ${order}, i.id ${order} limit ${page.limit})`,
  );
  const shown = counters.some(({ kind }) => kind === 'review') ? withParents : withoutParents;
  const { rows } = await sql<Item>`
    select (extract(epoch from i.moment) * 1000000)::bigint as at, i.kind, i.repository_id as "repositoryId", i.id,
      i.counter, o.name as owner, r.name as repository, ${shown.number} as number, i.oid, ${shown.title} as title,
      i.is_co_authored as "isCoAuthored", i.assisted as "isAssisted"
    from (${sql.join(ofEach, sql` union all `)}) i
      join repositories r on r.id = i.repository_id join accounts o on o.id = r.owner_id ${shown.join}
    order by i.moment ${order}, i.kind ${order}, i.repository_id ${order}, i.id ${order}
    limit ${page.limit}`.execute(connection);
  return page.before === undefined ? rows : rows.toReversed();
}

/** Counts the items that `findItems` lists. */
export async function countItems(
  connection: Connection,
  scope: ItemScope,
  counters: readonly StoredCounter[],
): Promise<number> {
  const ofEach = counters.map((counter) =>
    scope.personId !== null && counter.kind === 'commit' && scope.filter === undefined
      ? sql`
        select p.n from (${commitsOfPerson(scope.personId, scope)}) p join repositories r on r.id = p.repository_id
        where ${isVisible(scope)}`
      : sql`select count(*) as n from (${itemsOf(scope, counter)}) i`,
  );
  const { rows } = await sql<{ count: number }>`
    select sum(n)::integer as count from (${sql.join(ofEach, sql` union all `)}) c`.execute(connection);
  return rows[0]?.count ?? 0;
}

/** The condition that the item `i` is on the page. */
export function isOnPage({ after, before }: Pick<ItemPage, 'after' | 'before'>): RawBuilder<boolean> {
  const place = after ?? before;
  if (place === undefined) return sql`true`;
  const moment = sql`('epoch'::timestamptz + ${place.at}::bigint * interval '1 microsecond')`;
  const row = sql`(${moment}, ${place.kind}::text, ${place.repositoryId}::uuid, ${place.id}::text)`;
  return after === undefined
    ? sql`i.moment >= ${moment} and (i.moment, i.kind, i.repository_id, i.id) > ${row}`
    : sql`i.moment <= ${moment} and (i.moment, i.kind, i.repository_id, i.id) < ${row}`;
}

/** The condition that an item at this moment is in the window. */
export function isWithin(
  moment: RawBuilder<unknown>,
  { since, until }: Pick<ItemScope, 'since' | 'until'>,
): RawBuilder<boolean> {
  return sql`(${since === null ? sql`true` : sql`${moment} >= ${since}`}
    and ${until === null ? sql`true` : sql`${moment} < ${until}`})`;
}

/** The condition that the repository `r` counts, and that its items may be seen. */
export function isVisible(scope: ItemScope): RawBuilder<boolean> {
  const { ownerId, repositoryId, seesPrivateOf, countsPrivate, former } = scope;
  return former !== undefined
    ? former.isCounted
    : sql`(
    (${countsPrivate === true}::boolean or not r.is_private or r.owner_id = ${seesPrivateOf}::uuid) and ${isPresentInSql('r')}
    and ${ownerId === null ? sql`true` : sql`r.owner_id = ${ownerId}::uuid`}
    and ${repositoryId === null ? sql`true` : sql`r.id = ${repositoryId}::uuid`})`;
}

/** The condition that the item `c` was stored at the former moment. */
function wasStored({ former }: ItemScope): RawBuilder<boolean> {
  return former === undefined ? sql`true` : sql`c.stored_at <= ${former.at}`;
}

/** The items of one counter. With a page, it may leave out items that are not on it. */
export function itemsOf(scope: ItemScope, counter: StoredCounter, page?: ItemPage): RawBuilder<unknown> {
  const items = counter.kind === 'commit' ? commitsOf(scope, counter, page) : contributionsOf(scope, counter);
  if (scope.personId !== null) return items;
  if (page === undefined)
    return sql`select i.* from repositories r cross join lateral (${items}) i where ${isVisible(scope)}`;
  // Each repository gives its first items by an index, instead of all that are sorted then.
  const order = page.before === undefined ? sql`desc` : sql`asc`;
  return sql`
    select l.* from repositories r cross join lateral (
      select i.* from (${items}) i where ${isOnPage(page)}
      order by i.moment ${order}, i.id ${order} limit ${page.limit}) l
    where ${isVisible(scope)}`;
}

/** Contributions of a person, or those of the repository `r`. */
function contributionsOf(scope: ItemScope, counter: StoredCounter): RawBuilder<unknown> {
  const isStar = counter.kind === 'star';
  // A star shows its day alone, and nothing that names the person.
  const moment = isStar ? sql`date_trunc('day', c.created_at, 'UTC')` : momentOf(counter);
  const columns = sql`
    ${moment} as moment, c.kind, c.repository_id, ${isStar ? starIdOf(scope) : sql`c.external_id`} as id,
    ${counter.name}::text as counter, ${isStar ? sql`null::integer` : sql`c.number`} as number,
    ${isStar ? sql`null::text` : sql`c.title`} as title, null::text as oid, false as is_co_authored,
    case when c.kind = 'review' then c.parent_external_id end as parent, null::boolean as assisted`;
  const isCounted = sql`
    ${counts(counter)} and ${momentOf(counter)} is not null and ${isWithin(momentOf(counter), scope)}
    and ${isWanted(scope, counter)} and ${wasStored(scope)}`;
  if (scope.personId === null) {
    const isPersons = scope.withErased === true ? sql`true` : sql`c.account_id is not null`;
    const isTheirs = isStar ? sql`not r.is_fork` : isPersons;
    return sql`select ${columns} from contributions c where c.repository_id = r.id and ${isTheirs} and ${isCounted}`;
  }
  return sql`
    select ${columns} from contributions c join repositories r on r.id = c.repository_id
    where ${sql.ref(`c.${counter.person ?? 'account_id'}`)} = ${scope.personId}::uuid and ${isCounted}
      and ${isVisible(scope)}`;
}

/** The id of the star `c` by the construction of HMAC with a key that fills a block; null without a key, for counts. */
export function starIdOf({ starKey }: ItemScope): RawBuilder<unknown> {
  if (starKey === undefined) return sql`null::text`;
  const [inner, outer] = [0x36, 0x5c].map((pad) => Buffer.alloc(64, starKey).map((byte) => byte ^ pad));
  return sql`encode(sha256(${outer}::bytea || sha256(${inner}::bytea || convert_to(c.repository_id || ' ' || c.external_id, 'UTF8'))), 'hex')`;
}

/** Commits of a person, by the days on which there are any, or those of the repository `r`. */
function commitsOf(scope: ItemScope, counter: StoredCounter, page: ItemPage | undefined): RawBuilder<unknown> {
  const { personId } = scope;
  const isCoAuthored = personId === null ? sql`false` : sql`not c.identity_ids[1:1] && ${identitiesOf(personId)}`;
  const columns = sql`
    c.authored_at as moment, 'commit'::text as kind, c.repository_id, encode(c.oid, 'hex') as id,
    ${counter.name}::text as counter, null::integer as number, c.subject as title, encode(c.oid, 'hex') as oid,
    ${isCoAuthored} as is_co_authored, null::text as parent, c.assisted`;
  const isCounted = sql`${isWithin(sql`c.authored_at`, scope)} and ${isWanted(scope, counter)} and ${wasStored(scope)}`;
  if (personId === null) {
    const isPersons = scope.withErased === true ? sql`true` : sql`not ${isErasedCommit}`;
    return sql`
      select ${columns} from commits c where c.repository_id = r.id and ${isCounted} and ${isPersons}`;
  }
  return sql`
    select ${columns}
    from (${daysOfCommits(personId, scope, page)}) d cross join lateral ${commitsOfDay(personId)} c
    where ${isCounted}`;
}

/** The days (UTC) on which a person has commits; with a page, as many of them as it can need. */
function daysOfCommits(personId: string, scope: ItemScope, page: ItemPage | undefined): RawBuilder<unknown> {
  const { since, until } = scope;
  const isAscending = page?.before !== undefined;
  const place = page?.after ?? page?.before;
  const cursor = place === undefined ? null : new Date(place.at / 1000);
  const [first, last] = isAscending ? [cursor ?? since, until] : [since, cursor ?? until];
  const days = (condition: RawBuilder<boolean>) => sql`
    select d.repository_id, d.day from contribution_days d join repositories r on r.id = d.repository_id
    where d.account_id = ${personId}::uuid and d.commits > 0 and ${isVisible(scope)} and ${condition}
      and ${first === null ? sql`true` : sql`d.day >= ${dayOf(first)}`}
      and ${last === null ? sql`true` : sql`d.day <= ${dayOf(last)}`}`;
  return sql`
    select n.repository_id, n.day::timestamp at time zone 'UTC' as begins,
      (n.day + 1)::timestamp at time zone 'UTC' as ends
    from (${
      // Commits that the filter leaves out do not fill a page.
      page === undefined || scope.filter !== undefined
        ? days(sql`true`)
        : daysOfPage(days, page.limit, { isAscending, divided: isAscending ? first : last })
    }) n`;
}

/**
 * As many days as a page can need: each has a commit at least.
 * @param days the days that meet a condition about `d.day`.
 * @param divided a moment on the first day of the page: the cursor or the window may divide it, so that its commits are not
 *   relied upon.
 */
function daysOfPage(
  days: (condition: RawBuilder<boolean>) => RawBuilder<unknown>,
  limit: number,
  { isAscending, divided }: { isAscending: boolean; divided: Date | null },
): RawBuilder<unknown> {
  const first = (condition: RawBuilder<boolean>) => sql`
    (${days(condition)} order by d.day ${isAscending ? sql`asc` : sql`desc`} fetch first (${limit}::integer) rows with ties)`;
  if (divided === null) return first(sql`true`);
  return sql`
    ${first(sql`d.day <> ${dayOf(divided)}`)} union all ${days(sql`d.day = ${dayOf(divided)}`)}`;
}

function dayOf(at: Date): RawBuilder<string> {
  return sql`(${at}::timestamptz at time zone 'UTC')::date`;
}

/** The condition that the commit `c` was authored by an address that is erased. */
export const isErasedCommit = sql<boolean>`exists (
  select from identities i where i.id = c.identity_ids[1] and starts_with(i.email, 'erased '))`;

/** Counts the items of an owner's repositories whose person is deleted or erased; they count, and are not listed. */
export async function countErased(connection: Connection, scope: ItemScope, counter: StoredCounter): Promise<number> {
  if (scope.personId !== null || counter.kind === 'star') return 0;
  const isErased = counter.kind === 'commit' ? isErasedCommit : sql`c.account_id is null and ${counts(counter)}`;
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count
    from ${sql.table(counter.kind === 'commit' ? 'commits' : 'contributions')} c
      join repositories r on r.id = c.repository_id
    where ${isErased} and ${isWithin(momentOf(counter), scope)} and ${isWanted(scope, counter)}
      and ${isVisible(scope)}`.execute(connection);
  return rows[0]?.count ?? 0;
}

/** The counters whose items make up a contributor's number. */
export const countersOfContributors = itemised.filter(
  ({ isContribution, kind }) => isContribution === true && contributionKinds.some((one) => one === kind),
);

import { type RawBuilder, sql } from 'kysely';
import { isPresentInSql } from '../../accounts/repositories/present-store.ts';
import type { StoredCounter } from '../../model/kinds.ts';
import { counts } from '../totals/column-store.ts';
import { commitsOfDay, identitiesInSql, momentInSql } from '../windows/counted-window-store.ts';
import { type ItemFilter, isAmong, isWanted, type NarrowedRepositories } from './filter-store.ts';

/** SQL for the items of one counter. Each kind of items is read by the index of its person or repository. */

/** The items behind a number. */
export interface ItemScope {
  /** The person whose items count; null: all items of the owner's repositories. */
  personId: string | null;
  /** The owner whose repositories alone count; null: all stored repositories. */
  ownerId: string | null;
  repositoryId: string | null;
  /** Absent: the repositories are not narrowed further. */
  repositories?: NarrowedRepositories | undefined;
  /** The owner whose private repositories are visible; null: private items are not visible. */
  seesPrivateOf: string | null;
  /** True: all private repositories count, as in numbers that their owners publish. */
  countsPrivate?: boolean;
  filter?: ItemFilter | undefined;
  /**
   * Makes the ids of stars, which order those of one day without revealing their accounts. Absent where items are only
   * counted.
   */
  starKey?: Buffer | undefined;
  since: Date | null;
  until: Date | null;
  /** The end of what counts, see `countedUntil`. Absent: of a lifetime, which hosts count with later dates. */
  countedUntil?: Date | undefined;
  former?: Former;
  /** True: the items in forks alone, which do not count for a person. */
  inForks?: true;
  /** True: the items of an owner's repositories whose person is deleted or erased are among them. */
  withErased?: boolean;
}

/** A former moment whose items are read. Items that were removed since are not found. */
interface Former {
  at: Date;
  /**
   * The condition that the repository `r` counted then, and that its items may be seen; it replaces the scope's own
   * conditions about repositories and private items.
   */
  isCounted: RawBuilder<boolean>;
}

/** A position in a list of items, as cursors contain it. */
export interface ItemPlace {
  /** The moment in microseconds since 1970. */
  at: number;
  kind: string;
  repositoryId: string;
  /** The id of the item among those of its kind and repository; for a star an HMAC of it, because it names a person. */
  id: string;
}

export interface ItemPage {
  limit: number;
  /** A number from the limit on that is part of the text of a prepared statement, so that PostgreSQL plans for that number of items. */
  size?: number | undefined;
  after?: ItemPlace | undefined;
  before?: ItemPlace | undefined;
}

/** Returns SQL for the moment of a position. */
export function momentOfPlace({ at }: ItemPlace): RawBuilder<Date> {
  return sql`('epoch'::timestamptz + ${at}::bigint * interval '1 microsecond')`;
}

/** The condition that the item `i` is on the page. */
export function isOnPage({ after, before }: Pick<ItemPage, 'after' | 'before'>): RawBuilder<boolean> {
  const place = after ?? before;
  if (place === undefined) return sql`true`;
  const moment = momentOfPlace(place);
  const row = sql`(${moment}, ${place.kind}::text, ${place.repositoryId}::uuid, ${place.id}::text)`;
  return after === undefined
    ? sql`i.moment >= ${moment} and (i.moment, i.kind, i.repository_id, i.id) > ${row}`
    : sql`i.moment <= ${moment} and (i.moment, i.kind, i.repository_id, i.id) < ${row}`;
}

/** Returns the end of the items that count. */
export function endOfCounted({ until, countedUntil }: Pick<ItemScope, 'until' | 'countedUntil'>): Date | null {
  return countedUntil !== undefined && (until === null || countedUntil < until) ? countedUntil : until;
}

/** The condition that an item at this moment is in the window. */
export function isWithin(
  moment: RawBuilder<unknown>,
  { since, ...ends }: Pick<ItemScope, 'since' | 'until' | 'countedUntil'>,
): RawBuilder<boolean> {
  const until = endOfCounted(ends);
  return sql`(${since === null ? sql`true` : sql`${moment} >= ${since}`}
    and ${until === null ? sql`true` : sql`${moment} < ${until}`})`;
}

/**
 * Returns the condition that items in the repository `r` count, if it is a fork: in lists of repositories they do, for a person
 * not, as on the profiles of hosts. https://docs.github.com/account-and-profile/reference/profile-contributions-reference
 */
export function countsAsFork({ personId, ownerId, repositoryId, inForks }: ItemScope): RawBuilder<boolean> {
  if (inForks === true) return sql`r.is_fork`;
  return personId === null || ownerId !== null || repositoryId !== null ? sql`true` : sql`not r.is_fork`;
}

/** The condition that the repository `r` counts, and that its items may be seen. */
export function isVisible(scope: ItemScope): RawBuilder<boolean> {
  const { ownerId, seesPrivateOf, countsPrivate, former } = scope;
  return former !== undefined
    ? former.isCounted
    : sql`(
    (${countsPrivate === true}::boolean or not r.is_private or r.owner_id = ${seesPrivateOf}::uuid) and ${isPresentInSql('r')}
    and ${ownerId === null ? sql`true` : sql`r.owner_id = ${ownerId}::uuid`}
    and ${countsAsFork(scope)} and ${isAmong(scope)})`;
}

/** The condition that the item `c` was stored at the former moment. */
function wasStored({ former }: ItemScope): RawBuilder<boolean> {
  return former === undefined ? sql`true` : sql`c.stored_at <= ${former.at}`;
}

/** The repositories whose items may be seen. */
export function visibleInSql(scope: ItemScope): RawBuilder<unknown> {
  return sql`select r.id from repositories r where ${isVisible(scope)}`;
}

/** The items of one counter. With a page, it may leave out items that are not on it. */
export function itemsInSql(scope: ItemScope, counter: StoredCounter, page?: ItemPage): RawBuilder<unknown> {
  const items = counter.kind === 'commit' ? commitsInSql : contributionsInSql;
  if (scope.personId !== null) return items(scope, counter, { page });
  // Stars of forks count for no account.
  const visible = counter.kind === 'star' ? sql`${visibleInSql(scope)} and not r.is_fork` : visibleInSql(scope);
  if (page === undefined) return items(scope, counter, { isInRepository: sql`c.repository_id in (${visible})` });
  // The lateral join reads only the first items of each repository, by an index. On a Citus cluster, such a LIMIT works
  // only in a join with another row of the same repository, so the join begins with the totals.
  const order = page.before === undefined ? sql`desc` : sql`asc`;
  return sql`
    select l.* from repository_totals t cross join lateral (
      select i.* from (${items(scope, counter, { isInRepository: sql`c.repository_id = t.repository_id` })}) i
      where ${isOnPage(page)} order by i.moment ${order}, i.id ${order} limit ${page.limit}) l
    where t.repository_id in (${visible})`;
}

/** Returns SQL for the account that the contribution `c` counts for: of a discussion with an accepted response, its author. */
export function personInSql({ person }: StoredCounter): RawBuilder<string | null> {
  return sql.ref(`c.${person ?? 'account_id'}`);
}

/** How the items are narrowed: those of a person by the page, those of an owner by the repository of the item `c`. */
interface Narrowed {
  page?: ItemPage | undefined;
  isInRepository?: RawBuilder<boolean>;
}

/** Contributions of a person, or those of an owner's repositories. */
function contributionsInSql(
  scope: ItemScope,
  counter: StoredCounter,
  { isInRepository = sql`true` }: Narrowed,
): RawBuilder<unknown> {
  const isStar = counter.kind === 'star';
  // A star shows its day alone, and nothing that names the person.
  const moment = isStar ? sql`date_trunc('day', c.created_at, 'UTC')` : momentInSql(counter);
  const columns = sql`
    ${moment} as moment, c.kind, c.repository_id, ${isStar ? starIdInSql(scope) : sql`c.external_id`} as id,
    ${counter.name}::text as counter, ${isStar ? sql`null::integer` : sql`c.number`} as number,
    ${isStar ? sql`null::text` : sql`c.title`} as title, null::text as oid, false as is_co_authored,
    case when c.kind = 'review' then c.parent_external_id end as parent, null::boolean as assisted`;
  const isCounted = sql`
    ${counts(counter)} and ${momentInSql(counter)} is not null and ${isWithin(momentInSql(counter), scope)}
    and ${isWanted(scope, counter)} and ${wasStored(scope)}`;
  const person = personInSql(counter);
  if (scope.personId === null) {
    const isByKnownAccount = isStar || scope.withErased === true ? sql`true` : sql`${person} is not null`;
    return sql`select ${columns} from contributions c where ${isInRepository} and ${isByKnownAccount} and ${isCounted}`;
  }
  return sql`
    select ${columns} from contributions c
    where ${person} = ${scope.personId}::uuid and ${isCounted}
      and c.repository_id in (${visibleInSql(scope)})`;
}

/** Returns SQL for the id of the star `c`, an HMAC-SHA-256 (RFC 2104) computed in SQL; null without `starKey`. */
export function starIdInSql({ starKey }: ItemScope): RawBuilder<unknown> {
  if (starKey === undefined) return sql`null::text`;
  // The key is repeated to the 64 bytes of a block of SHA-256.
  const [inner, outer] = [0x36, 0x5c].map((pad) => Buffer.alloc(64, starKey).map((byte) => byte ^ pad));
  return sql`encode(sha256(${outer}::bytea || sha256(${inner}::bytea || convert_to(c.repository_id || ' ' || c.external_id, 'UTF8'))), 'hex')`;
}

/** Commits of a person, read by the days on which the person has commits, or those of an owner's repositories. */
function commitsInSql(
  scope: ItemScope,
  counter: StoredCounter,
  { page, isInRepository = sql`true` }: Narrowed,
): RawBuilder<unknown> {
  const { personId } = scope;
  const isCoAuthored = personId === null ? sql`false` : sql`not c.identity_ids[1:1] && ${identitiesInSql(personId)}`;
  const columns = sql`
    c.authored_at as moment, 'commit'::text as kind, c.repository_id, encode(c.oid, 'hex') as id,
    ${counter.name}::text as counter, null::integer as number, c.subject as title, encode(c.oid, 'hex') as oid,
    ${isCoAuthored} as is_co_authored, null::text as parent, c.assisted`;
  const isCounted = sql`${isWithin(sql`c.authored_at`, scope)} and ${isWanted(scope, counter)} and ${wasStored(scope)}`;
  if (personId === null) {
    const isByKnownAccount = scope.withErased === true ? sql`true` : sql`not ${isErasedCommit('c')}`;
    return sql`
      select ${columns} from commits c where ${isInRepository} and ${isCounted} and ${isByKnownAccount}`;
  }
  return sql`
    select ${columns}
    from (${daysOfCommits(personId, scope, page)}) d cross join lateral ${commitsOfDay(personId)} c
    where ${isCounted}`;
}

/** The days (UTC) on which a person has commits; with a page, only the days that fill it. */
function daysOfCommits(personId: string, scope: ItemScope, page: ItemPage | undefined): RawBuilder<unknown> {
  const { since } = scope;
  const until = endOfCounted(scope);
  const isAscending = page?.before !== undefined;
  const place = page?.after ?? page?.before;
  const cursor = place === undefined ? null : momentOfPlace(place);
  const [first, last] = isAscending ? [cursor ?? since, until] : [since, cursor ?? until];
  const days = (condition: RawBuilder<boolean>) => sql`
    select d.repository_id, d.day from contribution_days d
    where d.account_id = ${personId}::uuid and d.commits > 0 and ${condition}
      and ${first === null ? sql`true` : sql`d.day >= ${dayInSql(first)}`}
      and ${last === null ? sql`true` : sql`d.day <= ${dayInSql(last)}`}
      and d.repository_id in (${visibleInSql(scope)})`;
  return sql`
    select n.repository_id, n.day::timestamp at time zone 'UTC' as begins,
      (n.day + 1)::timestamp at time zone 'UTC' as ends
    from (${
      // Commits that the filter leaves out do not fill a page.
      page === undefined || scope.filter !== undefined
        ? days(sql`true`)
        : daysOfPage(days, page.limit, { isAscending, partialDay: isAscending ? first : last })
    }) n`;
}

/**
 * Returns SQL for the first `limit` days: each has at least one commit, so they fill a page.
 * @param days returns SQL for the days that meet a condition about `d.day`.
 * @param partialDay a moment on the day that the cursor or the window cuts. That day is always read, and does not count
 *   towards `limit`, because its commits may be outside of the page.
 */
export function daysOfPage(
  days: (condition: RawBuilder<boolean>) => RawBuilder<unknown>,
  limit: number,
  { isAscending, partialDay }: { isAscending: boolean; partialDay: Date | RawBuilder<Date> | null },
): RawBuilder<unknown> {
  const first = (condition: RawBuilder<boolean>) => sql`
    (${days(condition)} order by d.day ${isAscending ? sql`asc` : sql`desc`} fetch first (${limit}::integer) rows with ties)`;
  if (partialDay === null) return first(sql`true`);
  return sql`
    ${first(sql`d.day <> ${dayInSql(partialDay)}`)} union all ${days(sql`d.day = ${dayInSql(partialDay)}`)}`;
}

/** Returns SQL for the day (UTC) of a moment. */
export function dayInSql(at: Date | RawBuilder<Date>): RawBuilder<string> {
  return sql`(${at}::timestamptz at time zone 'UTC')::date`;
}

/** The condition that the author's address of a commit is erased: erasing replaces it by `erased ` and its id. */
export function isErasedCommit(commits: 'c' | 'd'): RawBuilder<boolean> {
  const author = sql`${sql.ref(`${commits}.identity_ids`)}[1]`;
  return sql`exists (
    select from (select i.id from identities i where starts_with(i.email, 'erased ')) e where e.id = ${author})`;
}

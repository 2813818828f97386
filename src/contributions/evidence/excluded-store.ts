import { type RawBuilder, sql } from 'kysely';
import { isPresentInSql } from '../../accounts/repositories/present-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import type { StoredCounter } from '../../model/kinds.ts';
import { isAmong } from './filter-store.ts';
import { type ItemPage, type ItemScope, isOnPage, isVisible, itemsInSql, visibleInSql } from './items-store.ts';
import type { Item } from './store.ts';

/** Reasons why an item of the host does not count. */
export const exclusionReasons = [
  'fork',
  'not-default-branch',
  'bot',
  'host-refuses',
  'no-account',
  'in the future',
  'private',
] as const;
type ExclusionReason = (typeof exclusionReasons)[number];

/** An item of the host that does not count. */
export interface ExcludedItem extends Item {
  reason: ExclusionReason;
  /** The address of a commit without an account; null for all but the owner of the repository. */
  address: string | null;
}

/** The list of which excluded items are wanted. */
export interface ExcludedScope extends ItemScope {
  /**
   * True when the list belongs to the contributors of repositories: commits without a known account are excluded there.
   */
  ofContributors: boolean;
  /** The account of the caller where it is the owner, who sees addresses and private items; null: another caller. */
  readerId: string | null;
}

/**
 * Finds a page of data that was seen and does not count, newest first: forks, whose commits and stars count for no
 * account; the other items in forks, which do not count for a person; pull requests that are not merged, whose commits are
 * on no default branch, where the pull requests themselves do not count; items of bots and agents, where
 * the list is narrowed to users; data that the host refused; commits without a known account, in lists of contributors;
 * items of a window that are dated after the present day; private items of the caller, where the number is public.
 */
export async function findExcluded(
  connection: Connection,
  scope: ExcludedScope,
  counters: readonly StoredCounter[],
  page: ItemPage,
): Promise<ExcludedItem[]> {
  const order = page.before === undefined ? sql`desc` : sql`asc`;
  const kinds = counters.map(({ kind }) => kind);
  const hasCommits = kinds.includes('commit');
  const isOfPerson = scope.personId !== null && scope.ownerId === null;
  const ofItems = counters.filter(({ kind }) => kind !== 'commit' && kind !== 'star');
  // Other items in forks count in lists of repositories.
  const areForksOut = isOfPerson || ofItems.length === 0;
  const parts = [
    ...(areForksOut && ofItems.length < counters.length ? [forks(scope)] : []),
    ...(isOfPerson ? ofItems.map((counter) => inForks(scope, counter)) : []),
    ...(hasCommits && !kinds.includes('pull_request') ? [unmerged(scope)] : []),
    ...(scope.filter?.type === 'user' ? counters.flatMap((counter) => ofBots(scope, counter)) : []),
    refused(scope, kinds),
    ...(scope.ofContributors && hasCommits ? [withoutAccount(scope)] : []),
    ...(scope.countedUntil === undefined ? [] : counters.map((counter) => inFuture(scope, counter))),
    ...(scope.readerId !== null && scope.seesPrivateOf === null
      ? counters.map((counter) => ofPrivate(scope, counter, scope.readerId))
      : []),
  ];
  const { rows } = await sql<ExcludedItem>`
    with i as (${sql.join(parts, sql` union all `)})
    select (extract(epoch from i.moment) * 1000000)::bigint as at, i.kind, i.repository_id as "repositoryId", i.id,
      coalesce(i.counter, ${counters[0]?.name ?? ''}::text) as counter, o.name as owner, r.name as repository,
      i.number, i.oid, coalesce(i.title, '') as title, false as "isCoAuthored", null::boolean as "isAssisted", i.reason, i.address
    from i
      join repositories r on r.id = i.repository_id join accounts o on o.id = r.owner_id
    where ${isOnPage(page)} and (${scope.since}::timestamptz is null or i.moment >= ${scope.since}::timestamptz)
      and (${scope.until}::timestamptz is null or i.moment < ${scope.until}::timestamptz)
    order by i.moment ${order}, i.kind ${order}, i.repository_id ${order}, i.id ${order}
    limit ${page.limit}`.execute(connection);
  return page.before === undefined ? rows : rows.toReversed();
}

/** The columns of data that is no item. */
const noItem = sql`null::integer as number, null::text as title, null::text as counter`;

const noAddress = sql`null::text as address`;

/** The condition that the repository `r` belongs to the owner, or to the person, and is visible. */
function isOwned(scope: ItemScope): RawBuilder<boolean> {
  const { personId, ownerId, seesPrivateOf } = scope;
  return sql`(
    r.owner_id = ${ownerId ?? personId}::uuid and ${isPresentInSql('r')}
    and (not r.is_private or r.owner_id = ${seesPrivateOf}::uuid)
    and ${isAmong(scope)})`;
}

function forks(scope: ItemScope): RawBuilder<unknown> {
  return sql`
    select r.created_at as moment, 'repository'::text as kind, r.id as repository_id, r.id::text as id,
      null::text as oid, ${noItem}, 'fork' as reason, ${noAddress}
    from repositories r where r.is_fork and ${isOwned(scope)}`;
}

/** Items of the person in forks, other than commits. */
function inForks(scope: ItemScope, counter: StoredCounter): RawBuilder<unknown> {
  return sql`
    select f.moment, f.kind, f.repository_id, f.id, f.oid, f.number, f.title, f.counter, 'fork' as reason, ${noAddress}
    from (${itemsInSql({ ...scope, inForks: true }, counter)}) f`;
}

/** Pull requests of the person, or of all people; each stands for the commits of its branch. */
function unmerged(scope: ItemScope): RawBuilder<unknown> {
  const { personId } = scope;
  const isListed =
    personId === null
      ? sql`c.account_id is not null and c.repository_id in (${visibleInSql(scope)})`
      : sql`c.account_id = ${personId}::uuid`;
  return sql`
    (with c as (
      select c.created_at as moment, c.kind, c.repository_id, c.external_id as id, null::text as oid, c.number, c.title,
        null::text as counter, 'not-default-branch' as reason, ${noAddress}
      from contributions c where c.kind = 'pull_request' and c.merged_at is null and ${isListed}
    )
    select c.* from c join repositories r on r.id = c.repository_id where ${isVisible(scope)})`;
}

function ofBots(scope: ItemScope, counter: StoredCounter): RawBuilder<unknown>[] {
  return (['bot', 'agent'] as const).map(
    (type) => sql`
      select b.moment, b.kind, b.repository_id, b.id, b.oid, b.number, b.title, b.counter, 'bot' as reason, ${noAddress}
      from (${itemsInSql({ ...scope, filter: { ...scope.filter, type } }, counter)}) b`,
  );
}

function refused(scope: ItemScope, kinds: readonly string[]): RawBuilder<unknown> {
  return sql`
    select k.first_seen_at as moment, k.kind, r.id as repository_id, md5(k.stream || k.path) as id, null::text as oid,
      ${noItem}, 'host-refuses' as reason, ${noAddress}
    from repositories r join skipped_items k on k.repository_id = r.id
    where k.reason = 'refused' and not k.is_counted and k.kind = any(${[...kinds]}::text[]) and ${isOwned(scope)}`;
}

function withoutAccount({ readerId, ...scope }: ExcludedScope): RawBuilder<unknown> {
  const isReaders = readerId !== null && readerId === (scope.ownerId ?? scope.personId);
  return sql`
    select c.authored_at as moment, 'commit' as kind, c.repository_id, encode(c.oid, 'hex') as id,
      encode(c.oid, 'hex') as oid, null::integer as number, c.subject as title, null::text as counter,
      'no-account' as reason, ${isReaders ? sql`i.email` : sql`null::text`} as address
    from commits c join (
      select i.id, i.email from identities i where i.account_id is null and not starts_with(i.email, 'erased ')
      ) i on i.id = c.identity_ids[1]
    where c.repository_id in (select r.id from repositories r where ${isOwned(scope)})`;
}

/** Items that are dated after the present day: of wrong clocks, or commits that their authors dated so. */
function inFuture({ countedUntil: since, ...scope }: ExcludedScope, counter: StoredCounter): RawBuilder<unknown> {
  return sql`
    select f.moment, f.kind, f.repository_id, f.id, f.oid, f.number, f.title, f.counter, 'in the future' as reason, ${noAddress}
    from (${itemsInSql({ ...scope, since: since ?? null }, counter)}) f`;
}

/** Items in private repositories of the reader, which the public number leaves out. */
function ofPrivate(scope: ExcludedScope, counter: StoredCounter, readerId: string | null): RawBuilder<unknown> {
  return sql`
    (with p as (${itemsInSql({ ...scope, seesPrivateOf: readerId }, counter)})
    select p.moment, p.kind, p.repository_id, p.id, p.oid, p.number, p.title, p.counter, 'private' as reason, ${noAddress}
    from p join repositories r on r.id = p.repository_id where r.is_private)`;
}

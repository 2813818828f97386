import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { itemised, listNeeds, namesOfKinds, type StoredCounter } from '../../model/kinds.ts';
import { counts } from '../totals/column-store.ts';
import { momentInSql } from '../windows/counted-window-store.ts';
import { isWanted } from './filter-store.ts';
import { type ItemPage, type ItemScope, isOnPage, isWithin, itemsInSql, visibleInSql } from './items-store.ts';
import type { Item } from './store.ts';

/** Repositories with a contribution, the items behind `contributed_to`. */

/** Finds a page of the repositories with a contribution in the window, the one with the newest first. */
export async function findContributedRepositories(
  connection: Connection,
  scope: ItemScope,
  page: ItemPage,
): Promise<Item[]> {
  const order = page.before === undefined ? sql`desc` : sql`asc`;
  const { rows } = await sql<Item>`
    with i as (${repositoriesInSql(scope)})
    select (extract(epoch from i.moment) * 1000000)::bigint as at, i.kind, i.repository_id as "repositoryId", i.id,
      'contributed_to' as counter, o.name as owner, r.name as repository, null::integer as number, null as oid, '' as title,
      false as "isCoAuthored", null::boolean as "isAssisted"
    from i join repositories r on r.id = i.repository_id join accounts o on o.id = r.owner_id
    where ${isOnPage(page)}
    order by i.moment ${order}, i.kind ${order}, i.repository_id ${order}, i.id ${order}
    limit ${page.limit}`.execute(connection);
  return page.before === undefined ? rows : rows.toReversed();
}

/** Counts the repositories that `findContributedRepositories` lists. */
export async function countContributedRepositories(connection: Connection, scope: ItemScope): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (${repositoriesInSql(scope)}) i`.execute(connection);
  return rows[0]?.count ?? 0;
}

/** The counters whose items make a repository one with a contribution. */
export const contributing = itemised.filter(({ name }) => namesOfKinds(listNeeds('contributed_to')).includes(name));

/** The repositories with a contribution of the kinds that `contributed_to` needs, also those of erased persons. */
export function repositoriesInSql(scope: ItemScope): RawBuilder<unknown> {
  const newest = contributing.map((counter) => sql`(${newestInSql(scope, counter)})`);
  return sql`
    select max(n.moment) as moment, 'repository'::text as kind, n.repository_id, n.repository_id::text as id
    from (${sql.join(newest, sql` union all `)}) n group by n.repository_id`;
}

function newestInSql(scope: ItemScope, counter: StoredCounter): RawBuilder<unknown> {
  if (scope.personId !== null) {
    return sql`select i.repository_id, max(i.moment) as moment from (${itemsInSql(scope, counter)}) i group by i.repository_id`;
  }
  const table = sql.table(counter.kind === 'commit' ? 'commits' : 'contributions');
  return sql`
    select c.repository_id, max(${momentInSql(counter)}) as moment from ${table} c
    where ${counter.kind === 'commit' ? sql`true` : counts(counter)} and ${isWithin(momentInSql(counter), scope)}
      and ${isWanted(scope, counter)} and c.repository_id in (${visibleInSql(scope)}) group by c.repository_id`;
}

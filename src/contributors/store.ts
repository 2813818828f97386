import { type RawBuilder, sql } from 'kysely';
import { isShownInSql } from '../accounts/shown-store.ts';
import { contributionsIn } from '../contributions/column-store.ts';
import { contributionKinds } from '../contributions/contribution.ts';
import type { Connection } from '../database/connection.ts';
import { isPresentInSql } from '../repositories/shown-store.ts';
import type { Contributor, Scope } from './contributor.ts';

/** Finds the newest listing of a scope's contributors, if it is current. */
export async function findRanking(connection: Connection, scope: Scope): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select r.id from rankings r join accounts a on a.id = r.account_id and a.contributors_version = r.version
    where a.id = ${scope.accountId} and r.repository_id is not distinct from ${scope.repositoryId}::uuid
      and r.includes_private = ${scope.includesPrivate}::boolean and not ${isOutdatedByWithdrawal}`.execute(connection);
  return rows[0]?.id;
}

/**
 * SQL that is true when the listing `r` may show private data of a credential that was withdrawn since. A listing that
 * was being made at that moment may have a slightly later time.
 */
const isOutdatedByWithdrawal = sql<boolean>`(r.includes_private and exists (
  select from withdrawn_credentials w join accounts o on o.provider = w.provider
  where o.id = r.account_id and r.built_at <= w.withdrawn_at + interval '1 minute'))`;

/** Makes the newest listing, unless another process has just made it. */
export async function makeRanking(connection: Connection, scope: Scope, now: Date): Promise<number> {
  if (scope.includesPrivate) {
    await sql`
      delete from rankings r where r.account_id = ${scope.accountId} and ${isOutdatedByWithdrawal}`.execute(connection);
  }
  const { rows } = await sql<{ id: number }>`
    with scope as (
      select id as account_id, ${scope.repositoryId}::uuid as repository_id,
        ${scope.includesPrivate}::boolean as includes_private, contributors_version as version
      from accounts where id = ${scope.accountId}
    ), known as (
      select r.id from rankings r join scope s on r.account_id = s.account_id and r.version = s.version
      where r.repository_id is not distinct from s.repository_id and r.includes_private = s.includes_private
    ), made as (
      insert into rankings (account_id, repository_id, includes_private, version, built_at)
      select account_id, repository_id, includes_private, version, ${now} from scope where not exists (select from known)
      on conflict (account_id, repository_id, includes_private, version) do update set built_at = rankings.built_at
      returning id, xmax = 0 as is_new
    ), filled as (
      insert into ranks (ranking_id, rank, account_id, contributions)
      select made.id, row_number() over (order by summed.contributions desc, lower(a.name) collate "C", a.id), a.id,
        summed.contributions
      from made, (
        select t.account_id, sum(${contributionsIn(contributionKinds, 't')}) as contributions
        from contributor_totals t join repositories r on r.id = t.repository_id
        where r.owner_id = ${scope.accountId} and (${scope.includesPrivate}::boolean or not r.is_private)
          and ${isPresentInSql('r')}
          and (${scope.repositoryId}::uuid is null or r.id = ${scope.repositoryId}::uuid)
        group by t.account_id
      ) summed join accounts a on a.id = summed.account_id
      where made.is_new and summed.contributions > 0
    )
    select id from known union all select id from made`.execute(connection);
  const id = rows[0]?.id;
  if (id === undefined) throw new Error('a listing needs an account that is stored');
  return id;
}

/** Returns whether a listing is still stored and belongs to this scope. */
export async function hasRanking(connection: Connection, rankingId: number, scope: Scope): Promise<boolean> {
  const row = await connection
    .selectFrom('rankings as r')
    .select('id')
    .where('id', '=', rankingId)
    .where('account_id', '=', scope.accountId)
    .where('repository_id', 'is not distinct from', scope.repositoryId)
    .where('includes_private', '=', scope.includesPrivate)
    .where(sql<boolean>`not ${isOutdatedByWithdrawal}`)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Finds a page of a listing, in its order: after a rank, or right before one.
 * @param page.viewerId the account that reads the listing, and that sees itself even when it is hidden.
 */
export async function findContributors(
  connection: Connection,
  rankingId: number,
  page: {
    limit: number;
    after?: number | undefined;
    before?: number | undefined;
    withBots: boolean;
    viewerId: string | null;
  },
): Promise<Contributor[]> {
  let query = connection
    .selectFrom('ranks')
    .innerJoin('accounts', 'accounts.id', 'ranks.account_id')
    .select([
      'ranks.rank',
      'ranks.contributions',
      'accounts.id',
      'accounts.provider',
      'accounts.type',
      'accounts.name',
      'accounts.display_name',
      'accounts.avatar_url',
      'accounts.created_at',
    ])
    .where('ranking_id', '=', rankingId)
    .where(isListedFor(page.viewerId))
    .limit(page.limit);
  if (!page.withBots) query = query.where('accounts.type', '<>', 'bot');
  if (page.after !== undefined) query = query.where('rank', '>', page.after);
  if (page.before !== undefined) query = query.where('rank', '<', page.before);
  const rows = await query.orderBy('rank', page.before === undefined ? 'asc' : 'desc').execute();
  const contributors = rows.map((row) => ({
    rank: row.rank,
    id: row.id,
    provider: row.provider,
    type: row.type,
    name: row.name,
    displayName: row.display_name,
    avatarUrl: row.avatar_url,
    contributions: row.contributions,
    createdAt: row.created_at,
  }));
  return page.before === undefined ? contributors : contributors.toReversed();
}

/** Returns SQL for whether a listing shows a contributor to the account `viewerId`; null: to any caller. */
function isListedFor(viewerId: string | null): RawBuilder<boolean> {
  return sql<boolean>`(${isShownInSql('accounts')} or (accounts.deleted_at is null and accounts.id = ${viewerId}::uuid))`;
}

/** Counts the contributors after a rank that the listing shows. */
export async function countContributors(
  connection: Connection,
  rankingId: number,
  { after, withBots, viewerId }: { after: number; withBots: boolean; viewerId: string | null },
): Promise<number> {
  let query = connection
    .selectFrom('ranks')
    .innerJoin('accounts', 'accounts.id', 'ranks.account_id')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('ranking_id', '=', rankingId)
    .where('rank', '>', after)
    .where(isListedFor(viewerId));
  if (!withBots) query = query.where('accounts.type', '<>', 'bot');
  const row = await query.executeTakeFirst();
  return Number(row?.count ?? 0);
}

/**
 * Removes listings that were made before `before` and that newer ones have replaced; cursors into them are stale from
 * then on.
 */
export async function removeOldRankings(connection: Connection, before: Date): Promise<void> {
  await sql`
    delete from rankings r
    where built_at < ${before} and exists (
      select from rankings newer
      where newer.account_id = r.account_id and newer.repository_id is not distinct from r.repository_id
        and newer.includes_private = r.includes_private and newer.version > r.version)`.execute(connection);
}

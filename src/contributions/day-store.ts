import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import { isPresentInSql } from '../repositories/present-store.ts';
import { columnOf } from './column-store.ts';
import type { ContributionKind } from './contribution.ts';
import { ofContributions, storedCounters } from './kinds.ts';

/** The contributions of an account on one day. */
export interface ContributionsOfDay {
  /** UTC, `YYYY-MM-DD`. */
  day: string;
  /** Numbers by kind; an absent kind means 0. */
  counts: Partial<Record<ContributionKind, number>>;
}

interface DayQuery {
  accountId: string;
  /** The first day; `to` is the last day. Both are included. */
  from: string;
  to: string;
  withPrivate: boolean;
}

/**
 * Finds the days on which an account contributed to stored repositories, oldest first. For contributions of others to
 * the repositories of an organization see `findDaysOfOwned`.
 */
export async function findDays(connection: Connection, query: DayQuery): Promise<ContributionsOfDay[]> {
  return sumDays(connection, query, 'person');
}

/** Finds the days on which any account contributed to the repositories of an account, oldest first. */
export async function findDaysOfOwned(connection: Connection, query: DayQuery): Promise<ContributionsOfDay[]> {
  return sumDays(connection, query, 'owner');
}

/**
 * Returns whether a repository to which the account contributed on these days is still being read for the first time.
 */
export async function isCollectingDays(
  connection: Connection,
  { accountId, from, to, withPrivate }: DayQuery,
): Promise<boolean> {
  const { rows } = await sql`
    with days as (
      select repository_id from contribution_days where account_id = ${accountId} and day between ${from}::date and ${to}::date
    )
    select d.repository_id from days d join repositories r on r.id = d.repository_id
    join streams s on s.repository_id = r.id
    where (${withPrivate}::boolean or not r.is_private) and ${isPresentInSql('r')}
      and s.completed_at is null and is_read_again(s.failure) limit 1`.execute(connection);
  return rows.length > 0;
}

async function sumDays(
  connection: Connection,
  { accountId, from, to, withPrivate }: DayQuery,
  whose: 'person' | 'owner',
): Promise<ContributionsOfDay[]> {
  const isShown = sql`(${withPrivate}::boolean or not r.is_private) and ${isPresentInSql('r')}`;
  const ofDays = sql`d.day between ${from}::date and ${to}::date`;
  // The part that is read first is the smaller one: see docs/decisions/0087-statements-on-citus.md.
  const [first, days] =
    whose === 'person'
      ? [
          sql`days as (select d.* from contribution_days d where d.account_id = ${accountId} and ${ofDays})`,
          sql`days d join repositories r on r.id = d.repository_id where ${isShown}`,
        ]
      : [
          sql`shown as (select r.id from repositories r where r.owner_id = ${accountId} and ${isShown})`,
          sql`contribution_days d join shown on shown.id = d.repository_id where ${ofDays}`,
        ];
  const { rows } = await sql<{ day: string } & Record<ContributionKind, number>>`
    with ${first}
    select d.day, ${sql.join(ofContributions(storedCounters).map(({ name, kind }) => sql`sum(${columnOf(name, 'd')})::integer as ${sql.ref(kind)}`))}
    from ${days} group by d.day order by d.day`.execute(connection);
  return rows.map(({ day, ...counts }) => ({ day, counts }));
}

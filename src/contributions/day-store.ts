import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import type { ContributionKind } from './contribution.ts';

/** What somebody contributed on one day. */
export interface ContributionsOfDay {
  /** UTC, `YYYY-MM-DD`. */
  day: string;
  /** By kind; a kind that is absent is 0. */
  counts: Partial<Record<ContributionKind, number>>;
}

interface Asked {
  accountId: string;
  /** Days, both included. */
  from: string;
  to: string;
  withPrivate: boolean;
}

/**
 * Days on which an account contributed to something that is stored, oldest first; what an organization owns was contributed
 * to by others, and is asked for by `findDaysOfOwned`.
 */
export async function findDays(connection: Connection, asked: Asked): Promise<ContributionsOfDay[]> {
  return sumDays(connection, asked, 'd.account_id');
}

/** Days on which anybody contributed to what an account owns, oldest first. */
export async function findDaysOfOwned(connection: Connection, asked: Asked): Promise<ContributionsOfDay[]> {
  return sumDays(connection, asked, 'r.owner_id');
}

/** Whether something that an account contributed to on these days is still being read for the first time. */
export async function isCollectingDays(
  connection: Connection,
  { accountId, from, to, withPrivate }: Asked,
): Promise<boolean> {
  const { rows } = await sql<{ is_collecting: boolean }>`
    select exists (
      select from contribution_days d join repositories r on r.id = d.repository_id
        join streams s on s.repository_id = r.id
      where d.account_id = ${accountId} and d.day between ${from}::date and ${to}::date
        and (${withPrivate}::boolean or not r.is_private) and r.gone_at is null
        and s.completed_at is null and s.failure is null) as is_collecting`.execute(connection);
  return rows[0]?.is_collecting ?? false;
}

async function sumDays(
  connection: Connection,
  { accountId, from, to, withPrivate }: Asked,
  whose: 'd.account_id' | 'r.owner_id',
): Promise<ContributionsOfDay[]> {
  const { rows } = await sql<{ day: string } & Record<ContributionKind, number>>`
    select d.day, sum(d.commits)::integer as commit, sum(d.issues)::integer as issue,
      sum(d.pull_requests)::integer as pull_request, sum(d.reviews)::integer as review,
      sum(d.discussions)::integer as discussion
    from contribution_days d join repositories r on r.id = d.repository_id
    where ${sql.ref(whose)} = ${accountId} and d.day between ${from}::date and ${to}::date
      and (${withPrivate}::boolean or not r.is_private) and r.gone_at is null
    group by d.day order by d.day`.execute(connection);
  return rows.map(({ day, ...counts }) => ({ day, counts }));
}

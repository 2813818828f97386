import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import { announce } from '../database/listener.ts';
import { type ContributionKind, contributionKinds } from './contribution.ts';

/** How much is known of the contributions to what an account owns. */
export interface Collection {
  /** When its repositories were last listed; null: never. */
  listedAt: Date | null;
  /** Kinds that are not completely known. */
  uncollected: ContributionKind[];
  /** Something that could be read was never read to its end: whoever was reading it may have been killed. */
  isUnfinished: boolean;
}

export async function findCollection(connection: Connection, accountId: string): Promise<Collection> {
  const { rows } = await sql<{ listed_at: Date | null; uncollected: string[]; is_unfinished: boolean }>`
    select listed_at, uncollected, case when uncollected = '{}' then false else exists (
      select from repositories r join streams s on s.repository_id = r.id
      where r.owner_id = accounts.id and not r.is_private and r.gone_at is null
        and s.completed_at is null and s.failure is null) end as is_unfinished
    from accounts where id = ${accountId}`.execute(connection);
  const [row] = rows;
  if (row === undefined) return { listedAt: null, uncollected: [...contributionKinds], isUnfinished: false };
  return {
    listedAt: row.listed_at,
    uncollected: contributionKinds.filter((kind) => row.uncollected.includes(kind)),
    isUnfinished: row.is_unfinished,
  };
}

/** Kinds of contributions to one repository that are not completely known. */
export async function findUncollected(connection: Connection, repositoryId: string): Promise<ContributionKind[]> {
  const { rows } = await sql<{ kind: string }>`
    select kind from unnest(${[...contributionKinds]}::text[]) as kind
    where not exists (
      select from streams s
      where s.repository_id = ${repositoryId} and kind = any(s.covers) and s.completed_at is not null)`.execute(
    connection,
  );
  return contributionKinds.filter((kind) => rows.some((row) => row.kind === kind));
}

/** Makes every listing of an account's contributors from before outdated, and tells all nodes. */
export async function recordContributorsChanged(connection: Connection, accountId: string): Promise<void> {
  await connection
    .updateTable('accounts')
    .set((set) => ({ contributors_version: set('contributors_version', '+', 1) }))
    .where('id', '=', accountId)
    .execute();
  await announce(connection, { kind: 'account', key: accountId });
}

/**
 * Brings an account's state of collecting up to date with its repositories' streams, and tells all nodes.
 * @returns the kinds that are not completely known.
 */
export async function recordCollected(connection: Connection, accountId: string): Promise<ContributionKind[]> {
  const { rows } = await sql<{ uncollected: string[] }>`
    update accounts a set uncollected = array(
      select kind from unnest(${[...contributionKinds]}::text[]) as kind
      where a.listed_at is null or exists (
        select from repositories r
        where r.owner_id = a.id and not r.is_private and r.gone_at is null and not exists (
          select from streams s
          where s.repository_id = r.id and kind = any(s.covers) and s.completed_at is not null)))
    where id = ${accountId}
    returning uncollected`.execute(connection);
  await announce(connection, { kind: 'account', key: accountId });
  return contributionKinds.filter((kind) => rows[0]?.uncollected.includes(kind));
}

import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import { announce } from '../database/listener.ts';
import { requestTotals } from './changed-store.ts';
import { type ContributionKind, contributionKinds } from './contribution.ts';
import { takeChanged } from './total-store.ts';
import { isUncollected, toKinds, uncollectedKinds } from './uncollected-store.ts';

/** How much is known of the contributions to what an account owns. */
export interface Collection {
  /** When its repositories were last listed; null: never. */
  listedAt: Date | null;
  /** The provider hinted since then that the list is another one. */
  isListOutdated: boolean;
  /** Kinds that are not completely known. */
  uncollected: ContributionKind[];
  /** Something that could be read was never read to its end: whoever was reading it may have been killed. */
  isUnfinished: boolean;
}

/** @param options.withPrivate whether the account's private repositories count too; else the public ones alone. */
export async function findCollection(
  connection: Connection,
  accountId: string,
  { withPrivate }: { withPrivate: boolean } = { withPrivate: false },
): Promise<Collection> {
  const { rows } = await sql<{
    listed_at: Date | null;
    is_outdated: boolean;
    uncollected: string[];
    is_unfinished: boolean;
  }>`
    select listed_at, listing_wanted_at is not null as is_outdated, ${withPrivate ? uncollectedKinds('all') : sql`uncollected`} as uncollected,
      case when uncollected = '{}' and not ${withPrivate}::boolean then false else exists (
        select from repositories r join streams s on s.repository_id = r.id
        where r.owner_id = a.id and (${withPrivate}::boolean or not r.is_private) and r.gone_at is null
          and s.completed_at is null and s.failure is null) end as is_unfinished
    from accounts a where id = ${accountId}`.execute(connection);
  const [row] = rows;
  if (row === undefined)
    return { listedAt: null, isListOutdated: false, uncollected: [...contributionKinds], isUnfinished: false };
  return {
    listedAt: row.listed_at,
    isListOutdated: row.is_outdated,
    uncollected: toKinds(row.uncollected),
    isUnfinished: row.is_unfinished,
  };
}

/** Kinds of contributions to one repository that are not completely known. */
export async function findUncollected(connection: Connection, repositoryId: string): Promise<ContributionKind[]> {
  const { rows } = await sql<{ kind: string }>`
    select kind from unnest(${[...contributionKinds]}::text[]) as kinds (kind)
    where ${isUncollected(sql`${repositoryId}::uuid`)}`.execute(connection);
  return contributionKinds.filter((kind) => rows.some((row) => row.kind === kind));
}

/**
 * Makes every listing of an account's contributors from before outdated, and tells all nodes. To be used where public and
 * private repositories stay what they are; else see `recordRepositoriesChanged`.
 */
async function recordContributorsChanged(connection: Connection, accountId: string): Promise<void> {
  await connection
    .updateTable('accounts')
    .set((set) => ({ contributors_version: set('contributors_version', '+', 1) }))
    .where('id', '=', accountId)
    .execute();
  await announce(connection, { kind: 'account', key: accountId });
}

/**
 * Does the same for a repository of which other contributions count than when this was last called, and has the people
 * brought up to date who contributed them. @returns whether there was anything.
 */
export async function recordTotalsChanged(connection: Connection, repositoryId: string): Promise<boolean> {
  await requestTotals(connection, repositoryId);
  if (!(await takeChanged(connection, repositoryId))) return false;
  // The repository may belong to another account than when its reading began.
  const owned = connection.selectFrom('repositories').select('owner_id').where('id', '=', repositoryId);
  const { owner_id: ownerId } = await owned.executeTakeFirstOrThrow();
  await recordContributorsChanged(connection, ownerId);
  return true;
}

/**
 * The same where other repositories may be seen than before: not even cursors lead into the listings from before, for
 * what they show may be private now.
 */
export async function recordRepositoriesChanged(connection: Connection, accountId: string): Promise<void> {
  await connection.deleteFrom('rankings').where('account_id', '=', accountId).execute();
  await recordContributorsChanged(connection, accountId);
}

/** Brings an account's state of collecting up to date with its repositories' streams, and announces it to all nodes. */
export async function recordCollected(connection: Connection, accountId: string): Promise<void> {
  await sql`
    update accounts a set uncollected = ${uncollectedKinds('public')} where id = ${accountId}`.execute(connection);
  await announce(connection, { kind: 'account', key: accountId });
}

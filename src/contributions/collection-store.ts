import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import { requestTotals } from './changed-store.ts';
import { type ContributionKind, contributionKinds } from './contribution.ts';
import { sumOverOwned } from './owner-sum-store.ts';
import { takeChanged } from './total-store.ts';
import { toKinds } from './uncollected-store.ts';

/** The state of collecting the contributions to an account's repositories. */
export interface Collection {
  /** The time when its repositories were last listed; null: never. */
  listedAt: Date | null;
  /** True when the provider has reported since then that the list changed. */
  isListOutdated: boolean;
  /** Kinds that are not completely known. */
  uncollected: ContributionKind[];
  /** True when something readable was never read to its end: the process that was reading it may have been killed. */
  isUnfinished: boolean;
}

/**
 * Finds the state of collecting the contributions to an account's repositories.
 * @param options.withPrivate true to include private repositories.
 */
export async function findCollection(
  connection: Connection,
  accountId: string,
  { withPrivate }: { withPrivate: boolean } = { withPrivate: false },
): Promise<Collection> {
  const owned = await sumOverOwned(connection, accountId, withPrivate ? 'all' : 'public');
  const { listedAt, isListOutdated, uncollected } = owned;
  // Public numbers may be complete without all streams.
  const isUnfinished = owned.isUnfinished && (withPrivate || uncollected.length > 0);
  return { listedAt, isListOutdated, uncollected, isUnfinished };
}

/** Finds the kinds of contributions to one repository that are not completely known. */
export async function findUncollected(connection: Connection, repositoryId: string): Promise<ContributionKind[]> {
  const { rows } = await sql<{ kinds: string[] }>`
    select uncollected_kinds(${repositoryId}::uuid) as kinds`.execute(connection);
  return toKinds(rows[0]?.kinds ?? contributionKinds);
}

/**
 * Announces to all nodes when the counted contributions to a repository changed since the last call, and requests an
 * update of the contributors' totals.
 */
export async function recordTotalsChanged(connection: Connection, repositoryId: string): Promise<void> {
  await requestTotals(connection, repositoryId);
  if (!(await takeChanged(connection, repositoryId))) return;
  // The repository may have moved to another account since its reading began.
  await sql`
    insert into announcements (kind, key) select 'account', owner_id from repositories where id = ${repositoryId}`.execute(
    connection,
  );
}

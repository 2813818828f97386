import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import type { ItemKind } from '../../model/contribution.ts';
import { changeContributions } from './write-store.ts';

/**
 * The contributions that running full scans have seen, one row for each page. The rows of the contributions themselves
 * stay as they are: a mark in each would rewrite all of them, and all their indexes, with every scan.
 */

/** The most contributions that one transaction removes, some tenths of a second for all of them. */
const removedAtOnce = 10_000;

/** A full scan of the stream of a repository. */
export interface FullScan {
  repositoryId: string;
  stream: string;
  kinds: readonly ItemKind[];
  startedAt: Date;
}

/** Stores which contributions were on a page. Must run in the transaction that moves the cursor behind the page. */
export async function saveSeen(
  transaction: Connection,
  page: { repositoryId: string; stream: string; kinds: readonly ItemKind[]; externalIds: readonly string[] },
): Promise<void> {
  await transaction
    .insertInto('scan_pages')
    .values({
      repository_id: page.repositoryId,
      stream: page.stream,
      kinds: [...page.kinds],
      external_ids: [...page.externalIds],
    })
    .execute();
}

/** Deletes the record of the contributions that scans of a stream have seen: at the start of one, and after its end. */
export async function deleteSeen(connection: Connection, repositoryId: string, stream: string): Promise<void> {
  await connection
    .deleteFrom('scan_pages')
    .where('repository_id', '=', repositoryId)
    .where('stream', '=', stream)
    .execute();
}

/**
 * Removes the first `limit` contributions that a full scan did not see, except those that changed or were stored since it
 * began. Must run in a transaction.
 * @returns whether others may be left.
 */
export async function removeUnseen(
  transaction: Connection,
  scan: FullScan,
  limit = removedAtOnce,
): Promise<'done' | 'more'> {
  return changeContributions(transaction, scan.repositoryId, async (change) => {
    const { rows } = await sql<{ kind: string; externalId: string }>`
      with ${seenBy(scan)}
      select c.kind, c.external_id as "externalId" from contributions c
      where c.repository_id = ${scan.repositoryId} and c.kind = any(${[...scan.kinds]}::text[])
        and c.seen_at < ${scan.startedAt} and c.updated_at < ${scan.startedAt}
        and not exists (select from seen s where s.kind = c.kind and s.external_id = c.external_id)
      limit ${limit}`.execute(transaction);
    for (const [kind, unseen] of Map.groupBy(rows, (row) => row.kind)) {
      const externalIds = unseen.map(({ externalId }) => externalId);
      // The primary key finds these; a join could read all items of the repository for each of them.
      await change.remove(sql`c.kind = ${kind} and c.external_id = any(${externalIds}::text[])`);
    }
    return rows.length < limit ? 'done' : 'more';
  });
}

/** Counts the stored contributions of some kinds that a full scan has seen, or that were stored since it began. */
export async function countSeen(connection: Connection, scan: FullScan): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with ${seenBy(scan)}
    select count(*)::integer as count
    from contributions c left join seen s on s.kind = c.kind and s.external_id = c.external_id
    where c.repository_id = ${scan.repositoryId} and c.kind = any(${[...scan.kinds]}::text[])
      and (c.seen_at >= ${scan.startedAt} or s.kind is not null)`.execute(connection);
  return rows[0]?.count ?? 0;
}

/** Returns SQL for `seen`, the contributions on the pages of a scan; a page may have been read twice. */
function seenBy({ repositoryId, stream }: FullScan): RawBuilder<unknown> {
  return sql`seen as materialized (
    select distinct u.kind, u.external_id
    from scan_pages p cross join lateral unnest(p.kinds, p.external_ids) as u (kind, external_id)
    where p.repository_id = ${repositoryId} and p.stream = ${stream})`;
}

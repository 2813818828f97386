import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import type { ItemKind } from '../../model/contribution.ts';

/** Deliveries of deletions only request the lists that decide (docs/decisions/0015-deliveries-as-hints.md). */

/**
 * Requests a whole scan of the streams that show whether an item still exists, and the items below it. Changes nothing
 * when the item is not stored, except in streams that are being read: they may be about to store it. Must run in a
 * transaction.
 */
export async function requestScanFor(
  connection: Connection,
  item: { repositoryId: string; kind: ItemKind; externalId: string },
  now: Date,
): Promise<void> {
  const kinds = [item.kind, ...(below[item.kind] ?? [])];
  // Statements of their own, because Citus misreads a locking subquery that depends on tables divided by repository. Streams are
  // locked first: one that is not being read has stored its items by then.
  const { rows: streams } = await sql<{ name: string; isRead: boolean }>`
    select name, scan_started_at is not null as "isRead" from streams
    where repository_id = ${item.repositoryId} and covers && ${kinds}::text[]
    order by name for no key update`.execute(connection);
  const wanted = (await isStored(connection, item)) ? streams : streams.filter(({ isRead }) => isRead);
  if (wanted.length === 0) return;
  await sql`
    update streams set full_scan_wanted_at = ${now}
    where repository_id = ${item.repositoryId}
      and name = any(${wanted.map(({ name }) => name)}::text[])`.execute(connection);
}

async function isStored(
  connection: Connection,
  { repositoryId, kind, externalId }: { repositoryId: string; kind: ItemKind; externalId: string },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from contributions
    where repository_id = ${repositoryId} and kind = ${kind} and external_id = ${externalId}`.execute(connection);
  return rows.length > 0;
}

/** The kinds of items that hosts delete together with an item. */
const below: Partial<Record<ItemKind, ItemKind[]>> = {
  issue: ['issue_comment'],
  pull_request: ['review', 'pull_request_comment', 'review_comment'],
};

/**
 * Returns whether the host shows a stream, so that its list decides and not the deliveries about it. The result holds
 * until the transaction ends.
 */
export async function isStreamShown(connection: Connection, repositoryId: string, stream: string): Promise<boolean> {
  const row = await connection
    .selectFrom('streams')
    .select('name')
    .where('repository_id', '=', repositoryId)
    .where('name', '=', stream)
    .where('completed_at', 'is not', null)
    .where('withheld_at', 'is', null)
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}

import { sql } from 'kysely';
import type { ItemKind } from '../contributions/contribution.ts';
import type { Connection } from '../database/connection.ts';

/** Deliveries of deletions only request the lists that decide (docs/decisions/0039-deletions-by-the-host.md). */

/**
 * Requests a whole scan of the streams that show whether an item still exists, and the items below it. Changes nothing
 * when the item is not stored, except in streams that are being read: they may be about to store it.
 */
export async function requestScanFor(
  connection: Connection,
  item: { repositoryId: string; kind: ItemKind; externalId: string },
  now: Date,
): Promise<void> {
  const kinds = [item.kind, ...(below[item.kind] ?? [])];
  await sql`
    update streams set full_scan_wanted_at = ${now}
    where repository_id = ${item.repositoryId} and name in (
      select name from streams s
      where repository_id = ${item.repositoryId} and covers && ${kinds}::text[] and (s.scan_started_at is not null or exists (
        select 1 from contributions c
        where c.repository_id = ${item.repositoryId} and c.kind = ${item.kind} and c.external_id = ${item.externalId}))
      order by name for no key update)`.execute(connection);
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

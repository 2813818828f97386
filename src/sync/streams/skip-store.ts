import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import type { SkippedPart } from '../../hosts/interface/provider.ts';

/** The repository or the account that a response is about. */
export type SkipTarget = { repositoryId: string } | { accountId: string };

/** A part of a response that was skipped. Ids are those of this service, because the reader of a log may not know private names. */
export interface Skip extends SkippedPart {
  provider: string;
  target: SkipTarget;
  stream: string;
}

interface SkipPlace {
  provider: string;
  target: SkipTarget;
  stream: string;
  /** The start of the scan that met the parts. */
  seenAt: Date;
}

function toColumns(target: SkipTarget): { repositoryId: string | null; accountId: string | null; id: string } {
  return 'repositoryId' in target
    ? { repositoryId: target.repositoryId, accountId: null, id: target.repositoryId }
    : { repositoryId: null, accountId: target.accountId, id: target.accountId };
}

type Key = Pick<SkippedPart, 'kind' | 'reason' | 'path' | 'isStored'>;
const toKey = ({ kind, reason, path, isStored }: Key): string => JSON.stringify([kind, reason, path, isStored]);

/**
 * Adds skipped parts to the counts of a scan, one row for each place.
 * @returns for each part whether its place is new: no earlier scan has met it.
 */
export async function saveSkipped(
  connection: Connection,
  { provider, target, stream, seenAt }: SkipPlace,
  parts: readonly SkippedPart[],
): Promise<boolean[]> {
  const { repositoryId, accountId } = toColumns(target);
  const places = new Map<string, SkippedPart & { items: number }>();
  for (const part of parts) {
    const place = places.get(toKey(part)) ?? { ...part, items: 0 };
    place.items += 1;
    place.isCounted &&= part.isCounted;
    places.set(toKey(part), place);
  }
  const { rows } = await sql<Key>`
    with saved as (
      insert into skipped_items as s (provider, repository_id, account_id, stream, kind, reason, path, explanation,
        is_stored, is_counted, items, first_seen_at, seen_at)
      select ${provider}, ${repositoryId}::uuid, ${accountId}::uuid, ${stream}, p.kind, p.reason, p.path, p.explanation,
        p."isStored", p."isCounted", p.items, ${seenAt}::timestamptz, ${seenAt}::timestamptz
      from json_to_recordset(${JSON.stringify([...places.values()])}::json) as p (
        kind text, reason text, path text, explanation text, "isStored" boolean, "isCounted" boolean, items integer)
      order by p.kind, p.reason, p.path, p."isStored"
      on conflict (coalesce(repository_id, account_id), stream, kind, reason, path, is_stored) do update set
        explanation = excluded.explanation, is_counted = excluded.is_counted,
        items = case when s.seen_at = excluded.seen_at then s.items else 0 end + excluded.items,
        seen_at = excluded.seen_at
      returning kind, reason, path, is_stored as "isStored", xmax = 0 as is_new
    )
    select kind, reason, path, "isStored" from saved where is_new`.execute(connection);
  const added = new Set(rows.map(toKey));
  return parts.map((part) => added.delete(toKey(part)));
}

/** Deletes the places that a complete scan did not meet again, except those of kept paths, which it may not have read. */
export async function deleteSkippedBefore(
  connection: Connection,
  { target, stream, seenAt }: Omit<SkipPlace, 'provider'>,
  keptPaths: readonly string[] = [],
): Promise<void> {
  await sql`
    delete from skipped_items
    where coalesce(repository_id, account_id) = ${toColumns(target).id} and stream = ${stream} and seen_at < ${seenAt}
      and path <> all(${[...keptPaths]}::text[])`.execute(connection);
}

/** Counts the items of the given kinds that a scan has left out. */
export async function countSkipped(
  connection: Connection,
  { target, stream, seenAt }: Omit<SkipPlace, 'provider'>,
  kinds: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ items: number }>`
    select coalesce(sum(items), 0)::integer as items from skipped_items
    where coalesce(repository_id, account_id) = ${toColumns(target).id} and stream = ${stream}
      and seen_at = ${seenAt} and not is_stored and kind = any(${[...kinds]}::text[])`.execute(connection);
  return rows[0]?.items ?? 0;
}

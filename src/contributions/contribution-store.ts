import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import type { Contribution } from './contribution.ts';

/** Contributions that a scan of one repository has read. */
export interface ReadContributions {
  repositoryId: string;
  contributions: readonly Contribution[];
  /** Our ids of everybody whom they name, by external id. */
  accountIds: ReadonlyMap<string, string>;
  /** Pull requests of which every review is among them. */
  wholeParents: readonly string[];
  /** When the scan began. */
  seenAt: Date;
}

/** Stores new contributions and newer states of known ones; an older state never replaces a newer one. */
export async function saveContributions(connection: Connection, read: ReadContributions): Promise<void> {
  const { repositoryId, accountIds, seenAt } = read;
  if (read.contributions.length === 0) return;
  const idOf = (externalId: string | null): string | null =>
    externalId === null ? null : (accountIds.get(externalId) ?? null);
  const rows = read.contributions.map((contribution) => ({
    kind: contribution.kind,
    external_id: contribution.externalId,
    parent_external_id: contribution.parentExternalId,
    account_id: idOf(contribution.author),
    answered_by: idOf(contribution.answeredBy),
    answered: contribution.answered,
    created_at: contribution.createdAt,
    updated_at: contribution.updatedAt,
    closed_at: contribution.closedAt,
    merged_at: contribution.mergedAt,
  }));
  await sql`
    with page as (
      select distinct on (kind, external_id) * from json_to_recordset(${JSON.stringify(rows)}::json) as p (
        kind text, external_id text, parent_external_id text, account_id uuid, answered_by uuid, answered boolean,
        created_at timestamptz, updated_at timestamptz, closed_at timestamptz, merged_at timestamptz)
      order by kind, external_id, updated_at desc
    ), vanished_reviews as (
      delete from contributions c
      where repository_id = ${repositoryId} and kind = 'review' and parent_external_id = any(${read.wholeParents})
        and not exists (select from page p where p.kind = c.kind and p.external_id = c.external_id)
    )
    insert into contributions as c (
      repository_id, kind, external_id, parent_external_id, account_id, answered_by, answered,
      created_at, updated_at, closed_at, merged_at, seen_at)
    select ${repositoryId}, kind, external_id, parent_external_id, account_id, answered_by, answered,
      created_at, updated_at, closed_at, merged_at, ${seenAt}
    from page
    on conflict (repository_id, kind, external_id) do update set
      parent_external_id = excluded.parent_external_id, account_id = excluded.account_id,
      answered_by = excluded.answered_by, answered = excluded.answered, created_at = excluded.created_at,
      updated_at = excluded.updated_at, closed_at = excluded.closed_at, merged_at = excluded.merged_at,
      seen_at = greatest(c.seen_at, excluded.seen_at)
    where c.updated_at <= excluded.updated_at`.execute(connection);
}

/** Removes what a scan that read everything since `scanStartedAt` did not see, unless it changed meanwhile. */
export async function removeUnseen(
  connection: Connection,
  scan: { repositoryId: string; kinds: readonly Contribution['kind'][]; scanStartedAt: Date },
): Promise<void> {
  await connection
    .deleteFrom('contributions')
    .where('repository_id', '=', scan.repositoryId)
    .where('kind', 'in', scan.kinds)
    .where('seen_at', '<', scan.scanStartedAt)
    .where('updated_at', '<', scan.scanStartedAt)
    .execute();
}

/** How many contributions of one kind a scan has seen. */
export async function countSeen(
  connection: Connection,
  scan: { repositoryId: string; kind: Contribution['kind']; since: Date },
): Promise<number> {
  const { count } = await connection
    .selectFrom('contributions')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('repository_id', '=', scan.repositoryId)
    .where('kind', '=', scan.kind)
    .where('seen_at', '>=', scan.since)
    .executeTakeFirstOrThrow();
  return count;
}

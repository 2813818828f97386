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
  const rows = newestOfEach(read.contributions);
  const column = <Value>(read: (contribution: Contribution) => Value): Value[] => rows.map(read);
  if (read.wholeParents.length > 0) await removeVanishedReviews(connection, read);
  await sql`
    insert into contributions as c (
      repository_id, kind, external_id, parent_external_id, account_id, answered_by, answered,
      created_at, updated_at, closed_at, merged_at, seen_at)
    select ${repositoryId}, kind, external_id, parent_external_id, account_id, answered_by, answered,
      created_at, updated_at, closed_at, merged_at, ${seenAt}
    from unnest(
      ${column(({ kind }) => kind)}::text[], ${column(({ externalId }) => externalId)}::text[],
      ${column(({ parentExternalId }) => parentExternalId)}::text[], ${column(({ author }) => idOf(author))}::uuid[],
      ${column(({ answeredBy }) => idOf(answeredBy))}::uuid[], ${column(({ answered }) => answered)}::boolean[],
      ${column(({ createdAt }) => createdAt)}::timestamptz[], ${column(({ updatedAt }) => updatedAt)}::timestamptz[],
      ${column(({ closedAt }) => closedAt)}::timestamptz[], ${column(({ mergedAt }) => mergedAt)}::timestamptz[]
    ) as page (kind, external_id, parent_external_id, account_id, answered_by, answered, created_at, updated_at,
      closed_at, merged_at)
    on conflict (repository_id, kind, external_id) do update set
      parent_external_id = excluded.parent_external_id, account_id = excluded.account_id,
      answered_by = excluded.answered_by, answered = excluded.answered, created_at = excluded.created_at,
      updated_at = excluded.updated_at, closed_at = excluded.closed_at, merged_at = excluded.merged_at,
      seen_at = greatest(c.seen_at, excluded.seen_at)
    where c.updated_at <= excluded.updated_at`.execute(connection);
}

/** A page may tell a thing twice; of its states the newest counts. In one order for all, so that writers never wait in a circle. */
function newestOfEach(contributions: readonly Contribution[]): Contribution[] {
  const newest = new Map<string, Contribution>();
  for (const contribution of contributions) {
    const key = `${contribution.kind} ${contribution.externalId}`;
    const known = newest.get(key);
    if (known === undefined || known.updatedAt <= contribution.updatedAt) newest.set(key, contribution);
  }
  return [...newest].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, contribution]) => contribution);
}

/** Of pull requests whose reviews were all told: those that were not. */
async function removeVanishedReviews(connection: Connection, read: ReadContributions): Promise<void> {
  const told = read.contributions.filter(({ kind }) => kind === 'review').map(({ externalId }) => externalId);
  await sql`
    delete from contributions
    where repository_id = ${read.repositoryId} and kind = 'review' and parent_external_id = any(${read.wholeParents})
      and external_id <> all(${told})`.execute(connection);
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

/** Removes one contribution; with a pull request its reviews. */
export async function removeContribution(
  connection: Connection,
  item: { repositoryId: string; kind: Contribution['kind']; externalId: string },
): Promise<void> {
  await sql`
    delete from contributions
    where repository_id = ${item.repositoryId} and (
      (kind = ${item.kind} and external_id = ${item.externalId})
      or (${item.kind} = 'pull_request' and kind = 'review' and parent_external_id = ${item.externalId}))`.execute(
    connection,
  );
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

import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { deleteSome } from '../../database/schema/delete-some.ts';
import { changeContributions } from './write-store.ts';

/** Deliveries about stars are summed for each account and second, so that their order does not matter. */

/** A delivery's report that an account starred a repository, or took that back. */
interface StarEvent {
  repositoryId: string;
  /** The account's id at its host, which is also the star's id. */
  externalId: string;
  /** The time of the event; hosts report whole seconds. */
  at: Date;
  isTakenBack: boolean;
}

/** The state of an account's star according to all deliveries so far, and the time since when it holds. */
interface StarState {
  isStarred: boolean;
  at: Date;
}

/** The state of the star of one account. */
interface DeliveredStar extends StarState {
  externalId: string;
  /** The id of the stored account; null when it is not stored. */
  accountId: string | null;
}

/**
 * Stores a delivery about a star. Must run in the transaction that marks the delivery as applied.
 *
 * Starring and taking back alternate. A positive or negative balance of a second is therefore the state at its end, and
 * a balance of zero means that the second ended as it began. The state before the first delivery is the star as it is
 * stored at that time.
 */
export async function saveStarEvent(transaction: Connection, event: StarEvent, now: Date): Promise<StarState> {
  const { repositoryId, externalId, at, isTakenBack } = event;
  await sql`
    insert into star_events (repository_id, external_id, at, balance, recorded_at)
    select ${repositoryId}::uuid, ${externalId}::text, '-infinity', case when exists (
      select 1 from contributions c
      where c.repository_id = ${repositoryId} and c.kind = 'star' and c.external_id = ${externalId}
        and c.created_at < ${at}) then 1 else -1 end, ${now}
    where not exists (
      select 1 from star_events e where e.repository_id = ${repositoryId} and e.external_id = ${externalId})
    on conflict do nothing`.execute(transaction);
  await sql`
    insert into star_events as e (repository_id, external_id, at, balance, recorded_at)
    values (${repositoryId}, ${externalId}, ${at}, ${isTakenBack ? -1 : 1}, ${now})
    on conflict (repository_id, external_id, at) do update
      set balance = e.balance + excluded.balance, recorded_at = excluded.recorded_at`.execute(transaction);
  const { rows } = await sql<StarState>`
    select ${stateInSql} from star_events
    where repository_id = ${repositoryId} and external_id = ${externalId}`.execute(transaction);
  const [state] = rows;
  if (state === undefined) throw new Error('an aggregate gave no row');
  return state;
}

/** The columns of a `StarState` of an account, of whose deliveries the rows are aggregated. */
const stateInSql = sql`
  (array_agg(balance order by at desc) filter (where balance <> 0))[1] > 0 as "isStarred", max(at) as at`;

/** Finds the states of a repository's stars about which deliveries were recorded at `since` or later. */
export async function findDeliveredStars(
  connection: Connection,
  repositoryId: string,
  since: Date,
): Promise<DeliveredStar[]> {
  const { rows } = await sql<DeliveredStar>`
    select e.external_id as "externalId", a.id as "accountId", ${stateInSql}
    from star_events e
    join repositories r on r.id = e.repository_id
    left join accounts a on a.provider = r.provider and a.external_id = e.external_id
    where e.repository_id = ${repositoryId}
    group by e.external_id, a.id having max(e.recorded_at) >= ${since}`.execute(connection);
  return rows;
}

/** Removes a star that was given at `until` or before. */
export async function removeStar(
  transaction: Connection,
  star: { repositoryId: string; externalId: string; until: Date },
): Promise<void> {
  await changeContributions(transaction, star.repositoryId, (change) =>
    change.remove(sql`c.kind = 'star' and c.external_id = ${star.externalId} and c.created_at <= ${star.until}`),
  );
}

/**
 * Deletes some deliveries about stars: those of an account in a repository of which none arrived since `before`.
 * @returns how many.
 */
export function deleteStarEvents(connection: Connection, before: Date, limit: number): Promise<number> {
  // A subquery that cannot be a join, for which the planner would read the whole table.
  const where = sql`recorded_at < ${before} and (
    select true from star_events o where o.repository_id = star_events.repository_id
      and o.external_id = star_events.external_id and o.recorded_at >= ${before} limit 1) is null`;
  return deleteSome(connection, 'star_events', { where, orderBy: sql`recorded_at`, limit });
}

import { sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import { addJob } from '../../../database/queue/added-jobs.ts';

/**
 * The number of repositories taken at a time, in random order, so that repositories that have to wait do not block
 * others.
 */
const repositoriesAtOnce = 500;
/** The most repositories that use an address in which one transaction queues evaluations. */
const usesAtOnce = 5000;

/** Queues the evaluation of a repository if there is anything to evaluate. */
export async function requestAwards(connection: Connection, repositoryId: string, now: Date): Promise<void> {
  const found = await findToEvaluate(connection, now, repositoryId);
  if (found.length > 0) await addAwardJob(connection, repositoryId);
}

/**
 * Queues the evaluation of all repositories with work that an interruption left behind, or with an achievement whose
 * date has come.
 */
export async function requestAllAwards(connection: Connection, now: Date): Promise<void> {
  for (const id of await findToEvaluate(connection, now, null)) await addAwardJob(connection, id);
}

/**
 * Queues the evaluations in further repositories that use an address whose account changed (see
 * `queue_evaluations_of_identities`).
 * @returns 0 when none are left.
 */
export async function queueNextOfAddresses(connection: Connection, limit = usesAtOnce): Promise<number> {
  const { rows } = await sql`
    with taken as (
      delete from changed_identities where id = (
        select id from changed_identities order by id limit 1 for update skip locked)
      returning identity_id, account_ids, queued_until)
    select queue_evaluations_of_identity(identity_id, account_ids, queued_until, ${limit}::integer)
    from taken`.execute(connection);
  return rows.length;
}

export function addAwardJob(connection: Connection, repositoryId: string): Promise<void> {
  const key = `award ${repositoryId}`;
  return addJob(connection, { task: 'award', payload: { repositoryId }, key, priority: 35 });
}

async function findToEvaluate(connection: Connection, now: Date, repositoryId: string | null): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select repository_id as id from (
      select distinct repository_id from pending_evaluations
      where ${repositoryId}::uuid is null or repository_id = ${repositoryId}::uuid
      union
      select repository_id from achievements
      where is_current and evaluated_at is null and evaluate_at <= ${now}
        and (${repositoryId}::uuid is null or repository_id = ${repositoryId}::uuid)) waiting
    order by random() limit ${repositoriesAtOnce}`.execute(connection);
  return rows.map(({ id }) => id);
}

/**
 * Finds repositories with an achievement whose date has come, but whose last collection is older than that date plus
 * `settlingMs`.
 */
export async function findUnknownAtDate(
  connection: Connection,
  due: { dueBefore: Date; settlingMs: number },
): Promise<{ ownerId: string; name: string }[]> {
  const { rows } = await sql<{ ownerId: string; name: string }>`
    select distinct r.owner_id as "ownerId", r.name from achievements a join repositories r on r.id = a.repository_id
    where a.is_current and a.evaluated_at is null and a.evaluate_at <= ${due.dueBefore}
      and r.installed_at is not null and r.deleted_at is null
      and (r.collected_at is null
        or r.collected_at < a.evaluate_at + ${due.settlingMs}::integer * interval '1 millisecond')
    order by r.name limit ${repositoriesAtOnce}`.execute(connection);
  return rows;
}

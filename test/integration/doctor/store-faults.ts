import { sql } from 'kysely';
import type { Connection } from '../../../src/database/connections/connection.ts';

/** Stores data with faults for the doctor to find. */

/** Stores an installed repository with a stream that was known up to an hour ago. @returns the id of the repository. */
export async function storeRepository(
  connection: Connection,
  repository: { name: string; owner?: string; isPrivate?: boolean; credentialName?: string; changedHoursAgo?: number },
): Promise<string> {
  const { name, owner = 'acme', isPrivate = false, credentialName = null, changedHoursAgo = null } = repository;
  const { rows } = await sql<{ id: string }>`
    with account as (
      insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
      values (gen_random_uuid(), 'github', ${owner}, ${owner}, 'organization', ${owner}, now(), now(), now())
      on conflict (provider, external_id) do update set name = excluded.name returning id
    ), repository as (
      insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, credential_name, is_fork, named_at,
        listed_at, installed_at, created_at, updated_at)
      select gen_random_uuid(), 'github', ${`${owner}/${name}`}, ${name}, id, ${name}, ${isPrivate}, ${credentialName}, false,
        now(), now(), now() - interval '30 days', now(), now() from account
      returning id
    ), poll as (
      insert into repository_polls (repository_id, next_at, interval_s, digest)
      select id, now() + interval '1 hour', 900, '' from repository
    ), stream as (
      insert into streams (repository_id, name, covers, completed_at, known_until, provider_changed_at)
      select id, 'issues', '{issue}', now() - interval '1 hour', now() - interval '1 hour',
        now() - make_interval(hours => ${changedHoursAgo}::integer) from repository
    )
    select id from repository`.execute(connection);
  return rows[0]?.id ?? '';
}

export async function storeFailure(
  connection: Connection,
  repositoryId: string,
  failure: { code: string; reason: string },
): Promise<void> {
  await sql`
    update streams set failure = ${failure.code}, failure_reason = ${failure.reason}, failed_at = '2026-03-01T13:00:00Z',
      failing_since = '2026-03-01T12:00:00Z'
    where repository_id = ${repositoryId}`.execute(connection);
}

export async function storeSkippedItem(
  connection: Connection,
  repositoryId: string,
  skipped: { kind: string; reason: 'unreadable' | 'refused'; path: string; isStored: boolean; explanation?: string },
): Promise<void> {
  const { kind, reason, path, isStored, explanation = '' } = skipped;
  await sql`
    insert into skipped_items (provider, repository_id, stream, kind, reason, path, explanation, is_stored, is_counted,
      items, first_seen_at, seen_at)
    values ('github', ${repositoryId}, 'issues', ${kind}, ${reason}, ${path}, ${explanation}, ${isStored}, true, 3, now(),
      now())`.execute(connection);
}

export async function storeDelivery(
  connection: Connection,
  delivery: { id: string; hoursAgo: number; isApplied?: boolean; attempts?: number },
): Promise<void> {
  const { id, hoursAgo, isApplied = false, attempts = 0 } = delivery;
  await sql`
    insert into deliveries (provider, id, event, changes, received_at, applied_at, attempts)
    values ('github', ${id}, 'issues', '[]', now() - make_interval(hours => ${hoursAgo}::integer),
      ${isApplied ? sql`now()` : null}, ${attempts})`.execute(connection);
}

/** Stores a job that failed at every attempt. */
export async function storeFailedJob(
  connection: Connection,
  job: { task: string; key: string; attempts: number; error: string },
): Promise<void> {
  await sql`
    select graphile_worker.add_job(${job.task}, '{"name": "private-name"}'::json, job_key => ${job.key})`.execute(
    connection,
  );
  await sql`
    update graphile_worker._private_jobs set attempts = ${job.attempts}, last_error = ${job.error}
    where key = ${job.key}`.execute(connection);
}

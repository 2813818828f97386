import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';

/** Locks streams, and stores that they changed. Rows of streams are locked in the order of their names (decision 63). */

/** Keeps other transactions from changing the streams of repositories until this one ends. */
export async function lockStreams(transaction: Connection, repositoryIds: readonly string[]): Promise<void> {
  await sql`
    select from streams where repository_id = any(${repositoryIds}::uuid[]) order by repository_id, name
    for no key update`.execute(transaction);
}

/** Keeps other transactions from changing a stream, and the repository from being erased, until this one ends. */
export async function lockStream(transaction: Connection, repositoryId: string, stream: string): Promise<void> {
  await sql`
    select from streams where repository_id = ${repositoryId} and name = ${stream}
      and hold_repository(${repositoryId}::uuid) is not null
    for no key update`.execute(transaction);
}

/** Stores that the provider reported a change in streams. */
export async function recordStreamChange(
  connection: Connection,
  repositoryId: string,
  streams: readonly string[],
  now: Date,
): Promise<void> {
  await sql`update streams set invalidated_at = ${now} where ${areLocked(repositoryId, streams)}`.execute(connection);
}

/** Requests a whole scan of streams. */
export async function wantFullScan(
  connection: Connection,
  repositoryId: string,
  streams: readonly string[],
  now: Date,
): Promise<void> {
  await sql`
    update streams set full_scan_wanted_at = ${now} where ${areLocked(repositoryId, streams)}`.execute(connection);
}

/** Returns SQL that is true for streams of a repository, which it locks in the order of their names. */
function areLocked(repositoryId: string, streams: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`repository_id = ${repositoryId} and name in (
    select name from streams where repository_id = ${repositoryId} and name = any(${streams})
    order by name for no key update)`;
}

import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connection.ts';
import { passGate } from '../../database/gate.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { Encoded } from './encode.ts';

/** What is known of the image of an address. */
export interface StoredImage {
  url: string;
  /** Null: there was none when it was asked for. */
  small: Buffer | null;
  large: Buffer | null;
  etag: string | null;
  failures: number;
  /** When it is to be asked for anew. */
  refreshAt: Date;
}

export async function findImages(connection: Connection, urls: readonly string[]): Promise<StoredImage[]> {
  return connection
    .selectFrom('images')
    .select(['url', 'small', 'large', 'etag', 'failures', 'refresh_at as refreshAt'])
    .where('url', 'in', urls)
    .execute();
}

/** An image that is asked for. */
export interface WantedImage {
  url: string;
  /** The repository that it comes from; undefined: it is the avatar of accounts. */
  repositoryId: string | undefined;
}

/**
 * Stores an image as it is now. One that nothing shows any more, because its account or repository was erased meanwhile,
 * is not stored.
 */
export async function saveImage(
  connection: Connection,
  { url, repositoryId }: WantedImage,
  image: { encoded: Encoded; etag: string | null; refreshAt: Date; now: Date },
): Promise<void> {
  const { encoded, etag, refreshAt, now } = image;
  await inTransaction(connection, async (transaction) => {
    await passGate(transaction);
    await sql`
      with source as (${sourceOf(url, repositoryId)})
      insert into images (url, small, large, etag, failures, refresh_at, used_at, repository_id)
      select ${url}, ${encoded.small}, ${encoded.large}, ${etag}, 0, ${refreshAt}, ${now}, repository_id from source
      on conflict (url) do update set small = excluded.small, large = excluded.large, etag = excluded.etag, failures = 0,
        refresh_at = excluded.refresh_at`.execute(transaction);
  });
}

/** A row with what an image is kept for; none where that is gone. */
function sourceOf(url: string, repositoryId: string | undefined): RawBuilder<unknown> {
  return repositoryId === undefined
    ? sql`select null::uuid as repository_id where exists (select from accounts where avatar_url = ${url})`
    : sql`select id as repository_id from repositories where id = ${repositoryId} for key share`;
}

/** It is still the same. */
export async function keepImage(connection: Connection, url: string, refreshAt: Date): Promise<void> {
  await connection.updateTable('images').set({ failures: 0, refresh_at: refreshAt }).where('url', '=', url).execute();
}

/** There was none to be had; the last good one stays. */
export async function noteMissing(
  connection: Connection,
  { url, repositoryId }: WantedImage,
  { refreshAt, now }: { refreshAt: Date; now: Date },
): Promise<void> {
  await inTransaction(connection, async (transaction) => {
    await passGate(transaction);
    await sql`
      with source as (${sourceOf(url, repositoryId)})
      insert into images as i (url, failures, refresh_at, used_at, repository_id)
      select ${url}, 1, ${refreshAt}, ${now}, repository_id from source
      on conflict (url) do update set failures = least(i.failures + 1, 100), refresh_at = excluded.refresh_at`.execute(
      transaction,
    );
  });
}

/** Notes which images are shown, so that others can go. */
export async function noteUsed(
  connection: Connection,
  urls: readonly string[],
  now: Date,
  before: Date,
): Promise<void> {
  await connection
    .updateTable('images')
    .set({ used_at: now })
    .where('url', 'in', urls)
    .where('used_at', '<', before)
    .execute();
}

/** Removes what has not been shown since `before`, and what was shown longest ago where there are more than `keep`. */
export async function removeUnused(connection: Connection, before: Date, keep: number): Promise<void> {
  await sql`
    delete from images where used_at < ${before}
      or url in (select url from images order by used_at desc offset ${keep})`.execute(connection);
}

import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import { inTransaction } from '../../../database/connections/transaction.ts';
import { deleteSome } from '../../../database/schema/delete-some.ts';
import { takeSharedErasureLock } from '../../../database/schema/erasure.ts';
import type { Encoded } from './encode.ts';

/** The stored state of the image at a URL. */
export interface StoredImage {
  url: string;
  /** Null when no fetch has returned an image yet. */
  small: Buffer | null;
  large: Buffer | null;
  etag: string | null;
  failures: number;
  /** The time at which the image is fetched again. */
  refreshAt: Date;
}

export async function findImages(connection: Connection, urls: readonly string[]): Promise<StoredImage[]> {
  return connection
    .selectFrom('images')
    .select(['url', 'small', 'large', 'etag', 'failures', 'refresh_at as refreshAt'])
    .where('url', 'in', urls)
    .execute();
}

/** An image to fetch. */
export interface WantedImage {
  url: string;
  /** The repository that the image comes from; undefined for the avatar of an account. */
  repositoryId: string | undefined;
}

/** Stores an image, unless its account or repository was erased meanwhile. */
export async function saveImage(
  connection: Connection,
  { url, repositoryId }: WantedImage,
  image: { encoded: Encoded; etag: string | null; refreshAt: Date; now: Date },
): Promise<void> {
  const { encoded, etag, refreshAt, now } = image;
  await inTransaction(connection, async (transaction) => {
    await takeSharedErasureLock(transaction);
    await sql`
      with source as (${selectSource(url, repositoryId)})
      insert into images (url, small, large, etag, failures, refresh_at, used_at, repository_id)
      select ${url}, ${encoded.small}, ${encoded.large}, ${etag}, 0, ${refreshAt}, ${now}, repository_id from source
      on conflict (url) do update set small = excluded.small, large = excluded.large, etag = excluded.etag, failures = 0,
        refresh_at = excluded.refresh_at`.execute(transaction);
  });
}

/** Returns SQL with a row for the account or repository that an image belongs to; no row when it is erased. */
function selectSource(url: string, repositoryId: string | undefined): RawBuilder<unknown> {
  return repositoryId === undefined
    ? sql`select null::uuid as repository_id where exists (select from accounts where avatar_url = ${url})`
    : sql`select id as repository_id from repositories where id = ${repositoryId} for key share`;
}

/** Notes that an image is unchanged. */
export async function keepImage(connection: Connection, url: string, refreshAt: Date): Promise<void> {
  await connection.updateTable('images').set({ failures: 0, refresh_at: refreshAt }).where('url', '=', url).execute();
}

/** Notes that a fetch returned no image; the last good one stays. */
export async function recordMissing(
  connection: Connection,
  { url, repositoryId }: WantedImage,
  { refreshAt, now }: { refreshAt: Date; now: Date },
): Promise<void> {
  await inTransaction(connection, async (transaction) => {
    await takeSharedErasureLock(transaction);
    await sql`
      with source as (${selectSource(url, repositoryId)})
      insert into images as i (url, failures, refresh_at, used_at, repository_id)
      select ${url}, 1, ${refreshAt}, ${now}, repository_id from source
      on conflict (url) do update set failures = least(i.failures + 1, 100), refresh_at = excluded.refresh_at`.execute(
      transaction,
    );
  });
}

/** Notes which images are shown, so that others can be removed. */
export async function recordUsed(
  connection: Connection,
  urls: readonly string[],
  now: Date,
  before: Date,
): Promise<void> {
  await sql`
    update images set used_at = ${now} where url = any(array(
      select url from images where url = any(${[...urls]}::text[]) and used_at < ${before}
      order by url for no key update))`.execute(connection);
}

/**
 * Removes some images: those that were not shown since `before`, then of more than `keep` images those that were shown
 * longest ago.
 * @returns how many.
 */
export async function removeUnused(
  connection: Connection,
  { before, keep, limit }: { before: Date; keep: number; limit: number },
): Promise<number> {
  const where = sql`used_at < ${before}`;
  const old = await deleteSome(connection, 'images', { where, orderBy: sql`used_at`, limit });
  if (old > 0) return old;
  const { numAffectedRows = 0n } = await sql`
    delete from images where url = any(array(
      select url from images where url = any(array(select url from images order by used_at desc offset ${keep} limit ${limit}))
      for update skip locked))`.execute(connection);
  return Number(numAffectedRows);
}

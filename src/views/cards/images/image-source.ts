import { setTimeout as wait } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { Connection } from '../../../database/connections/connection.ts';
import { inBatches } from '../../../database/connections/transaction.ts';
import { createOutboundClient, type OutboundClient, type OutboundResponse } from '../../../hosts/outbound/client.ts';
import type { ImageSize } from '../card.ts';
import { encodeImage, toDataAddress } from './encode.ts';
import {
  findImages,
  keepImage,
  recordMissing,
  recordUsed,
  removeUnused,
  type StoredImage,
  saveImage,
  type WantedImage,
} from './store.ts';

/** An image as its server sent it. */
interface Received {
  bytes: Buffer;
  etag: string | null;
}

const fetchLimits = {
  bytes: 2 * 1024 * 1024,
  redirects: 3,
  timeoutMs: 5000,
};
const imageTypes = /^(image\/(png|jpeg|webp|gif)|application\/octet-stream)\s*(;|$)/i;

/**
 * Fetches images from other servers: within strict limits, and never from a server that only this service can reach.
 */
interface ImageClient {
  /**
   * @param etag the ETag of the stored image; null when there is none.
   * @returns undefined when the image is unchanged.
   * @throws Error with the reason why there is no image.
   */
  fetch(address: string, etag: string | null): Promise<Received | undefined>;
  close(): Promise<void>;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const limits = {
  /** The number of fetches at once. */
  fetches: 8,
  /**
   * The maximum number of images that are being fetched or wait for it; further ones are fetched when their card is
   * drawn again.
   */
  waiting: 500,
  images: 100_000,
  /** The most images that one statement removes. */
  removed: 500,
};
const freshForMs = dayMs;
const firstRetryMs = hourMs / 6;
const maxRetryMs = 7 * dayMs;
const unusedForMs = 30 * dayMs;
const sweepEveryMs = hourMs;

interface ImageSourceOptions {
  connection: Connection;
  client: ImageClient;
  now: () => Date;
  onFailure: (error: unknown) => void;
}

interface FindOptions {
  size: ImageSize;
  repositories?: ReadonlyMap<string, string> | undefined;
  deadline: Date;
}

/** Provides images for cards as data URLs: stored ones, and fetched ones where none is stored. */
export class ImageSource {
  readonly #options: ImageSourceOptions;
  readonly #fetching = new Map<string, Promise<void>>();
  /** Writes that no response waits for. */
  readonly #writing = new Set<Promise<unknown>>();
  readonly #queue = new PQueue({ concurrency: limits.fetches });
  #isClosed = false;
  #sweptAt = 0;

  constructor(options: ImageSourceOptions) {
    this.#options = options;
  }

  /**
   * Finds images by their URLs. Waits until the deadline for images that were never fetched before.
   * @param repositories the ids of the repositories that images come from, by URL; all other images are avatars.
   * @returns the images that exist, and `isFinal`, which is false while one of them is still being fetched.
   */
  async find(
    addresses: readonly string[],
    { size, repositories, deadline }: FindOptions,
  ): Promise<{ images: Map<string, string>; isFinal: boolean }> {
    const urls = [...new Set(addresses)].filter((address) => URL.canParse(address));
    if (urls.length === 0) return { images: new Map(), isFinal: true };
    const { connection, now } = this.#options;
    let stored = await findImages(connection, urls);
    const unknown = urls.filter((url) => !stored.some((image) => image.url === url));
    const wanted = (url: string): WantedImage => ({ url, repositoryId: repositories?.get(url) });
    for (const image of stored) if (image.refreshAt <= now()) void this.#fetch(wanted(image.url), image);
    if (unknown.length > 0) {
      const fetches = Promise.all(unknown.map((url) => this.#fetch(wanted(url), undefined)));
      const ending = new AbortController();
      const patience = Math.max(0, deadline.getTime() - now().getTime());
      await Promise.race([fetches, wait(patience, undefined, { signal: ending.signal, ref: false }).catch(() => {})]);
      ending.abort();
      stored = await findImages(connection, urls);
    }
    this.#recordAndRemove(urls);
    const images = new Map<string, string>();
    for (const image of stored) {
      const found = image[size];
      if (found !== null) images.set(image.url, toDataAddress(found));
    }
    return { images, isFinal: !unknown.some((url) => this.#fetching.has(url)) };
  }

  /** Ends running fetches and drops those that have not begun; neither counts as a failure of the image. Waits for writes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#options.client.close();
    await Promise.allSettled([...this.#fetching.values(), ...this.#writing]);
  }

  /** Fetches an image once for all concurrent callers. Never rejects. */
  #fetch(image: WantedImage, known: StoredImage | undefined): Promise<void> {
    const { url } = image;
    const running = this.#fetching.get(url);
    if (running !== undefined) return running;
    if (this.#fetching.size >= limits.waiting) return Promise.resolve();
    const fetching = this.#queue
      .add(() => this.#fetchAndStore(image, known))
      .catch(this.#options.onFailure)
      .finally(() => this.#fetching.delete(url));
    this.#fetching.set(url, fetching);
    return fetching;
  }

  async #fetchAndStore(image: WantedImage, known: StoredImage | undefined): Promise<void> {
    if (this.#isClosed) return;
    const { connection, client, now } = this.#options;
    const refreshAt = new Date(now().getTime() + freshForMs);
    let received: Awaited<ReturnType<ImageClient['fetch']>>;
    let encoded: Awaited<ReturnType<typeof encodeImage>> | undefined;
    try {
      received = await client.fetch(image.url, known?.small === null ? null : (known?.etag ?? null));
      encoded = received && (await encodeImage(received.bytes));
    } catch {
      if (this.#isClosed) return;
      const retryMs = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(20, known?.failures ?? 0));
      await recordMissing(connection, image, { refreshAt: new Date(now().getTime() + retryMs), now: now() });
      return;
    }
    if (received === undefined || encoded === undefined) await keepImage(connection, image.url, refreshAt);
    else await saveImage(connection, image, { encoded, etag: received.etag, refreshAt, now: now() });
  }

  /** Records which images are used, and at times removes unused ones, without delaying the response. */
  #recordAndRemove(urls: readonly string[]): void {
    const { connection, now } = this.#options;
    const time = now().getTime();
    this.#keep(recordUsed(connection, urls, now(), new Date(time - dayMs)));
    if (time - this.#sweptAt < sweepEveryMs) return;
    this.#sweptAt = time;
    const unused = { before: new Date(time - unusedForMs), keep: limits.images, limit: limits.removed };
    this.#keep(inBatches(() => removeUnused(connection, unused)));
  }

  /** Keeps work that no response waits for, so that the source does not close before its end. */
  #keep(work: Promise<unknown>): void {
    const ended: Promise<unknown> = work.catch(this.#options.onFailure).finally(() => this.#writing.delete(ended));
    this.#writing.add(ended);
  }
}

/**
 * Creates a client.
 * @param ownHosts hosts, with their ports, that the operator has configured: they may be private.
 */
export function createImageClient(ownHosts: ReadonlySet<string>): ImageClient {
  const outbound = createOutboundClient({ allowedHosts: ownHosts, allowsHttp: true });
  return {
    fetch: (address, etag) => fetchImage(outbound, address, etag),
    close: () => outbound.close(),
  };
}

/** Follows redirects one by one, each with the checks of a first request. */
async function fetchImage(
  outbound: OutboundClient,
  address: string,
  etag: string | null,
): Promise<Received | undefined> {
  const signal = AbortSignal.timeout(fetchLimits.timeoutMs);
  let url = address;
  for (let redirects = 0; redirects <= fetchLimits.redirects; redirects += 1) {
    const response = await outbound.send({
      method: 'GET',
      url,
      headers: {
        accept: 'image/png, image/jpeg, image/webp, image/gif',
        'user-agent': 'plaudit',
        ...(etag !== null && { 'if-none-match': etag }),
      },
      timeoutMs: fetchLimits.timeoutMs,
      maxBytes: fetchLimits.bytes,
      signal,
    });
    const { location } = response.headers;
    if (response.status >= 300 && response.status < 400 && typeof location === 'string') {
      url = new URL(location, url).href;
      continue;
    }
    if (response.status === 304 && etag !== null) return undefined;
    return toImage(response);
  }
  throw new Error('too many redirects');
}

function toImage({ status, headers, body, isWhole }: OutboundResponse): Received {
  if (status !== 200) throw new Error(`status ${status}`);
  if (!imageTypes.test(String(headers['content-type'] ?? ''))) throw new Error('not an image that is shown');
  if (!isWhole) throw new Error('too large, or broken off');
  const { etag } = headers;
  return { bytes: body, etag: typeof etag === 'string' && etag.length <= 200 ? etag : null };
}

import { createOutboundClient, type OutboundClient, type OutboundResponse } from '../../../hosts/outbound/client.ts';

/** An image as its server sent it. */
export interface Received {
  bytes: Buffer;
  etag: string | null;
}

const limits = {
  bytes: 2 * 1024 * 1024,
  redirects: 3,
  timeoutMs: 5000,
};
const types = /^(image\/(png|jpeg|webp|gif)|application\/octet-stream)\s*(;|$)/i;

/**
 * Fetches images from other servers: within strict limits, and never from a server that only this service can reach.
 */
export interface ImageClient {
  /**
   * @param etag the ETag of the stored image; null when there is none.
   * @returns undefined when the image is unchanged.
   * @throws Error with the reason why there is no image.
   */
  fetch(address: string, etag: string | null): Promise<Received | undefined>;
  close(): Promise<void>;
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
  const signal = AbortSignal.timeout(limits.timeoutMs);
  let url = address;
  for (let redirects = 0; redirects <= limits.redirects; redirects += 1) {
    const response = await outbound.send({
      method: 'GET',
      url,
      headers: {
        accept: 'image/png, image/jpeg, image/webp, image/gif',
        'user-agent': 'plaudit',
        ...(etag !== null && { 'if-none-match': etag }),
      },
      timeoutMs: limits.timeoutMs,
      maxBytes: limits.bytes,
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
  if (!types.test(String(headers['content-type'] ?? ''))) throw new Error('not an image that is shown');
  if (!isWhole) throw new Error('too large, or broken off');
  const { etag } = headers;
  return { bytes: body, etag: typeof etag === 'string' && etag.length <= 200 ? etag : null };
}

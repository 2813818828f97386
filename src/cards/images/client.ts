import { createOutboundClient, type OutboundAnswer, type OutboundClient } from '../../outbound/client.ts';

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

/** Asks servers of others for images: strictly bounded, and never a server that only we can reach. */
export interface ImageClient {
  /**
   * @param etag of the image that is known; null: none is.
   * @returns undefined when it is still the same.
   * @throws Error that says why there is none.
   */
  fetch(address: string, etag: string | null): Promise<Received | undefined>;
  close(): Promise<void>;
}

/** @param ownHosts hosts, with their ports, that the operator has configured: they may be private. */
export function createImageClient(ownHosts: ReadonlySet<string>): ImageClient {
  const outbound = createOutboundClient({ allowedHosts: ownHosts, allowsHttp: true });
  return {
    fetch: (address, etag) => fetchImage(outbound, address, etag),
    close: () => outbound.close(),
  };
}

/** Redirects are followed one by one, each as if it had been asked for. */
async function fetchImage(
  outbound: OutboundClient,
  address: string,
  etag: string | null,
): Promise<Received | undefined> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  let url = address;
  for (let redirects = 0; redirects <= limits.redirects; redirects += 1) {
    const answer = await outbound.send({
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
    const { location } = answer.headers;
    if (answer.status >= 300 && answer.status < 400 && typeof location === 'string') {
      url = new URL(location, url).href;
      continue;
    }
    if (answer.status === 304 && etag !== null) return undefined;
    return toImage(answer);
  }
  throw new Error('too many redirects');
}

function toImage({ status, headers, body, isWhole }: OutboundAnswer): Received {
  if (status !== 200) throw new Error(`status ${status}`);
  if (!types.test(String(headers['content-type'] ?? ''))) throw new Error('not an image that is shown');
  if (!isWhole) throw new Error('too large, or broken off');
  const { etag } = headers;
  return { bytes: body, etag: typeof etag === 'string' && etag.length <= 200 ? etag : null };
}

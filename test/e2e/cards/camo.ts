import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A response of the proxy for one image. */
export interface Proxied {
  status: number;
  headers: Headers;
  body: Buffer;
}

/**
 * The proxies of code hosts wait four seconds. Machines that run several tests need longer, and slow providers even
 * longer.
 */
const timeoutMs = 15_000;
const maxBytes = 5 * 1024 * 1024;
const passedHeaderNames = [
  'content-type',
  'cache-control',
  'etag',
  'expires',
  'last-modified',
  'content-length',
  'content-encoding',
] as const;

const ownHeaders = {
  'content-security-policy': "default-src 'none'; img-src data:; style-src 'unsafe-inline'",
  'x-content-type-options': 'nosniff',
};

/** Returns the headers to pass on, without length and encoding, because `fetch` has decoded the body. */
function passedHeaders(headers: Headers): OutgoingHttpHeaders {
  const entries = passedHeaderNames.flatMap((name): [string, string][] => {
    const value = /length|encoding/.test(name) ? null : headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

interface CachedImage {
  headers: OutgoingHttpHeaders;
  body: Buffer;
  etag: string | undefined;
  freshUntil: number;
}

/**
 * Starts a proxy for images like those of code hosts (go-camo, atmos/camo). It sends headers of its own, times out,
 * passes on nothing but an image with status 200 or 304, caches it for its `max-age`, and revalidates it by ETag.
 */
export async function startCamo(
  now: () => Date,
): Promise<{ show(address: string): Promise<Proxied>; requestCount: number } & AsyncDisposable> {
  const kept = new Map<string, CachedImage>();
  let requestCount = 0;
  const server = createServer((request, response) => {
    const address = new URL(request.url ?? '/', 'http://camo').searchParams.get('url') ?? '';
    const fail = (status: number): void =>
      void response.writeHead(status, { 'cache-control': 'no-cache' }).end('Error Fetching Resource');
    fetchImage(address, request.headers).then(
      (found) => (found === undefined ? fail(404) : response.writeHead(200, found.headers).end(found.body)),
      () => fail(504),
    );
  });

  const fetchImage = async (
    address: string,
    { 'accept-encoding': coding }: IncomingHttpHeaders,
  ): Promise<CachedImage | undefined> => {
    const cached = kept.get(address);
    if (cached !== undefined && cached.freshUntil > now().getTime()) return cached;
    requestCount += 1;
    const found = await fetch(address, {
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        accept: 'image/*',
        via: 'camo',
        'user-agent': 'camo',
        ...(coding !== undefined && { 'accept-encoding': coding }),
        ...(cached?.etag !== undefined && { 'if-none-match': cached.etag }),
      },
    });
    const body = Buffer.from(await found.arrayBuffer());
    const lifeS = Number(/max-age=(\d+)/.exec(found.headers.get('cache-control') ?? '')?.[1] ?? 0);
    const freshUntil = now().getTime() + lifeS * 1000;
    const forwarded = passedHeaders(found.headers);
    if (found.status === 304 && cached !== undefined) {
      const updated = { ...cached, headers: { ...cached.headers, ...forwarded }, freshUntil };
      kept.set(address, updated);
      return updated;
    }
    const isImage = /^image\/(svg\+xml|png)\b/.test(found.headers.get('content-type') ?? '');
    if (found.status !== 200 || !isImage || body.length > maxBytes) return undefined;
    const headers: OutgoingHttpHeaders = { ...ownHeaders, ...forwarded };
    const picture = { headers, body, etag: found.headers.get('etag') ?? undefined, freshUntil };
    kept.set(address, picture);
    return picture;
  };

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    show: async (address) => {
      const response = await fetch(`http://127.0.0.1:${port}/?url=${encodeURIComponent(address)}`);
      return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
    },
    get requestCount() {
      return requestCount;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

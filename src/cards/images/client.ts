import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import ipaddr from 'ipaddr.js';
import { Agent, type Dispatcher, request } from 'undici';

/** An image as its server sent it. */
export interface Received {
  bytes: Buffer;
  etag: string | null;
}

const limits = {
  bytes: 2 * 1024 * 1024,
  redirects: 3,
  timeoutMs: 5000,
  addressLength: 2000,
};
const types = /^(image\/(png|jpeg|webp|gif)|application\/octet-stream)\s*(;|$)/i;
const webPorts = new Set(['', '80', '443']);

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
  const connectTimeout = { timeout: limits.timeoutMs };
  const guarded = new Agent({ connect: { ...connectTimeout, lookup: publicLookup } });
  const trusted = new Agent({ connect: connectTimeout });
  const dispatcherOf = (url: URL): Dispatcher => {
    if (ownHosts.has(url.host)) return trusted;
    requirePublic(url);
    return guarded;
  };
  return {
    fetch: (address, etag) => fetchImage(address, etag, dispatcherOf),
    close: async () => {
      await Promise.all([guarded.destroy(), trusted.destroy()]);
    },
  };
}

async function fetchImage(
  address: string,
  etag: string | null,
  dispatcherOf: (url: URL) => Dispatcher,
): Promise<Received | undefined> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  let url = readAddress(address);
  for (let redirects = 0; redirects <= limits.redirects; redirects += 1) {
    const { statusCode, headers, body } = await request(url, {
      dispatcher: dispatcherOf(url),
      signal,
      headers: {
        accept: 'image/png, image/jpeg, image/webp, image/gif',
        'user-agent': 'plaudit',
        ...(etag !== null && { 'if-none-match': etag }),
      },
    });
    const location = headers['location'];
    if (statusCode >= 300 && statusCode < 400 && typeof location === 'string') {
      discard(body);
      url = readAddress(new URL(location, url).href);
      continue;
    }
    if (statusCode === 304 && etag !== null) {
      discard(body);
      return undefined;
    }
    const refusal = refusalOf(
      statusCode,
      String(headers['content-type'] ?? ''),
      Number(headers['content-length'] ?? 0),
    );
    if (refusal !== undefined) {
      discard(body);
      throw new Error(refusal);
    }
    const tag = headers['etag'];
    return { bytes: await readBody(body), etag: typeof tag === 'string' && tag.length <= 200 ? tag : null };
  }
  throw new Error('too many redirects');
}

/** What is not read to its end is ended; that this is an error concerns nobody. */
function discard(body: Readable): void {
  body.on('error', () => {});
  body.destroy();
}

function refusalOf(status: number, type: string, length: number): string | undefined {
  if (status !== 200) return `status ${status}`;
  if (!types.test(type)) return 'not an image that is shown';
  return length > limits.bytes ? 'too large' : undefined;
}

async function readBody(body: Readable): Promise<Buffer> {
  body.on('error', () => {});
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limits.bytes) throw new Error('too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function readAddress(address: string): URL {
  if (address.length > limits.addressLength || !URL.canParse(address)) throw new Error('not an address');
  const url = new URL(address);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  if (!isWeb || url.username !== '' || url.password !== '') throw new Error('not an address of the web');
  return url;
}

/** For names the look-up decides; addresses themselves are not looked up. */
function requirePublic({ hostname, port }: URL): void {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (!webPorts.has(port) || (isIP(literal) > 0 && !isPublic(literal))) throw new Error('not a public address');
}

/** Refuses names that lead to what only we can reach, at the moment of connecting: what was checked is what is used. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '');
    const isRefused = addresses.length === 0 || addresses.some(({ address }) => !isPublic(address));
    if (isRefused) return callback(new Error('not a public address'), '');
    const [first] = addresses;
    if (options.all === true || first === undefined) return callback(null, addresses);
    return callback(null, first.address, first.family);
  });
};

/** Neither private, loopback, link-local, multicast, documentation, nor a way around that by mapping one kind into another. */
export function isPublic(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}

import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { Agent, type Dispatcher, request } from 'undici';
import { isPublicAddress } from './public-address.ts';

export interface OutboundRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** For the whole exchange. */
  timeoutMs: number;
  /** Of the answer's body, so much is read. */
  maxBytes: number;
  signal?: AbortSignal;
}

export interface OutboundAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
  /** False where the body is longer than was to be read, or broke off. */
  isWhole: boolean;
}

/** The address may not be asked: asking again would be refused again. */
export class RefusedAddress extends Error {}

/** Asks servers that somebody else named: never one that only we can reach, and redirects are answers like others. */
export interface OutboundClient {
  /** @throws RefusedAddress; else Error where there was no answer in time. */
  send(request: OutboundRequest): Promise<OutboundAnswer>;
  close(): Promise<void>;
}

type Lookup = typeof systemLookup;

export interface OutboundOptions {
  /** `host` or `host:port` of those that the operator lets be asked wherever they are, also by http. */
  allowedHosts: ReadonlySet<string>;
  /** Whether others may be asked by http too. */
  allowsHttp: boolean;
  /** Default: the system's. */
  lookup?: Lookup;
}

const maxAddressLength = 2000;
const webPorts = new Set(['', '80', '443']);

export function createOutboundClient({ lookup = systemLookup, ...options }: OutboundOptions): OutboundClient {
  const guarded = new Agent({ connect: { lookup: publicLookup(lookup) } });
  const trusted = new Agent();
  const dispatcherOf = (url: URL): Dispatcher => {
    if (options.allowedHosts.has(url.host)) return trusted;
    requirePublic(url, options.allowsHttp);
    return guarded;
  };
  return {
    send: (asked) => exchange(asked, dispatcherOf),
    close: async () => {
      await Promise.all([guarded.destroy(), trusted.destroy()]);
    },
  };
}

async function exchange(
  { method, url, headers, body, timeoutMs, maxBytes, signal }: OutboundRequest,
  dispatcherOf: (url: URL) => Dispatcher,
): Promise<OutboundAnswer> {
  const address = readAddress(url);
  const timeout = AbortSignal.timeout(timeoutMs);
  const answer = await request(address, {
    method,
    headers,
    body: body ?? null,
    dispatcher: dispatcherOf(address),
    signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  const isTooLong = Number(answer.headers['content-length'] ?? 0) > maxBytes;
  return {
    status: answer.statusCode,
    headers: answer.headers,
    ...(await readBody(answer.body, isTooLong ? 0 : maxBytes)),
  };
}

/** What is not read to its end is ended; that this is an error concerns nobody. */
async function readBody(body: Readable, maxBytes: number): Promise<{ body: Buffer; isWhole: boolean }> {
  body.on('error', () => {});
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) break;
      chunks.push(chunk);
    }
  } catch {
    return { body: Buffer.concat(chunks), isWhole: false };
  } finally {
    body.destroy();
  }
  return { body: Buffer.concat(chunks), isWhole: length <= maxBytes };
}

function readAddress(text: string): URL {
  if (text.length > maxAddressLength || !URL.canParse(text)) throw new RefusedAddress('not an address');
  const url = new URL(text);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  if (!isWeb || url.username !== '' || url.password !== '') throw new RefusedAddress('not an address of the web');
  return url;
}

/** For names the look-up decides; addresses themselves are not looked up. */
function requirePublic({ protocol, hostname, port }: URL, allowsHttp: boolean): void {
  if (protocol !== 'https:' && !allowsHttp) throw new RefusedAddress('not an address that begins with https://');
  const literal = hostname.replace(/^\[|\]$/g, '');
  const isPrivate = isIP(literal) > 0 && !isPublicAddress(literal);
  if (isPrivate || !webPorts.has(port)) throw new RefusedAddress('not a public address');
}

/** Refuses names that lead to what only we can reach, at the moment of connecting: what was checked is what is used. */
function publicLookup(lookup: Lookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '');
      const isRefused = addresses.length === 0 || addresses.some(({ address }) => !isPublicAddress(address));
      if (isRefused) return callback(new RefusedAddress('not a public address'), '');
      const [first] = addresses;
      if (options.all === true || first === undefined) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}

import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import ipaddr from 'ipaddr.js';
import { Agent, type Dispatcher, request } from 'undici';

/** Addresses in public ranges at which clouds offer services to the machines inside them: here of Azure. */
const insideClouds = new Set(['168.63.129.16']);
/** The only range of IPv6 from which public addresses are assigned (RFC 4291, section 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

interface OutboundRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** The limit for the whole exchange, in ms. */
  timeoutMs: number;
  /** The most bytes of the response's body that are read. */
  maxBytes: number;
  signal?: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
  /** False when the body is longer than `maxBytes`, or broke off. */
  isWhole: boolean;
}

/** The error for an address to which no request may be sent. A retry cannot help. */
export class RefusedAddress extends Error {}

/**
 * Sends requests to addresses that users of the service name, but only to public servers, so that users cannot reach
 * internal ones through the service. Redirects are returned, not followed.
 */
export interface OutboundClient {
  /** @throws RefusedAddress; another Error when no response arrives in time. */
  send(request: OutboundRequest): Promise<OutboundResponse>;
  close(): Promise<void>;
}

type Lookup = typeof systemLookup;

interface OutboundOptions {
  /** `host` or `host:port` of servers to which the operator allows requests even at private addresses and by http. */
  allowedHosts: ReadonlySet<string>;
  /** True when requests to all other servers may use http, too. */
  allowsHttp: boolean;
  /** Resolves names; absent: by the resolver of the operating system. */
  lookup?: Lookup;
}

/** The rules for addresses. */
export type AddressRules = Pick<OutboundOptions, 'allowedHosts' | 'allowsHttp'>;

const maxAddressLength = 2000;
const webPorts = new Set(['', '80', '443']);

export function createOutboundClient({ lookup = systemLookup, ...options }: OutboundOptions): OutboundClient {
  const guarded = new Agent({ connect: { lookup: publicLookup(lookup) } });
  const trusted = new Agent();
  const selectDispatcher = (url: URL): Dispatcher => {
    requirePermitted(url, options);
    return options.allowedHosts.has(url.host) ? trusted : guarded;
  };
  return {
    send: (outboundRequest) => exchange(outboundRequest, selectDispatcher),
    close: async () => {
      await Promise.all([guarded.destroy(), trusted.destroy()]);
    },
  };
}

async function exchange(
  { method, url, headers, body, timeoutMs, maxBytes, signal }: OutboundRequest,
  selectDispatcher: (url: URL) => Dispatcher,
): Promise<OutboundResponse> {
  const address = readAddress(url);
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await request(address, {
    method,
    headers,
    body: body ?? null,
    dispatcher: selectDispatcher(address),
    signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  const isTooLong = Number(response.headers['content-length'] ?? 0) > maxBytes;
  return {
    status: response.statusCode,
    headers: response.headers,
    ...(await readBody(response.body, isTooLong ? 0 : maxBytes)),
  };
}

/** Reads at most `maxBytes` of a body. Closes the connection of a longer body, and ignores the error of closing it. */
async function readBody(body: Readable, maxBytes: number): Promise<{ body: Buffer; isWhole: boolean }> {
  body.on('error', () => {});
  const received: AsyncIterable<Buffer> = body;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of received) {
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

/**
 * Returns an address to which requests may be sent, in its normal form (WHATWG URL). The addresses of a name are checked
 * with each request, because they can change.
 * @throws RefusedAddress
 */
export function readPermittedAddress(text: string, rules: AddressRules): string {
  const url = readAddress(text);
  requirePermitted(url, rules);
  return url.href;
}

function readAddress(text: string): URL {
  if (text.length > maxAddressLength || !URL.canParse(text)) throw new RefusedAddress('not an address');
  const url = new URL(text);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  if (!isWeb || url.username !== '' || url.password !== '') throw new RefusedAddress('not an address of the web');
  return url;
}

/** Checks the scheme, the port and a literal IP address. `publicLookup` checks the addresses of names. */
function requirePermitted({ protocol, host, hostname, port }: URL, { allowedHosts, allowsHttp }: AddressRules): void {
  if (allowedHosts.has(host)) return;
  if (protocol !== 'https:' && !allowsHttp) throw new RefusedAddress('not an address that begins with https://');
  const literal = hostname.replace(/^\[|\]$/g, '');
  const isPrivate = isIP(literal) > 0 && !isPublicAddress(literal);
  if (isPrivate || !webPorts.has(port)) throw new RefusedAddress('not a public address');
}

/**
 * Refuses names that resolve to private addresses. The check happens while connecting, so that the connection uses the
 * very address that was checked.
 */
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

/**
 * Returns whether an IP address is public. False for private, loopback, link-local, multicast and documentation
 * addresses, and for IPv6 addresses that embed IPv4 ones (NAT64, 6to4, Teredo); mapped IPv4 is checked as IPv4.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast' || insideClouds.has(address.toString())) return false;
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast);
}

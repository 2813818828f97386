import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Wait } from './envelope.ts';
import { isLoopback } from './rate-limits.ts';

/** The party on whose behalf a request starts lookups. */
export interface Requester {
  /** The account of the service token; null for a visitor. */
  ownerId: string | null;
  /** The addresses whose allowances a visitor's lookups count against. */
  origins: Origins | undefined;
  /** The network of a visitor who requests an image; its names that turn out not to exist count against it. */
  imageNetwork?: string;
  /** The limit that delays the last lookup of the request, and its end; undefined: it is not delayed. */
  wait?: Wait | undefined;
}

interface Origins {
  /** The client's address. */
  address: string;
  /** Its network: /24 of IPv4, /64 of IPv6. */
  network: string;
}

const networkBits = { ipv4: 24, ipv6: 64 };

/**
 * Returns the requester of a request. Requests for images count against no address, because image proxies fetch the
 * images of all READMEs from a few addresses, other than for names that turn out not to exist. Nor do requests from
 * loopback, which come from the operator or from a proxy for all clients.
 */
export function toRequester({ caller, ip }: Pick<FastifyRequest, 'caller' | 'ip'>, isImage: boolean): Requester {
  if (caller === null && isImage) {
    return { ownerId: null, origins: undefined, imageNetwork: toOrigins(ip).network };
  }
  const isCounted = caller === null && !isLoopback(ip);
  return { ownerId: caller?.accountId ?? null, origins: isCounted ? toOrigins(ip) : undefined };
}

/**
 * Returns the key by which a client is counted: its IPv4 address, or its IPv6 network /64, because it can use all
 * addresses in it. The rate limits group addresses in the same way (`@fastify/rate-limit`, option `ipv6Subnet`).
 */
export function toSender(ip: string): string {
  const { address, network } = toOrigins(ip);
  return address.includes(':') ? network : address;
}

/** Returns an address and its network in canonical form. An IPv4 address that is mapped to IPv6 becomes IPv4. */
function toOrigins(ip: string): Origins {
  const address = ipaddr.process(ip.replace(/%.*$/, ''));
  const bits = networkBits[address.kind()];
  const network =
    address instanceof ipaddr.IPv4
      ? ipaddr.IPv4.networkAddressFromCIDR(`${address.toString()}/${bits}`)
      : ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${bits}`);
  return { address: address.toString(), network: `${network.toString()}/${bits}` };
}

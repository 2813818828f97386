import ipaddr from 'ipaddr.js';

/** Where clouds answer to the machines inside them at an address that is public by its number. */
const insideClouds = new Set(['168.63.129.16']);
/** Of IPv6 nothing else is given out (RFC 4291, section 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address is one that everybody can reach: neither private, loopback, link-local, multicast, for
 * documentation, nor a way around that by mapping one kind into another (mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast' || insideClouds.has(address.toString())) return false;
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast);
}

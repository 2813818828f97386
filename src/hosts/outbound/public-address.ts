import ipaddr from 'ipaddr.js';

/** Addresses in public ranges at which clouds offer services to the machines inside them: here of Azure. */
const insideClouds = new Set(['168.63.129.16']);
/** The only range of IPv6 from which public addresses are assigned (RFC 4291, section 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

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

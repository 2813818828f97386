import ipaddr from 'ipaddr.js';

/** Endings of names that no public name server knows (RFC 6761, RFC 6762, RFC 8375, ICANN's `.internal`). */
const privateEndings = /(^|\.)(localhost|local|internal|lan|home\.arpa|test|invalid)$/;

/** Returns whether the host of a URL can be one of the internet, where image proxies of code hosts are. */
export function isPublic(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() === 'unicast';
  return host.includes('.') && !privateEndings.test(host);
}

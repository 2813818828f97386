/** Returns whether a text is a host with an optional port; false for the ports 80 and 443, which URLs leave out. */
export function isHost(text: string): boolean {
  return ['http', 'https'].every((protocol) => {
    const address = `${protocol}://${text}`;
    return URL.canParse(address) && new URL(address).host === text.toLowerCase();
  });
}

/** Returns whether a text is an IP address, a range in CIDR notation, or the name of a group such as `loopback`. */
export function isProxy(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', length, ...rest] = text.split('/');
  const bits = addressBits(address);
  const isRange = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits);
  return bits > 0 && isRange && rest.length === 0;
}

/** Returns 32 for an IPv4 address, 128 for an IPv6 address, 0 for anything else. */
function addressBits(text: string): number {
  if (text.includes(':')) return URL.canParse(`http://[${text}]`) ? 128 : 0;
  return URL.canParse(`http://${text}`) && /^[\d.]+$/.test(text) && new URL(`http://${text}`).hostname === text
    ? 32
    : 0;
}

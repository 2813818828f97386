import assert from 'node:assert/strict';

/** The host and the path of a public URL. */
export interface Place {
  host: string;
  base: string;
}

type Get = (path: string, init: RequestInit) => Promise<{ status: number; headers: Headers; text: string }>;

/** Returns the addresses in attributes and in JSON that lead to this service. */
function addressesIn(text: string, host: string): string[] {
  const found = [...text.matchAll(/(?:href|src|srcset|action|data-progress|content)="((?:https?:\/\/|\/)[^"]*)"/g)];
  return found
    .map(([, address = '']) => new URL(address.replaceAll('&amp;', '&'), host).href)
    .filter((address) => address.startsWith(host));
}

/**
 * Follows all links, images, styles and forms from an address on, up to a number of them, and asserts that each is below the
 * path of the public URL and is served.
 * @param get requests a path below the host.
 */
export async function walkBelow(get: Get, { host, base }: Place, { from = '', most = 120 } = {}): Promise<Set<string>> {
  const waiting = [`${host}${base}${from}`];
  const seen = new Set(waiting);
  for (const address of waiting) {
    const path = address.slice(host.length);
    const accept = path.includes('format=') ? 'image/*' : 'text/html';
    const response = await get(path, { headers: { accept } });
    assert.ok(response.status < 400, `${path}: ${response.status}`);
    const location = response.headers.get('location');
    const isPage = response.headers.get('content-type')?.startsWith('text/html') === true;
    const next = [
      ...(isPage ? addressesIn(response.text, host) : []),
      ...(location === null ? [] : [new URL(location, address).href]),
    ];
    for (const found of next.map((each) => each.replace(/#.*/, ''))) {
      if (!found.startsWith(host)) continue;
      assert.ok(found === `${host}${base}` || found.startsWith(`${host}${base}/`), `${path} leads to ${found}`);
      const isOneMore = !/[?&]lang=|\/sign-(in|out)|\/(pages\/progress|find)|openapi/.test(found);
      if (!seen.has(found) && isOneMore && seen.size < most) waiting.push(found);
      seen.add(found);
    }
  }
  return seen;
}

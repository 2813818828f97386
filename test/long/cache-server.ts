import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, json } from 'node:stream/consumers';
import { Type } from 'typebox';
import { Value } from 'typebox/value';

/**
 * A cache server for workflows, as the runners of GitHub Enterprise, Gitea and Forgejo have one: the first version of the
 * protocol of `@actions/cache` (its `internal/cacheHttpClient`).
 */
export interface CacheServer extends AsyncDisposable {
  /** The value of ACTIONS_CACHE_URL. */
  url: string;
  /** The stored archives by key, oldest first. */
  archives: Map<string, Buffer>;
  /** True to respond to each request with an error. */
  isFailing: boolean;
}

const Reserved = Type.Object({ key: Type.String(), version: Type.String() });
const path = '/_apis/artifactcache';

export async function startCacheServer(): Promise<CacheServer> {
  const reserved: { key: string; version: string; parts: Map<number, Buffer> }[] = [];
  const versions = new Map<string, string>();
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;

  const find = (keys: readonly string[], version: string): string | undefined => {
    const newestFirst = [...cache.archives.keys()].toReversed().filter((key) => versions.get(key) === version);
    for (const wanted of keys) {
      const key = newestFirst.find((stored) => stored.startsWith(wanted));
      if (key !== undefined) return key;
    }
    return undefined;
  };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '', url);
    const send = (status: number, body?: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(body && JSON.stringify(body));
    };
    const [, id] = /\/caches\/(\d+)$/.exec(pathname) ?? [];
    const entry = reserved[Number(id) - 1];
    if (cache.isFailing) send(500, { message: 'failing' });
    else if (pathname === `${path}/cache`) {
      const key = find((searchParams.get('keys') ?? '').split(','), searchParams.get('version') ?? '');
      if (key === undefined) send(204);
      else send(200, { cacheKey: key, scope: 'main', archiveLocation: `${url}archive?key=${encodeURIComponent(key)}` });
    } else if (pathname === '/archive') {
      response.end(cache.archives.get(searchParams.get('key') ?? ''));
    } else if (pathname === `${path}/caches` && request.method === 'POST') {
      const { key, version } = Value.Parse(Reserved, await json(request));
      // 0 would mean that there is no place.
      send(201, { cacheId: reserved.push({ key, version, parts: new Map() }) });
    } else if (entry !== undefined && request.method === 'PATCH') {
      // Parts of a large archive come at the same time, in any order.
      const [, start = 0] = (/^bytes (\d+)-/.exec(request.headers['content-range'] ?? '') ?? []).map(Number);
      entry.parts.set(start, await buffer(request));
      send(204);
    } else if (entry !== undefined && request.method === 'POST') {
      const parts = [...entry.parts].toSorted(([one], [other]) => one - other);
      cache.archives.set(entry.key, Buffer.concat(parts.map(([, part]) => part)));
      versions.set(entry.key, entry.version);
      send(204);
    } else send(404);
  };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    respond(request, response).catch(() => response.destroy());
  });
  const cache: CacheServer = {
    url,
    archives: new Map(),
    isFailing: false,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return cache;
}

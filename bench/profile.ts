import { makeTemporaryDirectory } from '../simulators/git/temporary-directory.ts';
import { sample } from '../src/app/commands/sample.ts';
import type { BenchResult } from './bench-result.ts';
import { startBareServer, startService } from './bench-service.ts';
import { compare, load } from './load.ts';

const mostBytes = 60_000;

/** Measures the page of a person: cached against a bare server, made for each request against endpoint 2, and its size. */
export async function run(): Promise<BenchResult[]> {
  await using directory = await makeTemporaryDirectory();
  const environment = { DATA_DIR: directory.path, LOG_LEVEL: 'silent' };
  const { signal } = new AbortController();
  await sample({ environment, print: () => {}, warn: () => {}, isTerminal: false, signal });
  await using service = await startService({ DATA_DIR: directory.path, FRESH_FOR_S: '31536000' });
  const address = `${service.url}/github/sample-ada`;
  await using bare = await startBareServer(address);
  const warm = await compare(
    () => load(address),
    () => load(bare.url),
  );
  const never = (path: string) => (): string => `${path}?v=${Math.random()}`;
  const compareCold = (connections: number): ReturnType<typeof compare> => {
    const request = (path: string) => () => load(service.url, { path: never(path), pipelining: 1, connections });
    return compare(request('/github/sample-ada'), request('/v1/github/entities/sample-ada/contributions'));
  };
  const cold = await compareCold(16);
  const coldAlone = await compareCold(1);
  const bytes = await findSize(address);
  return [
    {
      name: 'profile-warm',
      ratio: warm.ratio,
      goal: '>=0.8',
      baseline: 'bare node:http server, same bytes and headers, one process',
      detail: `${Math.round(warm.best.requestsPerSecond).toLocaleString('en')} requests/s at best`,
    },
    {
      name: 'profile-cold',
      ratio: cold.ratio,
      goal: '>=0.5',
      baseline: 'endpoint 2 of the same account, neither in the cache, 16 connections',
      detail: `${Math.round(cold.best.requestsPerSecond).toLocaleString('en')} requests/s at best, p50 ${cold.best.p50} ms`,
    },
    {
      name: 'profile-cold-alone',
      ratio: coldAlone.ratio,
      goal: '>=0.5',
      baseline: 'endpoint 2 of the same account, neither in the cache, one request at a time',
      detail: `${(1000 / coldAlone.best.requestsPerSecond).toFixed(1)} ms for a page at best`,
    },
    {
      name: 'profile-size',
      ratio: mostBytes / bytes,
      goal: '>=1',
      baseline: '60 kB of HTML, CSS and JavaScript, images aside',
      detail: `${bytes} bytes, not compressed`,
    },
  ];
}

/** Returns the bytes of a page, of its stylesheet and of its scripts. */
async function findSize(address: string): Promise<number> {
  const html = await (await fetch(address)).text();
  const parts = [...html.matchAll(/rel="stylesheet" href="([^"]+)"|<script src="([^"]+)"/g)];
  let bytes = Buffer.byteLength(html);
  for (const [, style = '', script = ''] of parts) {
    bytes += Buffer.byteLength(await (await fetch(new URL(style || script, address))).text());
  }
  return bytes;
}

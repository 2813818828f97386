import { makeTemporaryDirectory } from '../simulators/git/temporary-directory.ts';
import { sample } from '../src/app/commands/sample.ts';
import type { BenchResult } from './bench-result.ts';
import { startBareServer, startService } from './bench-service.ts';
import { compare, load } from './load.ts';

/** Measures responses that are in the cache, and 304s, against a bare server. */
export async function run(): Promise<BenchResult[]> {
  await using directory = await makeTemporaryDirectory();
  const environment = { DATA_DIR: directory.path, LOG_LEVEL: 'silent' };
  const { signal } = new AbortController();
  await sample({ environment, print: () => {}, warn: () => {}, isTerminal: false, signal });
  await using service = await startService({ DATA_DIR: directory.path });
  const address = `${service.url}/v1/github/entities/sample-ada/contributions`;
  await using bare = await startBareServer(address);
  const etag = (await fetch(address)).headers.get('etag') ?? '';
  const headers = { 'if-none-match': etag };
  const full = await compare(
    () => load(address),
    () => load(bare.url),
  );
  const unchanged = await compare(
    () => load(address, { headers, expect: 304 }),
    () => load(bare.url, { headers, expect: 304 }),
  );
  const baseline = 'bare node:http server, same bytes and headers, one process';
  return [
    { name: 'warm', ratio: full.ratio, goal: '>=0.85', baseline, detail: perSecond(full.best.requestsPerSecond) },
    {
      name: 'warm-304',
      ratio: unchanged.ratio,
      goal: '>=0.85',
      baseline,
      detail: perSecond(unchanged.best.requestsPerSecond),
    },
  ];
}

function perSecond(requests: number): string {
  return `${Math.round(requests).toLocaleString('en')} requests/s at best`;
}

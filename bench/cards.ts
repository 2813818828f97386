import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { makeTemporaryDirectory } from '../simulators/git/temporary-directory.ts';
import { sample } from '../src/app/commands/sample.ts';
import type { Images } from '../src/views/cards/card.ts';
import type { Drawing } from '../src/views/cards/drawing/frame.ts';
import { prepareFonts, Rasterizer } from '../src/views/cards/drawing/rasterizer.ts';
import { makeContributions, makeContributors } from '../test/unit/cards/inputs.ts';
import { draw } from '../test/unit/cards/samples.ts';
import type { BenchResult } from './bench-result.ts';
import { startBareServer, startService } from './bench-service.ts';
import { compare, load } from './load.ts';
import { sized } from './size.ts';

const measureMs = sized(2000, 20);
const pngs = sized(40, 2);
/**
 * The goal for requests is fifteen times the number of cards that the most used server of such cards renders on such a
 * machine.
 */
const goals = {
  requestsPerSecond: 36_000,
  rendersPerSecond: 20_000,
  contributionsBytes: 6 * 1024,
  contributorsBytes: 60 * 1024,
};
/** An avatar of the size that avatars of photographs have once they are encoded again, as text. */
const avatar = `data:image/jpeg;base64,${'A'.repeat(1656)}`;

/** Measures cards: sent from the cache, drawn from data in memory, their sizes, and PNG away from the event loop. */
export async function run(): Promise<BenchResult[]> {
  return [...(await sending()), ...drawing(), ...(await sizes()), ...(await rasterizing())];
}

async function sending(): Promise<BenchResult[]> {
  await using directory = await makeTemporaryDirectory();
  const environment = { DATA_DIR: directory.path, LOG_LEVEL: 'silent' };
  const { signal } = new AbortController();
  await sample({ environment, print: () => {}, warn: () => {}, isTerminal: false, signal });
  await using service = await startService({ DATA_DIR: directory.path });
  const address = `${service.url}/v1/github/entities/sample-ada/contributions?format=svg`;
  // Every proxy and browser sends such a header.
  const headers = { 'accept-encoding': 'gzip, deflate, br' };
  await using bare = await startBareServer(address, headers);
  let [requests, cpuMs] = [0, 0];
  const { ratio, best } = await compare(
    async () => {
      const before = await service.cpuMs();
      const loaded = await load(address, { headers });
      cpuMs += (await service.cpuMs()) - before;
      requests += loaded.requests;
      return loaded;
    },
    () => load(bare.url, { headers }),
  );
  const ofCore = (requests * 1000) / cpuMs;
  const rate = formatRate(best.requestsPerSecond);
  return [
    {
      name: 'cards-warm',
      ratio,
      goal: '>=0.8',
      baseline: 'bare node:http server, same bytes and headers, one process',
      detail: `${rate} at best`,
    },
    {
      name: 'cards-warm-core',
      ratio: ofCore / goals.requestsPerSecond,
      goal: '>=1',
      baseline: `${goals.requestsPerSecond.toLocaleString('en')} a second of one core`,
      detail: `${formatRate(ofCore)} by the time that a core spent on them`,
    },
  ];
}

function drawing(): BenchResult[] {
  const contributions = perSecond((index) =>
    draw('contributions', makeContributions({ display_name: `Ada Lovelace ${index}`, value: index })),
  );
  const people = makeContributors(30, 5);
  const contributors = perSecond((index) => draw('contributors', people, { title: `Contributors ${index}` }));
  const baseline = `${goals.rendersPerSecond.toLocaleString('en')} a second of one core`;
  return [
    {
      name: 'cards-draw-contributions',
      ratio: contributions / goals.rendersPerSecond,
      goal: '>=1',
      baseline,
      detail: formatRate(contributions),
    },
    {
      name: 'cards-draw-contributors',
      ratio: (contributors * 30) / goals.rendersPerSecond,
      goal: '>=1',
      baseline: `${baseline}, counted in people, without images`,
      detail: `${formatRate(contributors)} of 30 people`,
    },
  ];
}

async function sizes(): Promise<BenchResult[]> {
  const images: Images = new Map(Array.from({ length: 30 }, (_, index) => [`https://images.example/${index}`, avatar]));
  const own = Buffer.byteLength(draw('contributions', makeContributions({})).svg);
  const people = Buffer.byteLength(draw('contributors', makeContributors(30, 5), {}, images).svg);
  const packed = await promisify(brotliCompress)(draw('contributions', makeContributions({})).svg);
  return [
    {
      name: 'cards-size-contributions',
      ratio: goals.contributionsBytes / own,
      goal: '>=1',
      baseline: '6 KB without its avatar',
      detail: `${own} bytes, ${packed.length} by brotli`,
    },
    {
      name: 'cards-size-contributors',
      ratio: goals.contributorsBytes / people,
      goal: '>=1',
      baseline: '60 KB for 30 people with avatars',
      detail: `${people} bytes`,
    },
  ];
}

async function rasterizing(): Promise<BenchResult[]> {
  await using directory = await makeTemporaryDirectory();
  await prepareFonts(directory.path);
  const rasterizer = new Rasterizer(() => new Date());
  const drawn = draw('contributions', makeContributions({}));
  await rasterizer.toPng(drawn, 1);
  const before = performance.eventLoopUtilization();
  const begun = performance.now();
  await Promise.all(Array.from({ length: pngs }, () => rasterizer.toPng(drawn, 2)));
  const rate = (pngs * 1000) / (performance.now() - begun);
  const { utilization } = performance.eventLoopUtilization(before);
  return [
    {
      name: 'cards-png-loop',
      ratio: 1 - utilization,
      goal: '>=0.9',
      baseline: 'an event loop that does nothing while PNG are made',
      detail: `${rate.toFixed(0)} PNG/s of twice the size`,
    },
  ];
}

/** Returns the cards per second of processor time, so that other processes on the machine do not count. */
function perSecond(drawOne: (index: number) => Drawing): number {
  const drawFor = (ms: number): number => {
    const end = performance.now() + ms;
    let count = 0;
    for (; performance.now() < end; count += 1) drawOne(count);
    return count;
  };
  drawFor(measureMs / 2);
  const before = process.cpuUsage();
  const drawn = drawFor(measureMs);
  const { user, system } = process.cpuUsage(before);
  return (drawn * 1_000_000) / (user + system);
}

function formatRate(rate: number): string {
  return `${Math.round(rate).toLocaleString('en')}/s`;
}

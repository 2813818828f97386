import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { makeTemporaryDirectory } from '../simulators/git/temporary-directory.ts';
import { sample } from '../src/app/commands/sample.ts';
import type { BenchResult } from './bench-result.ts';
import { type ServerProcess, startService } from './bench-service.ts';
import { load, median } from './load.ts';
import { sized } from './size.ts';

const rounds = sized(5, 1);
const workers = 2;
/** The load of one process, so that each serves as many requests whenever it wakes up, as all do on cores that are free. */
const ofEach = { connections: 8, requestsPerSecond: 4000, openedConnections: sized(2000, 20) };
const path = '/v1/github/entities/sample-ada/contributions';

/**
 * Measures what cores that are free would do: the load generator and the processes share those of this machine, so that
 * requests per second of the busiest process's processor time take the place of requests per second. A process that has no time to
 * follow announcements serves no cached responses, so the load is below what the machine can do.
 */
export async function run(): Promise<BenchResult[]> {
  await using directory = await makeTemporaryDirectory();
  const environment = { DATA_DIR: directory.path, LOG_LEVEL: 'silent' };
  const { signal } = new AbortController();
  await sample({ environment, print: () => {}, warn: () => {}, isTerminal: false, signal });
  await using alone = await startService({ DATA_DIR: directory.path });
  await using several = await startService({ DATA_DIR: directory.path, WORKERS: String(workers) });
  for (const { url } of [alone, several]) await cacheEverywhere(url);
  const baseline = `one process, times ${workers}`;
  const kept = await compareRates(alone, several, keepConnections);
  const short = await compareRates(alone, several, openConnections);
  return [
    { name: 'workers', ratio: kept.ratio, goal: '>=0.8', baseline, detail: toDetail(kept) },
    { name: 'workers-connections', ratio: short.ratio, goal: 'none', baseline, detail: toDetail(short) },
  ];
}

/** Requests the response until every process has it. Connections go to the processes in turn. */
async function cacheEverywhere(url: string): Promise<void> {
  const headers = { connection: 'close' };
  for (let sent = 0; sent < 4 * workers; sent += 1) await (await fetch(`${url}${path}`, { headers })).text();
}

interface Rates {
  ratio: number;
  /** Requests per second of the busiest process's processor time, of one process and of several. */
  alone: number;
  several: number;
}

async function compareRates(
  alone: ServerProcess,
  several: ServerProcess,
  send: (url: string, processes: number) => Promise<number>,
): Promise<Rates> {
  const measured: Rates[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const [one, all] = [
      await findRate(alone, (url) => send(url, 1)),
      await findRate(several, (url) => send(url, workers)),
    ];
    // The first round warms both up.
    if (round > 0) measured.push({ ratio: all / one / workers, alone: one, several: all });
  }
  const middle = median(measured.map(({ ratio }) => ratio));
  const found = measured.find(({ ratio }) => ratio === middle);
  if (found === undefined) throw new Error('no round was run');
  return found;
}

async function findRate(service: ServerProcess, send: (url: string) => Promise<number>): Promise<number> {
  const before = await service.cpuMsOfEach();
  const requests = await send(`${service.url}${path}`);
  const after = await service.cpuMsOfEach();
  // The smallest load may take less than the hundredth of a second in which the system counts.
  const busiestMs = Math.max(10, ...after.map((ms, index) => ms - (before[index] ?? 0)));
  return (requests * 1000) / busiestMs;
}

/** Sends requests over connections that stay open. @returns their number. */
async function keepConnections(url: string, processes: number): Promise<number> {
  const connections = processes * ofEach.connections;
  const overallRate = processes * ofEach.requestsPerSecond;
  return (await load(url, { pipelining: 1, connections, overallRate })).requests;
}

/** Sends requests over a connection of their own each. @returns their number. */
async function openConnections(url: string, processes: number): Promise<number> {
  const sendOne = async (): Promise<void> => {
    const [response] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`${url} sent ${response.statusCode}`);
    await once(response.resume(), 'end');
  };
  const clients = processes * 4;
  const ofClient = ofEach.openedConnections / 4;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let sent = 0; sent < ofClient; sent += 1) await sendOne();
    }),
  );
  return clients * ofClient;
}

function toDetail({ alone, several }: Rates): string {
  const [one, all] = [alone, several].map((rate) => Math.round(rate).toLocaleString('en'));
  return `${all} requests/s of the busiest process's processor time, ${one} of a single process`;
}

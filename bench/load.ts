import autocannon from 'autocannon';
import { sized } from './size.ts';

const rounds = sized(7, 1);

export interface Load {
  requests: number;
  requestsPerSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

/**
 * The smallest load has no pipelining, because autocannon closes a connection that is to send nothing more without
 * waiting for outstanding responses.
 */
const limit = sized({ duration: 2 }, { amount: 48, pipelining: 1 });
const sampleMs = sized(1000, 50);

/** Sends as many requests as a server takes, for two seconds or up to a number. */
export async function load(
  url: string,
  options: {
    path?: () => string;
    headers?: Record<string, string>;
    pipelining?: number;
    /** Default: 16. */
    connections?: number;
    expect?: number;
    /** The most requests per second; default: as many as the server takes. */
    overallRate?: number;
    /** Prepares each request. */
    setup?: (request: autocannon.Request) => autocannon.Request;
  } = {},
): Promise<Load> {
  const { path, headers = {}, pipelining = 10, connections = 16, expect = 200, overallRate } = options;
  const setup = options.setup ?? (path && ((request: autocannon.Request) => ({ ...request, path: path() })));
  const result = await autocannon({
    url,
    connections,
    pipelining,
    ...limit,
    ...(overallRate !== undefined && { overallRate }),
    sampleInt: sampleMs,
    headers,
    ...(setup && { requests: [{ setupRequest: setup }] }),
  });
  const statuses = Object.keys(result.statusCodeStats ?? {});
  if (result.errors > 0 || statuses.join() !== String(expect)) {
    throw new Error(`${url} sent statuses ${statuses.join(', ')}, with ${result.errors} errors`);
  }
  return {
    requests: result.requests.total,
    requestsPerSecond: (result.requests.average * 1000) / sampleMs,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}

/**
 * Runs the load of a claim and that of its baseline in turn, so that other work on the machine affects both.
 * @returns the median of the ratios, and the round of the claim with the most requests.
 */
export async function compare(
  claimed: () => Promise<Load>,
  baseline: () => Promise<Load>,
): Promise<{ ratio: number; best: Load }> {
  const ratios: number[] = [];
  let best: Load | undefined;
  for (let round = 0; round <= rounds; round += 1) {
    const [measured, compared] = [await claimed(), await baseline()];
    // The first round warms both up.
    if (round === 0) continue;
    ratios.push(measured.requestsPerSecond / compared.requestsPerSecond);
    if (best === undefined || measured.requestsPerSecond > best.requestsPerSecond) best = measured;
  }
  if (best === undefined) throw new Error('no round was run');
  return { ratio: median(ratios), best };
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

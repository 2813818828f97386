import autocannon from 'autocannon';

export interface Load {
  requests: number;
  requestsPerSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

const seconds = 2;

/** Sends as many requests as a server takes, for two seconds. */
export async function load(
  url: string,
  options: {
    path?: () => string;
    headers?: Record<string, string>;
    pipelining?: number;
    expect?: number;
    /** Prepares each request. */
    setup?: (request: autocannon.Request) => autocannon.Request;
  } = {},
): Promise<Load> {
  const { path, headers = {}, pipelining = 10, expect = 200 } = options;
  const setup = options.setup ?? (path && ((request: autocannon.Request) => ({ ...request, path: path() })));
  const result = await autocannon({
    url,
    connections: 16,
    pipelining,
    duration: seconds,
    headers,
    ...(setup && { requests: [{ setupRequest: setup }] }),
  });
  const statuses = Object.keys(result.statusCodeStats ?? {});
  if (result.errors > 0 || statuses.some((status) => Number(status) !== expect)) {
    throw new Error(`${url} answered ${statuses.join(', ')} with ${result.errors} errors`);
  }
  return {
    requests: result.requests.total,
    requestsPerSecond: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}

/**
 * Runs two loads in turn, so that other load on the machine affects both.
 * @returns the median of the ratios.
 */
export async function compare(
  ours: () => Promise<Load>,
  theirs: () => Promise<Load>,
  rounds = 7,
): Promise<{ ratio: number; best: Load }> {
  const ratios: number[] = [];
  let best: Load | undefined;
  for (let round = 0; round <= rounds; round += 1) {
    const [our, their] = [await ours(), await theirs()];
    // The first round warms both up.
    if (round === 0) continue;
    ratios.push(our.requestsPerSecond / their.requestsPerSecond);
    if (best === undefined || our.requestsPerSecond > best.requestsPerSecond) best = our;
  }
  if (best === undefined) throw new Error('no round was run');
  return { ratio: median(ratios), best };
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import type { Simulator } from '../../simulators/github/simulator.ts';
import { isRunning } from '../../src/database/embedded/cluster.ts';
import { type ServiceProcess, startServiceProcess } from '../e2e/installed/service-process.ts';
import { findPort } from '../find-port.ts';
import { until } from '../time.ts';

/** A service of several processes. */
export interface TestWorkers extends AsyncDisposable {
  service: ServiceProcess;
  dataDir: string;
  metricsUrl: string;
  /** Returns the ids of all processes that were started for a place, the newest last. */
  pids(name: string): number[];
  /** Waits until none of its processes runs. */
  ended(): Promise<void>;
}

/** Starts a service of two processes for requests and one for jobs. */
export async function startTestWorkers(
  simulator: Simulator,
  settings: Record<string, string> = {},
): Promise<TestWorkers> {
  await using stack = new AsyncDisposableStack();
  const { path: dataDir } = stack.use(await makeTemporaryDirectory());
  const metricsPort = await findPort();
  const service = stack.use(
    await startServiceProcess({
      WORKERS: '2',
      DATA_DIR: dataDir,
      METRICS_PORT: String(metricsPort),
      LOG_LEVEL: 'info',
      GITHUB_URL: simulator.url,
      GITHUB_API_URL: simulator.apiUrl,
      GITHUB_TOKEN: simulator.tokens.public_only,
      LOOKUP_BUDGET_MS: '1000',
      RATE_LIMIT_PER_MINUTE: '1000000',
      ...settings,
    }),
  );
  const pids = (name?: string): number[] =>
    service.lines.flatMap((line) => {
      const { worker, pid } = listFields(line);
      return typeof pid === 'number' && (name === undefined || worker === name) ? [pid] : [];
    });
  const owned = stack.move();
  return {
    service,
    dataDir,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    pids,
    ended: () =>
      until(async () => (pids().some(isRunning) ? undefined : true), 'all processes have ended').then(() => {}),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function listFields(line: string): { worker?: unknown; pid?: unknown } {
  return line.startsWith('{') ? (JSON.parse(line) as object) : {};
}

export interface Received {
  status: number;
  text: string;
  /** The process that responded, by the common part of its request ids. */
  process: string;
}

/** Sends a request; over a connection of its own without an agent. */
export async function send(url: string, agent: Agent | false = false): Promise<Received> {
  const sent = request(url, { agent }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const id = String(response.headers['x-request-id']);
  return { status: response.statusCode ?? 0, text: await text(response), process: id.slice(0, id.indexOf('-')) };
}

/** Opens connections until there is one to each of two processes. Each agent has one connection. */
export async function connectToBoth(url: string): Promise<Agent[] & Disposable> {
  const agents = new Map<string, Agent>();
  await until(async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { process } = await send(`${url}/healthz`, agent);
    if (agents.has(process)) agent.destroy();
    else agents.set(process, agent);
    return agents.size === 2 ? true : undefined;
  }, 'both processes respond');
  const both = [...agents.values()];
  return Object.assign(both, {
    [Symbol.dispose]: () => {
      for (const agent of both) agent.destroy();
    },
  });
}

import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { OpenApi } from '../test/described/open-api.ts';
import { until } from '../test/time.ts';
import type { BenchResult } from './bench-result.ts';
import { type ServerProcess, started } from './bench-service.ts';
import { median } from './load.ts';
import { isSmallest, sized } from './size.ts';
import { describedRequests, type Names, pageRequests, type StrangerRequest } from './stranger-requests.ts';

const program = fileURLToPath(new URL('../bin/plaudit.js', import.meta.url));
const roundMs = sized(2000, 200);
/** The smallest size attacks some of the routes alone, each with some of its requests. */
const routeStep = sized(1, 24);
const requestStep = sized(1, 12);
/** The requests a second that the limit of reads allows to one address. */
const strangersPerSecond = 20;
const readersPerSecond = 15;
const requestTimeoutMs = 20_000;
/** The time, in ms, after which the work of the route before has ended. */
const settleMs = sized(500, 0);
/** The routes to measure, as a regular expression, because all of them take a quarter of an hour. */
const wantedRoutes = new RegExp(process.env['BENCH_ROUTES'] ?? '');
const goal = 3;
const kinds = ['health', 'card', 'read'] as const;
type Kind = (typeof kinds)[number];
type Times = Record<Kind, number[]>;

/**
 * Measures how long honest readers wait while one address sends the most expensive requests of a route, as many as its
 * limit allows: for each route of the description of the API and of the pages.
 */
export async function run(): Promise<BenchResult[]> {
  await using service = await startDemo();
  const names = await findNames(service);
  const token = await findToken(service, names);
  const described = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;
  const requests = [...describedRequests(described, names, token), ...(await pageRequests(service, names))];
  const routes = Map.groupBy(requests, ({ route }) => route);
  const chosen = new Map<string, StrangerRequest[]>();
  for (const [index, [route, all]] of [...routes].entries())
    if (index % routeStep === 0 && wantedRoutes.test(route)) chosen.set(route, await findExpensive(service, all));
  const measured: Measured[] = [];
  for (const [route, expensive] of chosen) {
    const one = await measure(service, names, route, expensive);
    measured.push(one);
    print(one);
  }
  return kinds.map((kind) => {
    const worst = measured.toSorted((a, b) => b.ratios[kind] - a.ratios[kind])[0];
    return {
      name: `strangers-${kind}`,
      ratio: worst?.ratios[kind] ?? Number.NaN,
      goal: `<=${goal}`,
      baseline: 'the median of the same requests of an idle service',
      detail: `worst of ${measured.length} routes: ${worst?.route}`,
    };
  });
}

/** Starts the demonstration, whose people have tokens. */
async function startDemo(): Promise<ServerProcess> {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const own = { PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'error', TRUST_PROXY: 'loopback', LOOKUP_BUDGET_MS: '500' };
  const env = { PATH, NODE_COMPILE_CACHE, GITHUB_API_URL: 'http://127.0.0.1:9', ...own };
  return started(spawn(process.execPath, [program, 'demo'], { env, stdio: ['ignore', 'pipe', 'inherit'] }));
}

async function findNames({ url }: ServerProcess): Promise<Names> {
  const entities = `${url}/v1/github/entities`;
  const findFirst = async (path: string): Promise<Record<string, unknown>> => {
    const { data } = (await (await fetch(`${entities}/${path}`)).json()) as { data: Record<string, unknown>[] };
    return data[0] ?? {};
  };
  const [board, award, keys] = await Promise.all([
    until(async () => {
      const found = await findFirst('sample-garden/boards');
      return 'slug' in found ? found : undefined;
    }, 'the sample has boards'),
    findFirst('sample-ada/achievements?limit=1'),
    fetch(`${url}/v1/credential-keys`).then((response) => response.json()),
  ]);
  return {
    provider: 'github',
    name: 'sample-garden',
    login: 'sample-ada',
    stranger: 'sample-robin',
    counter: 'commits',
    language: 'TypeScript',
    list: '0',
    number: '1',
    repository: String(award['repository_name']),
    slug: String(board['slug']),
    award_id: String(award['id']),
    key_id: /"kid":"([\w-]{43})"/.exec(JSON.stringify(keys))?.[1] ?? 'k'.repeat(43),
    notification_id: '1',
    secret_id: 'f'.repeat(36),
    embed_id: 'f'.repeat(36),
    token_id: 'f'.repeat(36),
    secret: `${'s'.repeat(43)}.svg`,
  };
}

/** Returns the service token of the stranger, who proves ownership of their own account. */
async function findToken({ url }: ServerProcess, names: Names): Promise<string> {
  const choice = await (await fetch(`${url}/sign-in/github`)).text();
  const pattern = new RegExp(`Bearer (demo_[\\w-]+)[^<]*entities/${names['stranger']}/token`);
  const authorization = choice.replaceAll('&quot;', '"').match(pattern)?.[1];
  const headers = { authorization: `Bearer ${authorization}` };
  const response = await fetch(`${url}/v1/github/entities/${names['stranger']}/token`, { headers });
  const { data } = (await response.json()) as { data?: { token: string } };
  if (data === undefined) throw new Error(`the stranger has no token: ${response.status}`);
  return data.token;
}

let sent = 0;

/** Sends a request that is in no cache, and reads its response. */
async function send(service: ServerProcess, request: StrangerRequest, from: string): Promise<number> {
  sent += 1;
  const separator = request.address.includes('?') ? '&' : '?';
  const response = await fetch(`${service.url}${request.address}${separator}v=${sent}`, {
    method: request.method,
    redirect: 'manual',
    headers: { 'content-type': 'application/json', ...request.headers, 'x-forwarded-for': from },
    signal: AbortSignal.timeout(requestTimeoutMs),
    ...(request.body !== undefined && { body: request.body }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Returns an address of a client that no other request has. */
function newAddress(): string {
  sent += 1;
  return `10.${(sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`;
}

/** Finds the requests of a route beside which `/healthz` waits longest, and that which takes longest itself. */
async function findExpensive(service: ServerProcess, requests: readonly StrangerRequest[]): Promise<StrangerRequest[]> {
  const cost = async (request: StrangerRequest): Promise<Cost> => ({ request, ...(await probe(service, request)) });
  const probed: Cost[] = [];
  for (const request of requests.filter((_, index) => index % requestStep === 0)) probed.push(await cost(request));
  const byBlocking = (costs: readonly Cost[]): Cost[] => costs.toSorted((a, b) => b.blockedMs - a.blockedMs);
  // Other work on the machine makes some requests look expensive at the first time.
  const again: Cost[] = [];
  for (const { request } of byBlocking(probed).slice(0, 6)) again.push(await cost(request));
  const slow = probed.toSorted((a, b) => b.ms - a.ms).slice(0, 1);
  return [...new Set([...byBlocking(again).slice(0, 2), ...slow].map(({ request }) => request))];
}

interface Cost {
  request: StrangerRequest;
  /** The longest time in which `/healthz` responded beside it. */
  blockedMs: number;
  ms: number;
}

async function probe(service: ServerProcess, request: StrangerRequest): Promise<{ blockedMs: number; ms: number }> {
  const begun = performance.now();
  const end = { ms: 0 };
  const ended = send(service, request, newAddress())
    .catch(() => {})
    .then(() => {
      end.ms = performance.now() - begun;
    });
  let blockedMs = 0;
  do {
    const asked = performance.now();
    await (await fetch(`${service.url}/healthz`)).arrayBuffer();
    blockedMs = Math.max(blockedMs, performance.now() - asked);
  } while (end.ms === 0 && performance.now() - begun < 300);
  await Promise.race([ended, wait(1000)]);
  return { blockedMs, ms: end.ms || performance.now() - begun };
}

interface Measured {
  route: string;
  ratios: Record<Kind, number>;
  busy: Record<Kind, number>;
  requests: readonly StrangerRequest[];
  statuses: string;
}

async function measure(
  service: ServerProcess,
  names: Names,
  route: string,
  requests: readonly StrangerRequest[],
): Promise<Measured> {
  await wait(settleMs);
  const idle = await read(service, names);
  const from = newAddress();
  const statuses = new Map<string, number>();
  const responses: Promise<void>[] = [];
  const reading = read(service, names);
  for (let index = 0; index < (strangersPerSecond * roundMs) / 1000; index += 1) {
    const request = requests[index % requests.length];
    if (request === undefined) break;
    const response = send(service, request, from).then(String, () => 'none');
    responses.push(response.then((status) => void statuses.set(status, (statuses.get(status) ?? 0) + 1)));
    await wait(1000 / strangersPerSecond);
  }
  const busy = await reading;
  await Promise.all(responses);
  return {
    route,
    requests,
    ratios: perKind((kind) => median(busy[kind]) / median(idle[kind])),
    busy: perKind((kind) => median(busy[kind])),
    statuses: [...statuses].map(([status, count]) => `${count} × ${status}`).join(', '),
  };
}

function perKind<Value>(value: (kind: Kind) => Value): Record<Kind, Value> {
  return { health: value('health'), card: value('card'), read: value('read') };
}

/**
 * Sends what honest readers send, each from an address of its own, at equal intervals: one that waited for the response
 * before would not notice most of a long stop.
 */
async function read(service: ServerProcess, names: Names): Promise<Times> {
  const entities = `/v1/github/entities/${names['login']}/contributions`;
  const addresses: Record<Kind, () => string> = {
    health: () => '/healthz',
    card: () => `${entities}?format=svg`,
    read: () => `${entities}?v=${(sent += 1)}`,
  };
  const times: Times = perKind(() => []);
  const responses: Promise<void>[] = [];
  const request = async (kind: Kind): Promise<void> => {
    const begun = performance.now();
    const response = await fetch(`${service.url}${addresses[kind]()}`, {
      headers: { 'x-forwarded-for': newAddress() },
    });
    await response.arrayBuffer();
    times[kind].push(performance.now() - begun);
  };
  for (let index = 0; index < (readersPerSecond * roundMs) / 1000; index += 1) {
    for (const kind of kinds) {
      responses.push(request(kind));
      await wait(1000 / readersPerSecond / kinds.length);
    }
  }
  await Promise.all(responses);
  return times;
}

function print({ route, ratios, busy, requests, statuses }: Measured): void {
  if (isSmallest) return;
  const columns = kinds.map((kind) => `${kind} ${ratios[kind].toFixed(2)} (${busy[kind].toFixed(1)} ms)`);
  console.log(`${route}: ${columns.join(', ')}; responses ${statuses}`);
  if (kinds.every((kind) => ratios[kind] <= goal)) return;
  for (const { address, headers = {}, body = '' } of requests) {
    const caller = 'authorization' in headers ? 'with a token' : 'without a token';
    console.log(`  ${address.slice(0, 160)} ${caller} ${JSON.stringify(body.slice(0, 60))}`);
  }
}

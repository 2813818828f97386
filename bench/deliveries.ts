import { spawn } from 'node:child_process';
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { fastify } from 'fastify';
import { Pool, type PoolConfig } from 'pg';
import { signed, webhookSecret } from '../simulators/github/deliver.ts';
import type { Database } from '../src/database/connections/connection.ts';
import type { Change } from '../src/hosts/interface/provider.ts';
import { newAppliers, type SyncContext } from '../src/sync/context.ts';
import { applyDeliveries } from '../src/sync/deliveries/apply-deliveries.ts';
import { saveDeliveries } from '../src/sync/deliveries/store.ts';
import {
  contributionsChanged,
  holdRepositories,
  repositoryHidden,
  storeRepositories,
} from '../test/integration/deliveries/appliers.ts';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir, started, startService } from './bench-service.ts';
import { compare, load, median } from './load.ts';
import { sized } from './size.ts';

const thisFile = fileURLToPath(import.meta.url);

/**
 * The first delivery of each held repository keeps one of four appliers for 100 ms, once, so that 8 of them cost 200 ms of
 * all. They are a fifth of a run of 200 repositories, which takes a second; a longer run measures mainly what follows.
 */
const repositories = sized(800, 30);
/** More than one process applies at the same time. */
const heldRepositories = 8;
const jobEveryMs = 100;
const pollMs = 10;
const perRepository = sized(20, 1);
const rounds = sized(5, 1);

/** Measures deliveries that are acknowledged, and those that are applied while others have to wait. */
export async function run(): Promise<BenchResult[]> {
  return [await acknowledged(), await besideHeld()];
}

/** Measures deliveries, each stored by then, against a bare handler that verifies one and inserts one row. */
async function acknowledged(): Promise<BenchResult> {
  await using place = await makeDataDir();
  await using service = await startService({ DATA_DIR: place.dataDir, GITHUB_WEBHOOK_SECRET: webhookSecret });
  const { clientConfig, pool } = place.database;
  await pool.query('create table bare_deliveries (id text primary key, payload jsonb not null)');
  const env = { PATH: process.env['PATH'] ?? '', BARE_DATABASE: JSON.stringify(clientConfig) };
  await using bare = await started(spawn(process.execPath, [thisFile], { env, stdio: ['ignore', 'pipe', 'inherit'] }));
  const owner = { id: 2, login: 'nobody-here' };
  // The body is as large as those of most deliveries.
  const body = JSON.stringify({
    action: 'opened',
    repository: { id: 1, name: 'r', owner },
    issue: { id: 3, user: owner, body: 'x'.repeat(8000) },
  });
  const { headers } = signed('issues', body);
  const deliver = (url: string) =>
    load(url, {
      expect: 202,
      setup: (request) => ({
        ...request,
        method: 'POST',
        path: '/v1/github/webhooks',
        headers: { ...headers, 'x-github-delivery': randomUUID() },
        body,
      }),
    });
  const { ratio, best } = await compare(
    () => deliver(service.url),
    () => deliver(bare.url),
  );
  const detail = `${Math.round(best.requestsPerSecond).toLocaleString('en')} deliveries/s at best, p99 ${best.p99} ms`;
  return {
    name: 'deliveries',
    ratio,
    goal: '>=0.6',
    baseline: 'bare fastify handler: verifies, inserts one row',
    detail,
  };
}

/**
 * Measures deliveries about repositories that are applied while the rows of other repositories are locked, which older
 * deliveries wait for, against the same without locks.
 */
async function besideHeld(): Promise<BenchResult> {
  await using place = await makeDataDir();
  await storeRepositories(place.database, repositories);
  const ids = Array.from({ length: repositories }, (_, index) => String(index + 1));
  const [held, others] = [ids.slice(0, heldRepositories), ids.slice(heldRepositories)];
  const rates = { held: [] as number[], free: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    rates.free.push(await perSecond(place.database, { first: held, others }));
    rates.held.push(await perSecond(place.database, { first: held, others, isHeld: true }));
  }
  const ratio = median(rates.held) / median(rates.free);
  const detail = `${Math.round(median(rates.held))} deliveries/s while the rows of ${heldRepositories} of ${repositories} repositories are locked`;
  return { name: 'deliveries-beside-held', ratio, goal: '>=0.8', baseline: 'the same without locks', detail };
}

/** @returns the deliveries/s about the other repositories. */
async function perSecond(
  database: Database,
  { first, others, isHeld = false }: { first: readonly string[]; others: readonly string[]; isHeld?: boolean },
): Promise<number> {
  const { connection, pool } = database;
  await pool.query('truncate deliveries');
  const onFailure = (error: unknown): never => {
    throw error;
  };
  const context = {
    connection,
    now: () => new Date(),
    appliers: newAppliers(),
    providers: new Map(),
    onFailure,
  } as unknown as SyncContext;
  const save = (changes: Change[]): Promise<unknown> =>
    saveDeliveries(
      connection,
      changes.map((change) => ({
        provider: 'github',
        id: randomUUID(),
        event: 'x',
        receivedAt: new Date(),
        changes: [change],
      })),
    );
  await save(first.map(repositoryHidden));
  for (let times = 0; times < perRepository; times += 1) await save(others.map(contributionsChanged));
  const left = `select from deliveries where applied_at is null and changes @> '[{"type": "contributions"}]' limit 1`;
  const applying: Promise<unknown>[] = [];
  let ms = 0;
  {
    await using stack = new AsyncDisposableStack();
    stack.use(await holdRepositories(database, isHeld ? first : []));
    const begun = performance.now();
    do {
      // As in the service, further jobs start while one waits.
      if (ms >= applying.length * jobEveryMs) applying.push(applyDeliveries(context));
      await wait(pollMs);
      ms = performance.now() - begun;
    } while ((await pool.query(left)).rowCount !== 0);
  }
  await Promise.all(applying);
  return (others.length * perRepository * 1000) / ms;
}

async function serveBare(config: PoolConfig): Promise<void> {
  const pool = new Pool({ ...config, max: 8 });
  const app = fastify({ bodyLimit: 25 * 1024 * 1024 });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, payload, done) => done(null, payload));
  app.post('/v1/github/webhooks', async (request, reply) => {
    const payload = request.body as Buffer;
    const expected = Buffer.from(`sha256=${createHmac('sha256', webhookSecret).update(payload).digest('hex')}`);
    const given = Buffer.from(String(request.headers['x-hub-signature-256']));
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return reply.code(401).send();
    const row = [request.headers['x-github-delivery'], payload.toString()];
    await pool.query('insert into bare_deliveries (id, payload) values ($1, $2) on conflict do nothing', row);
    return reply.code(202).send({});
  });
  console.log(`listens on ${await app.listen({ port: 0, host: '127.0.0.1' })}`);
}

if (process.argv[1] === thisFile) await serveBare(JSON.parse(process.env['BARE_DATABASE'] ?? '{}') as PoolConfig);

import { spawn } from 'node:child_process';
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { fastify } from 'fastify';
import { Pool, type PoolConfig } from 'pg';
import { signed, webhookSecret } from '../simulators/github/deliver.ts';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir, started, startService } from './bench-service.ts';
import { compare, load } from './load.ts';

const thisFile = fileURLToPath(import.meta.url);

/**
 * Measures deliveries that are acknowledged, each stored by then, against a bare handler that verifies one and inserts
 * one row.
 */
export async function run(): Promise<BenchResult[]> {
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
  return [
    { name: 'deliveries', ratio, goal: '>=0.6', baseline: 'bare fastify handler: verifies, inserts one row', detail },
  ];
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

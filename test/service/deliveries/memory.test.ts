import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { signed, webhookSecret } from '../../../simulators/github/deliver.ts';
import { bodyLimits } from '../../../src/sync/deliveries/bodies.ts';
import type { TestService } from '../../e2e/service.ts';
import { until } from '../../time.ts';
import { startStoredService } from '../http/stored-service.ts';

const settings = { GITHUB_WEBHOOK_SECRET: webhookSecret, TRUST_PROXY: 'loopback' };
const bodyBytes = 24 * 1024 * 1024;
const wrongSignature = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };

interface Posted extends AsyncDisposable {
  socket: Socket;
  /** The head of the response. */
  response: Promise<string>;
}

/** Sends the head of a delivery with a body of 24 MiB, but not yet the body. */
async function post(
  service: TestService,
  headers: Record<string, string>,
  path = '/v1/github/webhooks',
): Promise<Posted> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  await once(socket, 'connect');
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.on('data', (bytes: Buffer) => resolve(bytes.toString('latin1')));
  socket.on('error', () => resolve('the connection was reset'));
  const sentHeaders = { host: 'localhost', 'content-length': String(bodyBytes), ...headers };
  const lines = Object.entries(sentHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return { socket, response: promise, [Symbol.asyncDispose]: async () => void socket.destroy() };
}

async function bytesOfBodies({ service }: TestService): Promise<number> {
  const metrics = await fetch(`${service.metricsUrl ?? assert.fail()}/metrics`).then((response) => response.text());
  return Number(/^plaudit_delivery_body_bytes (\d+)$/m.exec(metrics)?.[1] ?? assert.fail(metrics));
}

describe('limit of memory for deliveries', () => {
  it('holds while many large unsigned bodies are sent, and is not used by deliveries that their headers refuse', async () => {
    await using service = await startStoredService({ settings: { ...settings, GITEA_URL: 'http://127.0.0.1:9' } });
    await using stack = new AsyncDisposableStack();
    const { headers } = signed('issues', '{}');
    const postFrom = async (address: string): Promise<Posted> =>
      stack.use(await post(service, { ...headers, ...wrongSignature, 'x-forwarded-for': address }));
    // Two senders hold most of the budget: they send all but the last byte.
    const holding = [await postFrom('192.0.2.1'), await postFrom('192.0.2.2')];
    for (const { socket } of holding) socket.write(Buffer.alloc(bodyBytes - 1));
    await until(async () => (await bytesOfBodies(service)) === 2 * bodyBytes || undefined, 'both are received');
    const flood = await Promise.all(Array.from({ length: 20 }, (_, index) => postFrom(`198.51.100.${index}`)));
    for (const { response, socket } of flood) {
      const head = await response;
      assert.match(head, /^HTTP\/1\.1 503 /);
      assert.match(head, /\r\nretry-after: 10\r\n/i);
      assert.match(head, /"type":"overloaded"/);
      if (!socket.closed) await once(socket, 'close');
    }
    assert.ok((await bytesOfBodies(service)) <= bodyLimits.allBytes);
    for (const { socket, response } of holding) {
      socket.write('x');
      assert.match(await response, /^HTTP\/1\.1 401 /);
    }
    assert.equal(await bytesOfBodies(service), 0);
    const small = signed('ping', '{"zen":"x"}');
    const { status } = await service.get('/v1/github/webhooks', { method: 'POST', ...small });
    assert.equal(status, 202);

    const { 'x-hub-signature-256': _, ...unsigned } = headers;
    const findStatus = async (headers: Record<string, string>, path?: string): Promise<number> => {
      await using posted = await post(service, headers, path);
      return Number((await posted.response).split(' ', 2)[1]);
    };
    assert.equal(await findStatus(headers, '/v1/gitea/webhooks'), 404);
    assert.equal(await findStatus(headers, '/v1/nowhere/webhooks'), 404);
    assert.equal(await findStatus(unsigned), 401);
    assert.equal(await findStatus({ ...headers, 'content-encoding': 'gzip' }), 400);
    assert.equal(await findStatus({ ...headers, 'content-length': '99999999' }), 413);
    const client = { ...headers, 'x-forwarded-for': '192.0.2.9' };
    assert.equal(await findStatus({ ...client, 'content-length': '99999999' }), 413);
    const tooLarge = { ...headers, 'content-length': '99999999' };
    assert.equal(await findStatus({ ...tooLarge, 'x-forwarded-for': '2001:db8:1:2::1' }), 413);
    await sql`update rate_limits set count = 6000`.execute(service.database.connection);
    assert.equal(await findStatus(client), 429);
    assert.equal(await findStatus({ ...tooLarge, 'x-forwarded-for': '2001:db8:1:2:ffff::1' }), 429);
    assert.equal(await findStatus({ ...tooLarge, 'x-forwarded-for': '2001:db8:1:3::1' }), 413);
    assert.equal(await bytesOfBodies(service), 0);
  });

  it('lets all addresses of an IPv6 network share the part of one sender', async () => {
    await using service = await startStoredService({ settings });
    const { headers } = signed('issues', '{}');
    const postFrom = (address: string): Promise<Posted> =>
      post(service, { ...headers, ...wrongSignature, 'x-forwarded-for': address });
    await using holding = await postFrom('2001:db8:1:2::1');
    holding.socket.write(Buffer.alloc(bodyBytes - 1));
    await until(async () => (await bytesOfBodies(service)) === bodyBytes || undefined, 'it is received');
    await using neighbour = await postFrom('2001:db8:1:2:ffff::1');
    assert.match(await neighbour.response, /^HTTP\/1\.1 503 /);
    await using fromOtherNetwork = await postFrom('2001:db8:1:3::1');
    fromOtherNetwork.socket.write(Buffer.alloc(bodyBytes - 1));
    await until(async () => (await bytesOfBodies(service)) === 2 * bodyBytes || undefined, 'the other is received');
  });
});

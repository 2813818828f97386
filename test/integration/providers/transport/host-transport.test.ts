import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { startHttpServer } from '../../../../simulators/git/http-server.ts';
import type { Call } from '../../../../src/hosts/interface/call.ts';
import { Credential, fixedSecret, Slots } from '../../../../src/hosts/transport/credential.ts';
import { type HostRequest, HostTransport } from '../../../../src/hosts/transport/host-transport.ts';
import { type RawResponse, withinOrigin } from '../../../../src/hosts/transport/http-transport.ts';
import { RequestScheduler } from '../../../../src/hosts/transport/request-scheduler.ts';
import { AppError } from '../../../../src/model/errors.ts';
import { clock } from '../../../time.ts';

/** Starts a server that records its requests as method, path and token. */
async function startRecorder(respond: (request: IncomingMessage, response: ServerResponse) => void) {
  const requests: string[] = [];
  const server = await startHttpServer((request, response) => {
    requests.push([request.method, request.url, request.headers.authorization].join(' '));
    request.resume().on('end', () => respond(request, response));
  });
  return Object.assign(server, { requests });
}

const redirect = (response: ServerResponse, status: number, location: string): void =>
  void response.writeHead(status, { location }).end();

function startTransport(secrets: string[] = ['secret'], now = (): Date => new Date()) {
  const slots = new Slots({ all: 1, background: 1, waiting: 10 });
  const credentials = secrets.map((secret) => new Credential({ secret: fixedSecret(secret), name: secret, slots }));
  const unavailable = (cause: unknown): AppError => new AppError('provider_unavailable', 'unavailable', { cause });
  const limited = (retryAt: Date): AppError => new AppError('provider_rate_limited', 'limited', { retryAt });
  const transport = new HostTransport<Credential>({
    limits: { connectTimeoutMs: 1000, responseTimeoutMs: 1000, maxResponseBytes: 1000 },
    scheduler: new RequestScheduler({ now, limited, denied: () => new AppError('provider_denied', 'denied') }),
    now,
    rules: {
      redirectTo: withinOrigin,
      recordLimits: () => {},
      isLimited: ({ status }) => status === 429,
      block: ({ backoff }) => backoff.block(undefined, now()),
      garbled: () => undefined,
      unavailable,
    },
  });
  const call: Call = {
    urgency: 'interactive',
    signal: new AbortController().signal,
    cost: { requests: 0, points: 0 },
  };
  const send = (address: string, more: Partial<HostRequest<Credential, RawResponse>> = {}): Promise<RawResponse> =>
    transport.send(
      {
        address,
        resource: 'api',
        candidates: () => credentials,
        headers: (secret) => ({ authorization: String(secret) }),
        read: (response) => response,
        ...more,
      },
      call,
    );
  return { send, call, [Symbol.asyncDispose]: () => transport.close() };
}

describe('redirects of a host', () => {
  it('are followed within the origin, with the token, and count as requests', async () => {
    await using server = await startRecorder(({ url }, response) => {
      if (url === '/old') redirect(response, 301, '/new?page=2');
      else response.end('found');
    });
    await using transport = startTransport();
    assert.equal((await transport.send(`${server.url}/old`)).text, 'found');
    assert.deepEqual(server.requests, ['GET /old secret', 'GET /new?page=2 secret']);
    assert.equal(transport.call.cost.requests, 2);
  });

  it('are not followed to another origin, with or without the token', async () => {
    await using otherHost = await startRecorder((_request, response) => void response.end('stolen'));
    await using server = await startRecorder((_request, response) => redirect(response, 302, `${otherHost.url}/`));
    await using transport = startTransport();
    await assert.rejects(transport.send(`${server.url}/`), { reason: `redirects to ${otherHost.url}/` });
    assert.deepEqual(otherHost.requests, []);
  });

  it('name their target to the operator alone, without user, query and fragment', async () => {
    const location = 'https://user:pass@sso.example/login/?state=secret-state#secret-fragment';
    for (const status of [301, 302, 303, 307, 308]) {
      await using server = await startRecorder((_request, response) => redirect(response, status, location));
      await using transport = startTransport();
      for (const body of [undefined, '{}']) {
        await assert.rejects(transport.send(`${server.url}/`, { body }), {
          code: 'provider_invalid_response',
          message: 'The code host redirects to another address.',
          reason: 'redirects to https://sso.example/login/',
        });
      }
    }
  });

  it('are followed twice at most, and never in a circle', async () => {
    await using server = await startRecorder(({ url = '' }, response) => redirect(response, 307, `${url}x`));
    await using circle = await startRecorder((_request, response) => redirect(response, 308, '/'));
    await using transport = startTransport();
    await assert.rejects(transport.send(`${server.url}/`), { reason: `redirects to ${server.url}/xxx` });
    assert.equal(server.requests.length, 3);
    await assert.rejects(transport.send(`${circle.url}/`), { reason: `redirects to ${circle.url}/` });
    assert.equal(circle.requests.length, 1);
  });

  it('are not followed with a body, to several resources, to another resource, or without an address', async () => {
    for (const [status, location, body] of [
      [307, '/new', '{}'],
      [300, '/new', undefined],
      [303, '/new', undefined],
      [301, 'http://', undefined],
    ] as const) {
      await using server = await startRecorder((_request, response) => redirect(response, status, location));
      await using transport = startTransport();
      const sent = transport.send(`${server.url}/`, { body });
      if (location === '/new') await assert.rejects(sent, { reason: `redirects to ${server.url}/new` });
      else assert.equal((await sent).status, status);
      assert.equal(server.requests.length, 1);
    }
  });
});

describe('retry of a refused token', () => {
  it('happens after a few seconds, and after ten minutes when the token was refused twice', async () => {
    const time = clock();
    const statuses: number[] = [];
    await using server = await startRecorder((_request, response) => {
      response.writeHead(statuses.shift() ?? 200).end();
    });
    await using transport = startTransport(['secret'], time.now);
    const outcome = async (): Promise<unknown> => {
      const before = server.requests.length;
      const result = await transport.send(`${server.url}/`).then(
        ({ status }) => status,
        ({ code }: { code: string }) => code,
      );
      return [result, server.requests.length - before];
    };
    for (let round = 0; round < 3; round += 1) {
      statuses.push(401);
      assert.deepEqual(await outcome(), ['provider_denied', 1]);
      assert.deepEqual(await outcome(), ['provider_denied', 0]);
      time.advance(6);
      assert.deepEqual(await outcome(), [200, 1], 'one refusal between successes is not believed');
    }
    statuses.push(401, 502, 401);
    assert.deepEqual(await outcome(), ['provider_denied', 1]);
    time.advance(6);
    assert.deepEqual(await outcome(), [502, 1]);
    assert.deepEqual(await outcome(), ['provider_denied', 1]);
    time.advance(590);
    assert.deepEqual(await outcome(), ['provider_denied', 0]);
    time.advance(11);
    assert.deepEqual(await outcome(), [200, 1]);
  });
});

describe('retries of requests to a host', () => {
  it('repeat a request once after its connection broke, except one that writes', async () => {
    for (const [isWriting, expected] of [
      [false, 2],
      [true, 1],
    ] as const) {
      await using server = await startRecorder((request) => void request.socket.destroy());
      await using transport = startTransport();
      const sent = transport.send(`${server.url}/`, { body: '{}', isWriting });
      await assert.rejects(sent, { code: 'provider_unavailable' });
      assert.equal(server.requests.length, expected);
    }
  });

  it('repeat a request whose response broke off from its beginning, without joining the parts', async () => {
    let ranges = '';
    await using server = await startRecorder(({ headers, socket }, response) => {
      ranges += headers.range ?? '';
      response.writeHead(200, { 'content-length': '10' });
      if (server.requests.length > 1) response.end('0123456789');
      else response.write('01234', () => socket.destroy());
    });
    await using transport = startTransport();
    assert.equal((await transport.send(`${server.url}/`)).text, '0123456789');
    assert.deepEqual([server.requests.length, ranges], [2, '']);
  });

  it('do not repeat a request without a response in time', async () => {
    await using server = await startRecorder(() => {});
    await using transport = startTransport();
    await assert.rejects(transport.send(`${server.url}/`), { code: 'provider_unavailable' });
    assert.equal(server.requests.length, 1);
  });

  it('leave an exception of the service itself as it is', async () => {
    await using server = await startRecorder((_request, response) => void response.end('fine'));
    await using transport = startTransport();
    const read = (): never => {
      throw new TypeError('a fault of our own');
    };
    await assert.rejects(transport.send(`${server.url}/`, { read }), TypeError);
    assert.equal(server.requests.length, 1);
  });

  it('use another token after a refusal, also for a request that writes', async () => {
    await using server = await startRecorder(({ headers }, response) => {
      response.writeHead(headers.authorization === 'revoked' ? 401 : 201).end();
    });
    await using transport = startTransport(['revoked', 'valid']);
    assert.equal((await transport.send(`${server.url}/`, { body: '{}', isWriting: true })).status, 201);
    assert.deepEqual(server.requests, ['POST / revoked', 'POST / valid']);
  });
});

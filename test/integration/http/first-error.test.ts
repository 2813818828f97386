import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { fastify } from 'fastify';
import type { App } from '../../../src/http/server/app.ts';
import { respondToFirstErrors } from '../../../src/http/server/handlers.ts';

const limitMs = 50;

/** Starts a server whose response to an error takes as long as `drawn`, like that of an image. */
async function start(
  handler: () => Promise<never>,
  drawn: () => Promise<unknown>,
): Promise<{ url: string } & AsyncDisposable> {
  const app: App = fastify({ handlerTimeout: limitMs }).withTypeProvider<TypeBoxTypeProvider>();
  await respondToFirstErrors(
    app,
    async (error, _request, reply) => {
      await drawn();
      const { name, code } = error as Error & { code?: string };
      return reply
        .code(503)
        .type('image/svg+xml')
        .send(`an image of ${code ?? name}`);
    },
    (routes) => routes.get('/card', handler),
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { url: `${app.listeningOrigin}/card`, [Symbol.asyncDispose]: () => app.close() };
}

async function assertResponse({ url }: { url: string }, text: string): Promise<void> {
  const response = await fetch(url);
  assert.deepEqual(
    [response.status, response.headers.get('content-type'), await response.text()],
    [503, 'image/svg+xml', text],
  );
}

describe('the response to a request with two errors', () => {
  it('is that to the error of its handler when the time limit passes meanwhile', async () => {
    await using server = await start(
      () => Promise.reject(new TypeError('secret')),
      () => wait(2 * limitMs),
    );
    await assertResponse(server, 'an image of TypeError');
  });

  it('is that to the time limit when its handler ends with an error meanwhile', async () => {
    const passed = Promise.withResolvers<void>();
    const failed = Promise.withResolvers<void>();
    await using server = await start(
      async () => {
        await passed.promise;
        failed.resolve();
        throw new TypeError('secret');
      },
      async () => {
        passed.resolve();
        await failed.promise;
        await wait(limitMs);
      },
    );
    await assertResponse(server, 'an image of FST_ERR_HANDLER_TIMEOUT');
  });
});

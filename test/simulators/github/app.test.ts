import assert from 'node:assert/strict';
import { createHmac, createPrivateKey, createSign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { now, queryGraphql, start } from '../../../simulators/github/send-request.ts';
import type { Simulator } from '../../../simulators/github/simulator.ts';
import type { Repository } from '../../../simulators/world/model.ts';
import { emitEvent } from '../../../simulators/world/report-changes.ts';

const nowS = now().getTime() / 1000;

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

function proof(simulator: Simulator, claims: object = {}, key = simulator.app.privateKey): string {
  const signed = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode({ iss: simulator.app.id, iat: nowS - 60, exp: nowS + 500, ...claims })}`;
  return `${signed}.${createSign('sha256').update(signed).sign(createPrivateKey(key), 'base64url')}`;
}

async function asApp(simulator: Simulator, path: string, credential: string, method = 'GET') {
  const headers = { authorization: `Bearer ${credential}` };
  const response = await fetch(`${simulator.apiUrl}${path}`, { method, headers });
  return {
    status: response.status,
    link: response.headers.get('link') ?? '',
    body: (await response.json()) as Record<string, unknown>,
  };
}

function engine(simulator: Simulator, name: string): Repository {
  return simulator.world.repository('analytical-engines', name) ?? assert.fail(name);
}

/** Starts a server that records the deliveries that it receives, in order. */
async function receiver(): Promise<
  { url: string; received: { headers: Record<string, unknown>; body: Buffer }[]; status: number } & AsyncDisposable
> {
  const receiving = { received: [] as { headers: Record<string, unknown>; body: Buffer }[], status: 202 };
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      receiving.received.push({ headers: request.headers, body });
      response.writeHead(receiving.status).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return Object.assign(receiving, {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

describe('the simulated GitHub App', () => {
  it('accepts an App only with a token that its key signed and that is valid for at most ten minutes', async () => {
    await using simulator = await start();
    const status = async (credential: string): Promise<number> => (await asApp(simulator, '/app', credential)).status;
    assert.equal(await status(proof(simulator)), 200);
    assert.equal(await status(proof(simulator, { iss: simulator.app.clientId })), 200);
    assert.equal(await status(proof(simulator, { iss: 1 })), 404);
    assert.equal(await status(proof(simulator, { exp: nowS })), 401);
    assert.equal(await status(proof(simulator, { exp: nowS + 601 })), 401);
    assert.equal(await status(proof(simulator, { iat: nowS + 1 })), 401);
    assert.equal(await status('eyJ.eyJ.x'), 401);
    assert.equal(await status(simulator.tokens.user), 401);
    const old = simulator.app.privateKey;
    simulator.app.replaceKey();
    assert.equal(await status(proof(simulator, {}, old)), 401);
    assert.equal((await asApp(simulator, '/repos/analytical-engines/engine-1', proof(simulator))).status, 401);
    simulator.app.isDeleted = true;
    assert.equal(await status(proof(simulator)), 404);
  });

  it('shows an installation token the covered repositories until expiry, suspension or removal', async () => {
    let at = now();
    await using simulator = await start({ now: () => at });
    const { app, world } = simulator;
    const owner = world.accountByLogin('analytical-engines') ?? assert.fail();
    const installation = app.install(owner, [engine(simulator, 'hidden-engine')]);
    const path = `/app/installations/${installation.id}`;
    const created = await asApp(simulator, `${path}/access_tokens`, proof(simulator), 'POST');
    assert.equal(created.status, 201);
    const token = String(created.body['token']);
    assert.ok(token.startsWith('ghs_'));
    const covered = await asApp(simulator, '/installation/repositories', token);
    assert.equal(covered.body['total_count'], 1);
    const repositoryStatus = async (): Promise<number> =>
      (await asApp(simulator, '/repos/analytical-engines/hidden-engine', token)).status;
    assert.equal(await repositoryStatus(), 200);
    const query = '{ repository(owner: "analytical-engines", name: "hidden-engine") { name } }';
    const response = await fetch(`${simulator.apiUrl}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ query }),
    });
    assert.equal(response.headers.get('x-ratelimit-limit'), '5000');
    assert.deepEqual(await response.json(), { data: { repository: { name: 'hidden-engine' } } });
    assert.deepEqual((await queryGraphql(simulator, query)).body.data, { repository: null });
    for (const found of [
      '/repos/analytical-engines/hidden-engine/installation',
      '/orgs/analytical-engines/installation',
      path,
    ]) {
      assert.equal((await asApp(simulator, found, proof(simulator))).body['id'], installation.id, found);
    }
    assert.equal(
      (await asApp(simulator, '/repos/analytical-engines/engine-1/installation', proof(simulator))).status,
      404,
    );
    assert.equal((await asApp(simulator, '/users/ada-lovelace/installation', proof(simulator))).status, 404);
    app.removeRepositories(installation, [engine(simulator, 'hidden-engine')]);
    assert.equal(await repositoryStatus(), 404);
    app.suspend(installation);
    assert.equal(await repositoryStatus(), 403);
    assert.equal((await asApp(simulator, `${path}/access_tokens`, proof(simulator), 'POST')).status, 403);
    app.unsuspend(installation);
    app.addRepositories(installation, [engine(simulator, 'hidden-engine')]);
    assert.equal(await repositoryStatus(), 200);
    at = new Date(at.getTime() + 3_600_001);
    assert.equal(await repositoryStatus(), 401);
    app.uninstall(installation);
    at = now();
    assert.equal(await repositoryStatus(), 401);
    assert.deepEqual((await asApp(simulator, '/app/installations', proof(simulator))).body, []);
  });

  it('delivers every event, out of order and some twice, when the policy says so', async () => {
    await using simulator = await start({ seed: 7 });
    await using service = await receiver();
    const { app, world } = simulator;
    app.deliverTo(service.url, 'a secret of the App');
    app.deliverer.policy = { loss: 0, late: 0, repetition: 0.2, reordering: 0.4, delayMs: 20 };
    const owner = world.accountByLogin('analytical-engines') ?? assert.fail();
    const repository = engine(simulator, 'engine-1');
    app.install(owner);
    const count = 30;
    for (let number = 0; number < count; number += 1) {
      emitEvent(world, repository, 'repository.edited', owner.id, { more: { number } });
    }
    await app.deliverer.idle();
    const numbers = service.received.flatMap(({ body }) => {
      const { number } = JSON.parse(body.toString('utf8')) as { number?: number };
      return number ?? [];
    });
    assert.equal(new Set(numbers).size, count);
    assert.ok(numbers.length > count, 'some come twice');
    assert.notDeepEqual(
      numbers,
      numbers.toSorted((left, right) => left - right),
    );
  });

  it('delivers only events of covered repositories, signed over the bytes, and records every attempt', async () => {
    await using simulator = await start();
    await using service = await receiver();
    const { app, world } = simulator;
    app.deliverTo(service.url, 'a secret of the App');
    const owner = world.accountByLogin('analytical-engines') ?? assert.fail();
    const covered = engine(simulator, 'engine-1');
    const installation = app.install(owner, [covered]);
    const happen = (repository: Repository): void =>
      world.emit({
        name: 'repository',
        action: 'edited',
        repository,
        ownerId: owner.id,
        senderId: owner.id,
        details: {},
      });
    happen(covered);
    happen(engine(simulator, 'engine-2'));
    app.suspend(installation);
    happen(covered);
    await app.deliverer.idle();
    const events = service.received.map(({ headers }) => String(headers['x-github-event']));
    assert.deepEqual(events.toSorted(), ['installation', 'installation', 'repository']);
    for (const { headers, body } of service.received) {
      const signature = createHmac('sha256', 'a secret of the App').update(body).digest('hex');
      assert.equal(headers['x-hub-signature-256'], `sha256=${signature}`);
    }
    service.status = 500;
    app.unsuspend(installation);
    await app.deliverer.idle();
    app.deliverer.policy = { loss: 1, late: 0, repetition: 0, reordering: 0, delayMs: 0 };
    happen(covered);
    await app.deliverer.idle();
    assert.deepEqual(
      app.deliverer.attempts.slice(-2).map(({ statusCode }) => statusCode),
      [500, 504],
    );
    const listed = await asApp(simulator, '/app/hook/deliveries?per_page=2', proof(simulator));
    const [newest] = listed.body as unknown as { id: number; guid: string; status_code: number }[];
    assert.equal(newest?.status_code, 504);
    const cursor = new URL(/<([^>]+)>; rel="next"/.exec(listed.link)?.[1] ?? '').searchParams.get('cursor');
    const older = await asApp(simulator, `/app/hook/deliveries?per_page=100&cursor=${cursor}`, proof(simulator));
    assert.equal((older.body as unknown as object[]).length, app.deliverer.attempts.length - 2);
    assert.equal((await asApp(simulator, '/app/hook/deliveries?cursor=v1_1', proof(simulator))).status, 400);
    assert.equal((await asApp(simulator, `/app/hook/deliveries/${newest?.id}`, proof(simulator))).status, 200);
    app.deliverer.policy = { loss: 0, late: 0, repetition: 1, reordering: 0, delayMs: 0 };
    service.status = 202;
    const again = await asApp(simulator, `/app/hook/deliveries/${newest?.id}/attempts`, proof(simulator), 'POST');
    assert.equal(again.status, 202);
    await app.deliverer.idle();
    assert.deepEqual(
      app.deliverer.attempts.slice(-2).map(({ guid, isRedelivery, statusCode }) => [guid, isRedelivery, statusCode]),
      [
        [newest?.guid, true, 202],
        [newest?.guid, true, 202],
      ],
    );
  });
});

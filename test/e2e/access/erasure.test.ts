import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { decode } from '../../integration/access/forge-token.ts';
import { ada, bearer, engines, jsonRequest, serviceToken } from '../../integration/access/owner.ts';
import { clock, until } from '../../time.ts';
import { startTestService } from '../service.ts';
import { readAllTables, untilIdle } from './state.ts';

describe('erasure of an account', () => {
  it('erases an account from rows, copies and caches on all nodes, and does not look it up again', async () => {
    const time = clock();
    await using simulator = await startSimulator({ now: time.now, repositories: 1 });
    const { world } = simulator;
    await using service = await startTestService({ simulator, now: time.now });
    const { databaseUrl } = service;
    await using secondNode = await startTestService({
      simulator,
      now: time.now,
      databaseUrl,
      settings: { PUBLIC_URL: service.url },
    });
    const token = await serviceToken(service, simulator, ada);
    const id = String(decode(token).payload['sub']);
    await service.getComplete(`${ada.name}/contributors`);
    await service.getComplete(`${engines.name}/contributors?limit=100`);
    await service.get(`${ada.name}/contributions`);
    await service.get(
      `${ada.name}/embeds`,
      jsonRequest('POST', token, { path: `/v1/github/entities/${ada.name}/contributions`, format: 'svg' }),
    );
    await secondNode.get(ada.name);
    await secondNode.get(`${engines.name}/contributors?limit=100`);
    await untilIdle(service);
    const { rows: owned } = await service.database.pool.query<{ id: string }>(
      'select id from repositories where owner_id = $1',
      [id],
    );
    const copies = async (): Promise<string[]> => {
      const fileNames = await Promise.all(
        [service, secondNode].map(({ dataDir }) => readdir(join(dataDir, 'histories')).catch(() => [])),
      );
      return fileNames.flat().filter((name) => owned.some((repository) => repository.id === name));
    };
    assert.ok(owned.length > 0 && (await copies()).length > 0);
    const account = world.accountByLogin(ada.name) ?? assert.fail();
    const traces = [
      id,
      ada.name,
      'Poetical science',
      'ada.example',
      ...account.emails.map((email) => email.toLowerCase()),
    ];
    const before = await readAllTables(service);
    for (const trace of traces) assert.ok(before.includes(trace), trace);

    const erased = await service.get(ada.name, jsonRequest('DELETE', token));
    assert.deepEqual([erased.status, erased.text], [204, '']);
    const after = await readAllTables(service);
    for (const trace of traces) assert.ok(!after.includes(trace), trace);
    assert.ok(owned.every((repository) => !after.includes(repository.id)));
    await until(async () => ((await copies()).length === 0 ? true : undefined), 'the copies are removed');

    const requestCount = simulator.requests.length;
    for (const node of [service, secondNode]) {
      for (const path of ['', '/contributions', '/contributors']) {
        const seen = await until(async () => {
          const response = await node.get(`${ada.name}${path}`);
          return response.status === 404 ? response : undefined;
        }, 'no node serves the account');
        assert.equal(seen.body.error?.code, 2);
      }
      assert.equal((await node.get(ada.name.toUpperCase())).status, 404);
      assert.equal((await node.get(`${ada.name}/audit`, bearer(token))).status, 401);
    }
    assert.equal(simulator.requests.length, requestCount, 'no request names the account');
  });
});

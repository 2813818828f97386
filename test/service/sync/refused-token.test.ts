import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { engines } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { startSteppedService } from './stepped-service.ts';

describe('service while a host refuses a token', () => {
  it('leaves known accounts served from stored data, and unknown names for a few seconds with Retry-After', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startSteppedService({ simulator, now });
    const paths = ['ada-lovelace', engines.name].flatMap((name) =>
      ['', '/contributions', '/contributors', '/contributions?format=svg&hide=avatar'].map((path) => `${name}${path}`),
    );
    for (const name of ['ada-lovelace', engines.name]) {
      await service.getComplete(`${name}/contributions`);
      await service.getComplete(`${name}/contributors`);
    }
    await service.work();
    const read = () =>
      Promise.all(
        paths.map(async (path) => {
          const { status, text, body } = await service.get(path);
          return { path, status, shown: path.includes('svg') ? text : body.data };
        }),
      );
    const before = await read();
    assert.ok(before.every(({ status }) => status === 200));

    // Everything stored is stale, so that each request leads to one to the host.
    advance(3700);
    simulator.faults.add({ kind: 'bad_credentials', times: 1 });
    const requestCount = simulator.requests.length;
    assert.deepEqual(await read(), before);
    await service.work();
    assert.ok(simulator.requests.length > requestCount);
    assert.deepEqual(await read(), before);
    const { status, headers, body } = await service.getAfterWork(simulator.accounts.outsider);
    assert.deepEqual([status, body.error?.type], [502, 'provider_denied']);
    const retryAfterS = Number(headers.get('retry-after'));
    assert.ok(retryAfterS > 0 && retryAfterS <= 10, String(retryAfterS));

    advance(retryAfterS);
    assert.equal((await service.getAfterWork(simulator.accounts.outsider)).status, 200);
    assert.deepEqual(await read(), before);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { deleteAccount, renameAccount, takeLogin } from '../../../simulators/world/mutations.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import type { TestService } from '../../e2e/service.ts';
import { bearer, fromOwnAddress, keeper, serviceToken } from '../../integration/access/owner.ts';
import { clock, until } from '../../time.ts';
import { startSteppedService } from '../sync/stepped-service.ts';

const hourS = 3600;
const settings = { TRUST_PROXY: 'loopback', TOKEN_TTL_S: '86400' };

const requestToken = (service: TestService, name: string, token: string) =>
  service.get(`${name}/token`, fromOwnAddress(bearer(token)));

describe('service tokens of an account', () => {
  it('keep to the account when another one takes its name, and end when it is deleted', async () => {
    const time = clock();
    const { now } = time;
    await using simulator = await startSimulator({ now, repositories: 1 });
    const { world } = simulator;
    await using service = await startSteppedService({ simulator, now, settings });
    const account = world.accountByLogin(keeper.name) ?? assert.fail();
    const token = await serviceToken(service, simulator, keeper);
    await service.getComplete(`${keeper.name}/contributors`);
    time.advance(1);
    renameAccount(world, account, 'keeper-renamed');
    // The owner's new name is stored when they prove the ownership again.
    assert.equal((await requestToken(service, 'keeper-renamed', simulator.tokens.private_owner)).status, 200);
    assert.equal((await service.get('keeper-renamed/repositories', bearer(token))).status, 200);
    const old = await service.get(`${keeper.name}/repositories?limit=2`, bearer(token));
    assert.equal(old.status, 301);
    assert.equal(old.headers.get('location'), '/v1/github/entities/keeper-renamed/repositories?limit=2');
    assert.equal(old.headers.get('cache-control'), 'private, no-store');
    assert.equal(
      (await requestToken(service, keeper.name, simulator.tokens.private_owner)).status,
      200,
      'by the former name',
    );

    const newcomer = takeLogin(world, keeper.name);
    await untilIdle(service);
    time.advance(hourS + 60);
    await until(async () => {
      const { body, status } = await service.get(keeper.name);
      return status === 200 && body.data[0]?.['display_name'] === newcomer.name ? true : undefined;
    }, 'the name is the newcomer’s');
    assert.equal((await service.get(`${keeper.name}/repositories`, bearer(token))).status, 403);
    assert.equal((await requestToken(service, keeper.name, simulator.tokens.private_owner)).status, 403);
    assert.equal((await service.get('keeper-renamed/repositories', bearer(token))).status, 200);

    // The owner deletes the account.
    deleteAccount(world, account);
    await untilIdle(service);
    time.advance(hourS + 60);
    await until(
      async () => ((await service.get('keeper-renamed')).status === 404 ? true : undefined),
      'the account is deleted',
    );
    assert.equal((await service.get('keeper-renamed/repositories', bearer(token))).status, 401);
    assert.equal((await requestToken(service, 'keeper-renamed', simulator.tokens.private_owner)).status, 401);
  });
});

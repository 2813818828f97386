import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Simulator, startSimulator } from '../../../../simulators/github/simulator.ts';
import type { TokenName } from '../../../../simulators/github/tokens.ts';
import { renameAccount, takeLogin } from '../../../../simulators/world/mutations.ts';
import { addMember, removeMember } from '../../../../simulators/world/repository-changes.ts';
import { call } from '../../../contract/host.ts';
import { createContractWorld } from '../../../contract/world.ts';
import { createAppProvider } from './app-provider.ts';

interface Scene extends AsyncDisposable {
  simulator: Simulator;
  world: ReturnType<typeof createContractWorld>;
  /** Checks the person of a login; `installations`: those that the service uses. */
  check(person: { id: number }, installations?: { id: number; accountId: number }[]): Promise<string | undefined>;
}

async function open(tokens: readonly TokenName[]): Promise<Scene> {
  const world = createContractWorld();
  const simulator = await startSimulator({ world: world.world, now: world.now });
  const provider = createAppProvider(simulator, { now: world.now, tokenNames: tokens });
  const known = { externalId: String(world.organization.id), name: world.organization.login };
  return {
    simulator,
    world,
    check: async ({ id }, installations = []) => {
      const used = installations.map((one) => ({ externalId: String(one.id), account: String(one.accountId) }));
      provider.app?.use(used);
      return provider.ownership.administers?.(known, String(id), call());
    },
    [Symbol.asyncDispose]: async () => {
      await provider.close();
      await simulator.close();
    },
  };
}

describe('the check of administrators at GitHub', () => {
  it('uses an installation that may read members, and never one that may not', async () => {
    await using scene = await open([]);
    const { simulator, world } = scene;
    const { olive, max } = world.people;
    const { members: _members, ...fewer } = simulator.app.permissions;
    const narrow = simulator.app.install(world.organization, undefined, fewer);
    assert.equal(await scene.check(olive, [narrow]), 'cannot_check');
    assert.equal(await scene.check(max, [narrow]), 'cannot_check');
    const whole = simulator.app.install(world.organization);
    assert.equal(await scene.check(olive, [whole]), 'yes');
    assert.equal(await scene.check(max, [whole]), 'no');
    // The installation of another account shows nothing of this one.
    assert.equal(await scene.check(olive, [simulator.app.install(max)]), 'cannot_check');
    simulator.app.suspend(whole);
    simulator.app.revokeTokens();
    world.advance(7200);
    assert.equal(await scene.check(olive, [whole]), 'cannot_check');
  });

  it('believes no token that lacks read:org or is not that of an owner', async () => {
    for (const token of ['organization_admin_narrow', 'organization_member', 'user', 'outsider'] as const) {
      await using scene = await open([token]);
      assert.equal(await scene.check(scene.world.people.olive), 'cannot_check', token);
      assert.equal(await scene.check(scene.world.people.ada), 'cannot_check', token);
    }
    await using scene = await open(['outsider', 'organization_admin']);
    assert.equal(await scene.check(scene.world.people.ada), 'no');
  });

  it('believes a token about its own bearer', async () => {
    await using scene = await open(['organization_member']);
    const { max } = scene.world.people;
    assert.equal(await scene.check(max), 'no');
    addMember(scene.world.world, scene.world.organization, max, 'admin');
    assert.equal(await scene.check(max), 'yes');
    removeMember(scene.world.world, scene.world.organization, max);
    assert.equal(await scene.check(max), 'cannot_check');
  });

  it('takes no organization for another one that has its former name', async () => {
    await using scene = await open(['organization_admin']);
    const { world, organization, people } = scene.world;
    const whole = scene.simulator.app.install(organization);
    const { login } = organization;
    renameAccount(world, organization, 'engines-renamed');
    assert.equal(await scene.check(people.olive), 'cannot_check');
    await assert.rejects(scene.check(people.olive, [whole]), { code: 'provider_unavailable' });
    const successor = takeLogin(world, login);
    successor.type = 'Organization';
    addMember(world, successor, people.max, 'admin');
    await assert.rejects(scene.check(people.max, [whole]), { code: 'provider_unavailable' });
  });

  it('gives no result while GitHub fails', async () => {
    await using scene = await open(['organization_admin']);
    scene.simulator.faults.add({ kind: 'bad_gateway', on: 'GET /orgs/' });
    await assert.rejects(scene.check(scene.world.people.ada), { code: 'provider_unavailable' });
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Simulator, startSimulator } from '../../../../simulators/github/simulator.ts';
import type { TokenName } from '../../../../simulators/github/tokens.ts';
import { renameAccount, takeLogin } from '../../../../simulators/world/mutations.ts';
import { addMember, removeMember } from '../../../../simulators/world/repository-changes.ts';
import { newCall } from '../../../contract/host.ts';
import { createContractWorld } from '../../../contract/world.ts';
import { createAppProvider } from './app-provider.ts';

interface Fixture extends AsyncDisposable {
  simulator: Simulator;
  world: ReturnType<typeof createContractWorld>;
  /** Checks the person of a login; `installations`: those that the service uses. */
  check(person: { id: number }, installations?: { id: number; accountId: number }[]): Promise<string | undefined>;
}

async function open(tokens: readonly TokenName[]): Promise<Fixture> {
  const world = createContractWorld();
  const simulator = await startSimulator({ world: world.world, now: world.now });
  const provider = createAppProvider(simulator, { now: world.now, tokenNames: tokens });
  const stored = { externalId: String(world.organization.id), name: world.organization.login };
  return {
    simulator,
    world,
    check: async ({ id }, installations = []) => {
      const used = installations.map((installation) => ({
        externalId: String(installation.id),
        account: String(installation.accountId),
      }));
      provider.app?.use(used);
      return provider.ownership.administers?.(stored, String(id), newCall());
    },
    [Symbol.asyncDispose]: async () => {
      await provider.close();
      await simulator.close();
    },
  };
}

describe('the check of administrators at GitHub', () => {
  it('uses an installation that may read members, and never one that may not', async () => {
    await using fixture = await open([]);
    const { simulator, world } = fixture;
    const { olive, max } = world.people;
    const { members: _members, ...fewer } = simulator.app.permissions;
    const narrow = simulator.app.install(world.organization, undefined, fewer);
    assert.equal(await fixture.check(olive, [narrow]), 'cannot_check');
    assert.equal(await fixture.check(max, [narrow]), 'cannot_check');
    const installation = simulator.app.install(world.organization);
    assert.equal(await fixture.check(olive, [installation]), 'yes');
    assert.equal(await fixture.check(max, [installation]), 'no');
    // The installation of another account shows nothing of this one.
    assert.equal(await fixture.check(olive, [simulator.app.install(max)]), 'cannot_check');
    simulator.app.suspend(installation);
    simulator.app.revokeTokens();
    world.advance(7200);
    assert.equal(await fixture.check(olive, [installation]), 'cannot_check');
  });

  it('believes no token that lacks read:org or is not that of an owner', async () => {
    for (const token of ['organization_admin_narrow', 'organization_member', 'user', 'outsider'] as const) {
      await using fixture = await open([token]);
      assert.equal(await fixture.check(fixture.world.people.olive), 'cannot_check', token);
      assert.equal(await fixture.check(fixture.world.people.ada), 'cannot_check', token);
    }
    await using fixture = await open(['outsider', 'organization_admin']);
    assert.equal(await fixture.check(fixture.world.people.ada), 'no');
  });

  it('believes a token about its own bearer', async () => {
    await using fixture = await open(['organization_member']);
    const { max } = fixture.world.people;
    assert.equal(await fixture.check(max), 'no');
    addMember(fixture.world.world, fixture.world.organization, max, 'admin');
    assert.equal(await fixture.check(max), 'yes');
    removeMember(fixture.world.world, fixture.world.organization, max);
    assert.equal(await fixture.check(max), 'cannot_check');
  });

  it('takes no organization for another one that has its former name', async () => {
    await using fixture = await open(['organization_admin']);
    const { world, organization, people } = fixture.world;
    const installation = fixture.simulator.app.install(organization);
    const { login } = organization;
    renameAccount(world, organization, 'engines-renamed');
    assert.equal(await fixture.check(people.olive), 'cannot_check');
    await assert.rejects(fixture.check(people.olive, [installation]), { code: 'provider_unavailable' });
    const successor = takeLogin(world, login);
    successor.type = 'Organization';
    addMember(world, successor, people.max, 'admin');
    await assert.rejects(fixture.check(people.max, [installation]), { code: 'provider_unavailable' });
  });

  it('gives no result while GitHub fails', async () => {
    await using fixture = await open(['organization_admin']);
    fixture.simulator.faults.add({ kind: 'bad_gateway', on: 'GET /orgs/' });
    await assert.rejects(fixture.check(fixture.world.people.ada), { code: 'provider_unavailable' });
  });
});

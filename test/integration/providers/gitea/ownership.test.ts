import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startReplay, toSecret } from '../../../../simulators/gitea/replay.ts';
import { startGiteaSimulator } from '../../../../simulators/gitea/simulator.ts';
import { removeMember } from '../../../../simulators/world/repository-changes.ts';
import { newCall } from '../../../contract/host.ts';
import { createContractWorld } from '../../../contract/world.ts';
import { giteaProvider } from './gitea-provider.ts';

/** Tests proofs of ownership with responses of a real Gitea. */

const { signal } = new AbortController();

describe('ownership at Gitea', () => {
  it('confirms that an owner of an organization owns it, and that users own their own account', async () => {
    await using replay = await startReplay();
    await using provider = giteaProvider(replay);
    const alice = await provider.ownership.prove(toSecret('alice'), 'acme', signal);
    assert.deepEqual(alice.bearer, { externalId: '2', name: 'alice' });
    assert.equal(alice.owned?.externalId, '5');
    assert.equal(alice.owned?.type, 'organization');
    assert.equal((await provider.ownership.prove(toSecret('alice'), 'ALICE', signal)).owned?.externalId, '2');
  });

  it('requests only data of the bearer for a proof', async () => {
    await using replay = await startReplay();
    await using provider = giteaProvider(replay);
    for (const name of ['acme', 'alice', '../alice', 'alice/orgs/acme']) {
      await provider.ownership.prove(toSecret('alice'), name, signal).catch(() => null);
    }
    for (const request of replay.requests) assert.match(request, /^alice \/(user|users\/alice\/|orgs\/)/);
    assert.ok(replay.requests.every((request) => !request.includes('..') && !request.includes('%2')));
  });

  it('confirms no ownership of the account of another user', async () => {
    await using replay = await startReplay();
    await using provider = giteaProvider(replay);
    assert.equal((await provider.ownership.prove(toSecret('alice'), 'bob', signal)).owned, null);
  });

  it('confirms no ownership of an organization for a site administrator', async () => {
    await using replay = await startReplay();
    await using provider = giteaProvider(replay);
    const { bearer, owned } = await provider.ownership.prove(toSecret('forgeadmin'), 'acme', signal);
    assert.equal(bearer.name, 'forgeadmin');
    assert.equal(owned, null);
  });

  it('names the scope that a token lacks', async () => {
    await using replay = await startReplay();
    await using provider = giteaProvider(replay);
    await assert.rejects(provider.ownership.prove(toSecret('alice-useronly'), 'acme', signal), {
      code: 'forbidden',
      message: 'This token lacks a scope at the code host: read:user or read:organization.',
    });
  });

  it('refuses an invalid token as unauthenticated', async () => {
    await using replay = await startReplay();
    await using provider = giteaProvider(replay);
    await assert.rejects(provider.ownership.prove('nonsense', 'acme', signal), { code: 'unauthenticated' });
  });

  it('takes a private organization that a person does not see for one that the person has left', async () => {
    const { world, organization, people, now } = createContractWorld();
    await using simulator = await startGiteaSimulator({ world });
    const stored = { externalId: String(organization.id), name: organization.login };
    const { olive, max, ada } = people;
    simulator.hidden.set(organization.id, 'private');
    for (const [token, ofMember, ofStranger] of [
      ['organization_member', 'no', 'no'],
      ['user', 'cannot_check', 'cannot_check'],
    ] as const) {
      await using provider = giteaProvider(simulator, { now, tokens: [simulator.tokens[token]] });
      const check = ({ id }: { id: number }) => provider.ownership.administers?.(stored, String(id), newCall());
      assert.equal(await check(max), ofMember, token);
      assert.equal(await check(ada), ofStranger, token);
    }
    await using provider = giteaProvider(simulator, { now, tokens: [simulator.tokens.organization_member] });
    const check = () => provider.ownership.administers?.(stored, String(olive.id), newCall());
    assert.equal(await check(), 'yes');
    removeMember(world, organization, olive);
    assert.equal(await check(), 'no');
    // The token does not see the person, so that the absence says nothing.
    simulator.hidden.set(olive.id, 'private');
    assert.equal(await check(), 'cannot_check');
  });

  it('cannot check administrators with a token that lacks a scope', async () => {
    const { world, organization, people, now } = createContractWorld();
    await using simulator = await startGiteaSimulator({ world });
    const stored = { externalId: String(organization.id), name: organization.login };
    const { organization_member: withoutScopes, organization_admin: withScopes } = simulator.tokens;
    simulator.scopes.set('organization_member', ['read:user', 'read:repository']);
    const check = async (tokens: string[]) => {
      await using provider = giteaProvider(simulator, { now, tokens });
      return await provider.ownership.administers?.(stored, String(people.max.id), newCall());
    };
    assert.equal(await check([withoutScopes]), 'cannot_check');
    assert.equal(await check([withoutScopes, withScopes]), 'no');
  });
});

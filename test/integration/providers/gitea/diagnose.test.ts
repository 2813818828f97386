import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type GiteaSimulator, startGiteaSimulator } from '../../../../simulators/gitea/simulator.ts';
import type { CredentialReport, Diagnosis } from '../../../../src/hosts/interface/diagnosis.ts';
import type { ProviderWith } from '../../../../src/hosts/interface/provider.ts';
import { createContractWorld } from '../../../contract/world.ts';
import { giteaProvider } from './gitea-provider.ts';

const diagnose = (provider: ProviderWith<'diagnose'>): Promise<Diagnosis> =>
  provider.diagnose(AbortSignal.timeout(20_000));

async function reportOn(simulator: GiteaSimulator, tokens: readonly string[]): Promise<CredentialReport> {
  await using provider = giteaProvider(simulator, { tokens });
  const { credentials } = await diagnose(provider);
  return credentials[0] ?? assert.fail();
}

const every = ['read:user', 'read:repository', 'read:issue', 'read:organization'];

describe('the diagnosis of a Gitea provider', () => {
  it('reports the owner of each token, and whether it shows private data', async () => {
    const { world } = createContractWorld();
    await using simulator = await startGiteaSimulator({ world });
    const { organization_admin, public_only } = simulator.tokens;
    await using provider = giteaProvider(simulator, { tokens: [organization_admin, public_only, 'revoked'] });
    const { version, credentials } = await diagnose(provider);
    assert.match(version ?? '', /^1\.21\./);
    assert.deepEqual(
      credentials.map(({ state, holder, sees, missing }) => ({ state, holder, sees, missing })),
      [
        { state: 'accepted', holder: 'olive-admin', sees: 'private', missing: [] },
        { state: 'accepted', holder: 'ada-lovelace', sees: 'public', missing: [] },
        { state: 'refused', holder: null, sees: 'unknown', missing: [] },
      ],
    );
  });

  it('names each scope that a token lacks', async () => {
    const { world } = createContractWorld();
    await using simulator = await startGiteaSimulator({ world });
    const { user } = simulator.tokens;
    for (const lacked of every) {
      simulator.scopes.set(
        'user',
        every.filter((scope) => scope !== lacked),
      );
      const { state, missing } = await reportOn(simulator, [user]);
      assert.equal(state, 'accepted');
      assert.deepEqual(
        missing.map(({ name, isRequired }) => [name, isRequired]),
        [[lacked, true]],
      );
    }
    // Gitea refuses such a token for public data too.
    simulator.scopes.set('user', ['read:user']);
    const { missing } = await reportOn(simulator, [user]);
    assert.deepEqual(
      missing.map(({ name }) => name),
      ['read:repository', 'read:issue', 'read:organization'],
    );
  });

  it('reports an instance that needs a token as refused, not as unreachable', async () => {
    const { world } = createContractWorld();
    await using simulator = await startGiteaSimulator({ world, isClosed: true });
    const { kind, state } = await reportOn(simulator, []);
    assert.deepEqual([kind, state], ['none', 'refused']);
  });

  it('reports until when an instance limits requests', async () => {
    const { world } = createContractWorld();
    await using simulator = await startGiteaSimulator({ world });
    simulator.overrides.push(() => ({ status: 429, body: {}, headers: { 'retry-after': '120' } }));
    const { state, retryAt } = await reportOn(simulator, [simulator.tokens.user]);
    assert.equal(state, 'limited');
    assert.ok(retryAt !== null);
  });
});

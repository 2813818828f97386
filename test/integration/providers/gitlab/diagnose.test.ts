import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type GitLabSimulator, startGitLabSimulator } from '../../../../simulators/gitlab/simulator.ts';
import type { CredentialReport, Diagnosis } from '../../../../src/hosts/interface/diagnosis.ts';
import type { ProviderWith } from '../../../../src/hosts/interface/provider.ts';
import { createContractWorld } from '../../../contract/world.ts';
import { gitlabProvider } from './gitlab-provider.ts';

const diagnose = (provider: ProviderWith<'diagnose'>): Promise<Diagnosis> =>
  provider.diagnose(AbortSignal.timeout(20_000));

async function reportOn(simulator: GitLabSimulator, tokens: readonly string[]): Promise<CredentialReport> {
  await using provider = gitlabProvider(simulator, { tokens });
  const { credentials } = await diagnose(provider);
  return credentials[0] ?? assert.fail();
}

describe('the diagnosis of a GitLab provider', () => {
  it('reports the owner, the expiry date and the missing scopes of each token', async () => {
    const { world } = createContractWorld();
    await using simulator = await startGitLabSimulator({ world });
    const { user, organization_member, organization_admin } = simulator.tokens;
    simulator.lastDays.set('user', '2026-12-01');
    simulator.narrowTokens.add('organization_member');
    simulator.readingTokens.add('organization_admin');
    await using provider = gitlabProvider(simulator, {
      tokens: [user, organization_member, organization_admin, 'glpat-gone'],
    });
    const { version, credentials } = await diagnose(provider);
    assert.equal(version, '17.5.1-ee');
    assert.deepEqual(
      credentials.map(({ state, holder, expiresAt, missing }) => [
        state,
        holder,
        expiresAt?.toISOString(),
        missing.map(({ name, isRequired }) => [name, isRequired]),
      ]),
      [
        ['accepted', 'ada-lovelace', '2026-12-01T00:00:00.000Z', []],
        [
          'accepted',
          'max-member',
          undefined,
          [
            ['read_api', true],
            ['read_repository', false],
          ],
        ],
        ['accepted', 'olive-admin', undefined, [['read_repository', false]]],
        ['refused', null, undefined, []],
      ],
    );
  });

  it('finds the scopes of an OAuth token, which cannot read itself, by its refusals', async () => {
    const { world } = createContractWorld();
    await using simulator = await startGitLabSimulator({ world });
    const message = { error: 'This endpoint requires token type to be a personal access token' };
    const isSelf = (path: string): boolean => path === '/personal_access_tokens/self';
    simulator.overrides.push((path) => (isSelf(path) ? { status: 400, body: message } : undefined));
    const report = await reportOn(simulator, [simulator.tokens.user]);
    assert.deepEqual([report.state, report.holder, report.missing], ['accepted', 'ada-lovelace', []]);
    const insufficient = { error: 'insufficient_scope', scope: 'api read_api read_user' };
    simulator.overrides.splice(0, 1, (path) =>
      isSelf(path) ? { status: 400, body: message } : { status: 403, body: insufficient },
    );
    const narrow = await reportOn(simulator, [simulator.tokens.user]);
    assert.deepEqual(
      narrow.missing.map(({ name, isRequired }) => [name, isRequired]),
      [['read_api', true]],
    );
  });

  it('reports the remaining quota where the instance sends it', async () => {
    const { world } = createContractWorld();
    await using simulator = await startGitLabSimulator({ world });
    const headers = { 'ratelimit-limit': '600', 'ratelimit-remaining': '12', 'ratelimit-reset': '1767225600' };
    simulator.overrides.push((path) =>
      path === '/user' ? { status: 200, body: { username: 'ada' }, headers } : undefined,
    );
    const { quotas } = await reportOn(simulator, [simulator.tokens.user]);
    const resetAt = new Date('2026-01-01T00:00:00Z');
    assert.deepEqual(quotas, [{ resource: 'api', unit: 'requests', limit: 600, remaining: 12, resetAt }]);
  });

  it('looks an account up to diagnose an instance without a token', async () => {
    const { world } = createContractWorld();
    await using simulator = await startGitLabSimulator({ world });
    const { kind, state, sees, missing } = await reportOn(simulator, []);
    assert.deepEqual([kind, state, sees], ['none', 'accepted', 'public']);
    assert.deepEqual(
      missing.map(({ name }) => name),
      ['a token'],
    );
    simulator.overrides.push(() => ({ status: 403, body: { message: '403 Forbidden' } }));
    assert.equal((await reportOn(simulator, [])).state, 'refused');
  });
});

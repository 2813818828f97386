import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../../simulators/github/simulator.ts';
import { summarize } from '../../../../src/app/doctor/describe-hosts.ts';
import { lastReport, newCall } from '../../../contract/host.ts';
import { createContractWorld } from '../../../contract/world.ts';
import { createAppProvider } from './app-provider.ts';

/** Starts a provider that is the App and has no token. @param options.aheadS the fault of its clock. */
async function open(options: { aheadS?: number } = {}) {
  const { aheadS = 0 } = options;
  const { world, now, advance, organization } = createContractWorld();
  const simulator = await startSimulator({ world, now });
  const { app } = simulator;
  const provider = createAppProvider(simulator, { now: () => new Date(now().getTime() + aheadS * 1000) });
  return {
    simulator,
    provider,
    app: provider.app ?? assert.fail(),
    advance,
    /** Installs the App on the organization, and uses this installation. */
    install: () => {
      const { id, accountId } = app.install(organization);
      provider.app?.use([{ externalId: String(id), account: String(accountId) }]);
    },
    lookUp: (login: string) => lastReport(provider.accounts.lookUp(login, newCall())),
    [Symbol.asyncDispose]: async () => {
      await provider.close();
      await simulator.close();
    },
  };
}

describe('calls of the GitHub App', () => {
  it('renews tokens before they expire, and after they were revoked', async () => {
    await using fixture = await open();
    const { simulator, install, lookUp, advance } = fixture;
    const { app, requests } = simulator;
    install();
    const tokenRequests = (): number => requests.filter(({ name }) => name.endsWith('/access_tokens')).length;
    for (const login of ['ada-lovelace', 'max-member']) assert.equal((await lookUp(login))?.account.name, login);
    assert.equal(tokenRequests(), 1);
    advance(46 * 60);
    await lookUp('ada-lovelace');
    assert.equal(tokenRequests(), 2);
    assert.ok(requests.every(({ status }) => status !== 401));
    advance(120);
    app.revokeTokens();
    assert.equal((await lookUp('max-member'))?.account.name, 'max-member');
    assert.equal(tokenRequests(), 3);
  });

  it('corrects a wrong clock by the time of GitHub', async () => {
    await using fixture = await open({ aheadS: 900 });
    fixture.install();
    assert.equal((await fixture.app.installations(newCall())).length, 1);
    assert.ok(await fixture.lookUp('ada-lovelace'));
  });

  it('is unknown to GitHub after its key was revoked or it was deleted', async () => {
    for (const spoil of ['key', 'deletion']) {
      await using fixture = await open();
      const { app } = fixture.simulator;
      fixture.install();
      assert.equal((await fixture.app.installations(newCall())).length, 1);
      if (spoil === 'key') app.replaceKey();
      else app.isDeleted = true;
      app.revokeTokens();
      const unknown = { code: 'provider_denied', message: /does not know the configured App/ };
      await assert.rejects(fixture.app.installations(newCall()), unknown, spoil);
      await assert.rejects(fixture.lookUp('ada-lovelace'), { code: 'provider_denied' }, spoil);
    }
  });

  it('is reported as installed nowhere while no token allows a request', async () => {
    await using fixture = await open();
    await assert.rejects(fixture.lookUp('ada-lovelace'), { code: 'provider_denied', message: /installed nowhere/ });
    const diagnosis = await fixture.provider.diagnose?.(AbortSignal.timeout(5000));
    assert.equal(summarize(diagnosis ?? assert.fail()), 'the App is installed nowhere yet');
  });
});

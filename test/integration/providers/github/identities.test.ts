import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Simulator, startSimulator } from '../../../../simulators/github/simulator.ts';
import { addCommit } from '../../../../simulators/world/activity.ts';
import { addAccount } from '../../../../simulators/world/people.ts';
import { createGitHubProvider } from '../../../../src/providers/github/provider.ts';
import type { ProviderWith } from '../../../../src/providers/provider.ts';
import { newCall } from '../../../contract/host.ts';
import { type ContractWorld, createContractWorld, handbookOf } from '../../../contract/world.ts';

interface Fixture extends ContractWorld {
  simulator: Simulator;
  provider: ProviderWith<'history'>;
}

/** Runs a check with a token, and again without one. */
async function withAndWithoutToken(check: (fixture: Fixture, hasToken: boolean) => Promise<void>): Promise<void> {
  for (const hasToken of [true, false]) {
    const contract = createContractWorld();
    const { world, now } = contract;
    await using simulator = await startSimulator({ world, now });
    const { url, apiUrl, tokens } = simulator;
    const provider = createGitHubProvider({
      name: 'github',
      url,
      apiUrl,
      tokens: hasToken ? [tokens.public_only] : [],
      webhookSecret: undefined,
      app: undefined,
      connectTimeoutMs: 2000,
      now,
    });
    try {
      await check({ ...contract, simulator, provider }, hasToken);
    } finally {
      await provider.close();
    }
  }
}

const olive = { name: 'Olive', email: 'olive-admin@mail.example' };
const stranger = { name: 'Stranger', email: 'stranger@elsewhere.example' };

describe('authors of commits at GitHub', () => {
  it('settles an address as one without account only by a commit that it authored', async () => {
    await withAndWithoutToken(async (fixture) => {
      const { world, provider, repositories } = fixture;
      const named = addCommit(world, repositories.handbook, { author: olive, coAuthors: [stranger] });
      const authored = addCommit(world, repositories.handbook, { author: stranger });
      const resolve = async (oid: string) => {
        const identities = [{ email: stranger.email, oid }];
        return (await provider.history.resolveIdentities(handbookOf(fixture), identities, newCall())).get(
          stranger.email,
        );
      };
      assert.equal(await resolve(authored.oid), null);
      assert.equal(await resolve(named.oid), undefined);
      assert.equal(await resolve('f'.repeat(40)), undefined);
      world.repositories.splice(world.repositories.indexOf(repositories.handbook), 1);
      world.markChanged();
      assert.equal(await resolve(authored.oid), undefined);
    });
  });

  it('finds the account of a co-author with a token, but not without one', async () => {
    await withAndWithoutToken(async (fixture, hasToken) => {
      const { world, provider, repositories } = fixture;
      const { oid } = addCommit(world, repositories.handbook, { author: stranger, coAuthors: [olive] });
      const identities = [{ email: olive.email, oid, isCoAuthor: true }];
      const owners = await provider.history.resolveIdentities(handbookOf(fixture), identities, newCall());
      assert.equal(owners.get(olive.email)?.name, hasToken ? 'olive-admin' : undefined);
      assert.equal(owners.has(olive.email), hasToken);
    });
  });

  it('leaves the address of a co-author unknown when the author beside it cannot be read', async () => {
    await withAndWithoutToken(async (fixture, hasToken) => {
      const { world, provider, repositories, simulator } = fixture;
      const { oid } = addCommit(world, repositories.handbook, { author: olive, coAuthors: [stranger] });
      const path = ['data', 'repository', 'c0', 'authors', 'nodes', 0, 'user'];
      if (hasToken) simulator.faults.add({ kind: 'surprise', on: 'CommitAuthors', path, value: { invalid: true } });
      const identities = [olive, stranger].map(({ email }) => ({ email, oid }));
      const owners = await provider.history.resolveIdentities(handbookOf(fixture), identities, newCall());
      assert.equal(simulator.faults.pending, 0);
      assert.ok(!owners.has(stranger.email));
      assert.equal(owners.has(olive.email), !hasToken);
    });
  });

  it('resolves an address of Copilot to a bot, and one of a deleted account to no account', async () => {
    await withAndWithoutToken(async (fixture, hasToken) => {
      const { world, provider, repositories, people, now } = fixture;
      addAccount(world, { id: 198_982_749, login: 'Copilot', type: 'Bot', createdAt: now() });
      const copilot = { name: 'Copilot', email: '198982749+Copilot@users.noreply.github.com' };
      const deleted = { name: 'Gone', email: `${people.deleted.id}+gone@users.noreply.github.com` };
      const commits = [copilot, deleted].map((author) => addCommit(world, repositories.handbook, { author }));
      const identities = commits.map(({ oid, author }) => ({ oid, email: author.email.toLowerCase() }));
      const owners = await provider.history.resolveIdentities(handbookOf(fixture), identities, newCall());
      const found = owners.get(copilot.email.toLowerCase());
      assert.deepEqual([found?.externalId, found?.type], ['198982749', 'bot']);
      if (hasToken) assert.equal(owners.get(deleted.email), null);
    });
  });
});

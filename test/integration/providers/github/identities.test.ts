import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Simulator, startSimulator } from '../../../../simulators/github/simulator.ts';
import { addCommit } from '../../../../simulators/world/activity.ts';
import { renameAccount } from '../../../../simulators/world/mutations.ts';
import { addAccount } from '../../../../simulators/world/people.ts';
import { GitHubClient } from '../../../../src/hosts/github/client.ts';
import { readNoReplyAddress } from '../../../../src/hosts/github/identities.ts';
import { createGitHubProvider } from '../../../../src/hosts/github/provider.ts';
import type { ProviderWith } from '../../../../src/hosts/interface/provider.ts';
import { newCall } from '../../../contract/host.ts';
import { type ContractWorld, createContractWorld, toHandbook } from '../../../contract/world.ts';

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
        return (await provider.history.resolveIdentities(toHandbook(fixture), identities, newCall())).get(
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
      const owners = await provider.history.resolveIdentities(toHandbook(fixture), identities, newCall());
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
      const owners = await provider.history.resolveIdentities(toHandbook(fixture), identities, newCall());
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
      const owners = await provider.history.resolveIdentities(toHandbook(fixture), identities, newCall());
      const found = owners.get(copilot.email.toLowerCase());
      assert.deepEqual([found?.externalId, found?.type], ['198982749', 'bot']);
      if (hasToken) assert.equal(owners.get(deleted.email), null);
    });
  });

  it('credits no account by the number or login in an address of another host', async () => {
    await withAndWithoutToken(async (fixture) => {
      const { world, provider, repositories, people } = fixture;
      const { id, login } = people.max;
      const hosts = ['github.corp.example', 'gitlab.example', 'github.com.example', 'acme.ghe.com'];
      const emails = hosts.flatMap((host) => [
        `${id}+${login}@users.noreply.${host}`,
        `${login}@users.noreply.${host}`,
        `${id}+${login}@noreply.${host}`,
      ]);
      for (const isCoAuthor of [false, true]) {
        for (const email of emails) {
          const person = { name: 'Max', email };
          const { oid } = addCommit(world, repositories.handbook, {
            author: isCoAuthor ? stranger : person,
            coAuthors: isCoAuthor ? [person] : [],
          });
          const identities = [{ email, oid, isCoAuthor }];
          const owners = await provider.history.resolveIdentities(toHandbook(fixture), identities, newCall());
          assert.equal(owners.get(email) ?? null, null, email);
        }
      }
    });
  });

  it('gives an address without a number to the account that has the login now', async () => {
    await withAndWithoutToken(async (fixture) => {
      const { world, provider, repositories, people, organization, now } = fixture;
      const former = people.max.login;
      renameAccount(world, people.max, 'max-renamed');
      const resolve = async (login: string): Promise<string[]> => {
        const email = `${login}@users.noreply.github.com`.toLowerCase();
        const person = { name: 'Max', email };
        const authored = addCommit(world, repositories.handbook, { author: person });
        const named = addCommit(world, repositories.handbook, { author: stranger, coAuthors: [person] });
        const owners = [false, true].map(async (isCoAuthor) => {
          const identities = [{ email, oid: (isCoAuthor ? named : authored).oid, isCoAuthor }];
          return (await provider.history.resolveIdentities(toHandbook(fixture), identities, newCall())).get(email);
        });
        return (await Promise.all(owners)).map((owner) => owner?.externalId ?? 'none');
      };
      assert.deepEqual(await resolve('max-renamed'), [String(people.max.id), String(people.max.id)]);
      assert.deepEqual(await resolve(former), ['none', 'none']);
      const { id } = addAccount(world, { login: former, createdAt: now() });
      assert.deepEqual(await resolve(former), [String(id), String(id)]);
      assert.deepEqual((await resolve(organization.login))[1], 'none');
    });
  });

  it('follows the response of GitHub about a commit where an address has no number', async () => {
    await withAndWithoutToken(async (fixture, hasToken) => {
      if (!hasToken) return;
      const { world, provider, repositories, people, simulator } = fixture;
      const email = `${people.max.login}@users.noreply.github.com`;
      for (const isCoAuthor of [false, true]) {
        const person = { name: 'Max', email };
        const named = isCoAuthor ? { author: stranger, coAuthors: [person] } : { author: person };
        const { oid } = addCommit(world, repositories.handbook, named);
        const path = ['data', 'repository', 'c0', 'authors', 'nodes', isCoAuthor ? 1 : 0, 'user'];
        simulator.faults.add({ kind: 'surprise', on: 'CommitAuthors', path, value: null });
        const identities = [{ email, oid, isCoAuthor }];
        const owners = await provider.history.resolveIdentities(toHandbook(fixture), identities, newCall());
        assert.equal(simulator.faults.pending, 0);
        assert.equal(owners.get(email) ?? null, null);
      }
    });
  });

  it('knows the no-reply addresses of github.com, an Enterprise Server and ghe.com apart', async () => {
    const hosts = ['github.com', 'github.corp.example', 'acme.ghe.com'];
    for (const host of hosts) {
      const client = new GitHubClient({
        url: `https://${host}`,
        apiUrl: `https://${host}/api/v3`,
        tokens: [],
        connectTimeoutMs: 1000,
        now: () => new Date(),
      });
      const known = hosts.filter(
        (other) => readNoReplyAddress(client, `4242+jane@users.noreply.${other}`) !== undefined,
      );
      assert.deepEqual(known, [host]);
      await client.close();
    }
  });
});

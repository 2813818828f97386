import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startReplay, toSecret } from '../../../../simulators/gitea/replay.ts';
import type { KnownAccount } from '../../../../src/hosts/interface/provider.ts';
import { lastReport, newCall } from '../../../contract/host.ts';
import { acme, giteaProvider, handbook } from './gitea-provider.ts';

/** Tests the provider on recorded responses of a real Gitea. */

const count = { cursor: null, since: null, pageSize: null, isDeep: false };

describe('the provider on a recorded Gitea', () => {
  it('recognizes an organization although Gitea returns it as a user too', async () => {
    await using replay = await startReplay();
    await using provider = giteaProvider(replay);
    const organization = await lastReport(provider.accounts.lookUp('acme', newCall()));
    assert.deepEqual(organization?.account, {
      externalId: '5',
      handle: '',
      type: 'organization',
      name: 'acme',
      displayName: 'Acme Documentation',
      avatarUrl: 'http://127.0.0.1:3000/avatars/53bce4f1dfa0fe8e7ca126f91b35d3a6',
      website: 'https://acme.example.test',
      description: 'Docs made in the open',
      socials: [],
      followers: 0,
      following: 0,
      isPublic: true,
    });
    const user = await lastReport(provider.accounts.lookUp('alice', newCall()));
    assert.equal(user?.account.type, 'user');
    assert.equal(user?.account.followers, 2);
    assert.deepEqual(user?.counters, { stars: 1, discussions: 0, discussions_answered: 0 });
    assert.ok(user?.missing.includes('commits') && !user.missing.includes('stars'));
    assert.equal(await lastReport(provider.accounts.lookUp('nobody-here', newCall())), undefined);
  });

  it('reports an account without its e-mail address', async () => {
    await using replay = await startReplay();
    await using provider = giteaProvider(replay);
    const alice = await lastReport(provider.accounts.lookUp('alice', newCall()));
    assert.doesNotMatch(JSON.stringify(alice), /forge\.test|noreply/);
  });

  it('lists public repositories first, then those that a token shows in addition', async () => {
    await using replay = await startReplay();
    await using provider = giteaProvider(replay);
    const page = await provider.repositories.list(acme, null, newCall());
    assert.deepEqual(
      page.repositories.map(({ name, isPrivate }) => ({ name, isPrivate })),
      [{ name: 'handbook', isPrivate: false }],
    );
    assert.equal(page.nextCursor, null);

    await using withToken = giteaProvider(replay, { tokens: [toSecret('bob')] });
    const publicPage = await withToken.repositories.list(acme, null, newCall());
    assert.deepEqual(
      publicPage.repositories.map(({ name, credentialName }) => ({ name, credentialName })),
      [{ name: 'handbook', credentialName: null }],
    );
    const privatePage = await withToken.repositories.list(acme, publicPage.nextCursor, newCall());
    const [credentialName] = withToken.privateData.credentialNames();
    assert.deepEqual(
      privatePage.repositories.map((repository) => ({
        name: repository.name,
        isPrivate: repository.isPrivate,
        credentialName: repository.credentialName,
      })),
      [{ name: 'secret-plans', isPrivate: true, credentialName }],
    );
    assert.equal(privatePage.nextCursor, null);
  });

  it('finds a private repository only with a token that shows it', async () => {
    await using replay = await startReplay();
    await using bob = giteaProvider(replay, { tokens: [toSecret('bob')] });
    const find = (name: string, withPrivate: boolean) => bob.repositories.find(acme, name, { withPrivate }, newCall());
    assert.equal((await find('secret-plans', true))?.language, 'Shell');
    assert.equal(await find('secret-plans', false), null);
    await using carol = giteaProvider(replay, { tokens: [toSecret('carol')] });
    assert.equal(await carol.repositories.find(acme, 'secret-plans', { withPrivate: true }, newCall()), null);
    assert.equal((await carol.repositories.find(acme, 'handbook', { withPrivate: false }, newCall()))?.stars, 4);
    const somebody: KnownAccount = { ...acme, externalId: '99' };
    assert.equal(await carol.repositories.find(somebody, 'handbook', { withPrivate: false }, newCall()), null);
  });

  it('reads issues with their authors', async () => {
    await using replay = await startReplay();
    await using provider = giteaProvider(replay);
    const page = await provider.streams.read('issues', handbook, count, newCall());
    assert.equal(page.total, 5);
    assert.equal(page.nextCursor, null);
    assert.deepEqual(
      page.contributions.map(({ kind, externalId, author, closedAt }) => [kind, externalId, author, closedAt !== null]),
      [
        ['issue', '5', '1', true],
        ['issue', '4', '2', false],
        ['issue', '3', '4', false],
        ['issue', '2', '3', true],
        ['issue', '1', '4', false],
      ],
    );
  });

  it('reads pull requests including drafts and merges, and does not read review requests as reviews', async () => {
    await using replay = await startReplay();
    await using provider = giteaProvider(replay);
    const page = await provider.streams.read('pull_requests', handbook, count, newCall());
    const pulls = page.contributions.filter(({ kind }) => kind === 'pull_request');
    assert.deepEqual(
      pulls.map(({ externalId, author, closedAt, mergedAt }) => [
        externalId,
        author,
        closedAt !== null,
        mergedAt !== null,
      ]),
      [
        ['11', '3', false, false],
        ['10', '2', true, false],
        ['9', '3', true, true],
        ['8', '4', false, false],
        ['7', '3', true, true],
      ],
    );
    const reviews = page.contributions.filter(({ kind }) => kind === 'review');
    assert.deepEqual(
      reviews
        .filter(({ parentExternalId }) => parentExternalId === '7')
        .map(({ externalId, author }) => [externalId, author]),
      [
        ['2', '4'],
        ['3', '2'],
      ],
    );
    assert.deepEqual(page.wholeParents, ['11', '10', '9', '8', '7']);
  });

  it('finds every address of an account in commits, and no account for an unknown address', async () => {
    await using replay = await startReplay();
    await using provider = giteaProvider(replay);
    const oid = 'b194b91119e3d3303ce8d2b5938974a55358577c';
    const emails = ['bob@forge.test', 'bob.barrow@work.example.test', 'dee@elsewhere.example.test', 'alice@forge.test'];
    const identities = emails.map((email) => ({ email, oid }));
    const resolved = await provider.history.resolveIdentities(handbook, identities, newCall());
    assert.deepEqual(
      emails.map((email) => resolved.get(email)?.name ?? null),
      ['bob', 'bob', null, 'alice'],
    );
    assert.equal(replay.requests.length, 1);
  });

  it('resolves a noreply address of the host without a commit by it, but not one of another host', async () => {
    await using replay = await startReplay();
    await using provider = giteaProvider(replay);
    const oid = 'b194b91119e3d3303ce8d2b5938974a55358577c';
    const emails = ['carol@noreply.127.0.0.1', 'alice@noreply.elsewhere.example'];
    const resolved = await provider.history.resolveIdentities(
      handbook,
      emails.map((email) => ({ email, oid })),
      newCall(),
    );
    assert.equal(resolved.get('carol@noreply.127.0.0.1')?.externalId, '4');
    assert.ok(!resolved.has('alice@noreply.elsewhere.example'));
  });

  it('diagnoses a host without a token by its version, with public data alone', async () => {
    await using replay = await startReplay();
    await using provider = giteaProvider(replay);
    const { version, credentials } = await provider.diagnose(AbortSignal.timeout(5000));
    assert.match(version ?? '', /^1\.21\./);
    assert.deepEqual(
      credentials.map(({ kind, state, sees, missing }) => ({ kind, state, sees, missing })),
      [{ kind: 'none', state: 'accepted', sees: 'public', missing: [] }],
    );
  });

  it('reads the numbers of lines and files of a commit', async () => {
    await using replay = await startReplay();
    await using provider = giteaProvider(replay);
    const oid = 'b194b91119e3d3303ce8d2b5938974a55358577c';
    const found = await provider.details.readLineCounts(handbook, [oid], newCall());
    assert.deepEqual([...found], [[oid, { additions: 2, deletions: 0, changedFiles: 1 }]]);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giteaProvider } from '../../gitea/asking.ts';
import { secretOf, startReplay } from '../../gitea/replay.ts';

/** Who owns what, by what a real Gitea answered. */

const { signal } = new AbortController();

test('an owner of an organization proves it; a member and a stranger do not', async () => {
  await using replay = await startReplay();
  await using provider = giteaProvider(replay);
  const alice = await provider.proveOwnership(secretOf('alice'), 'acme', signal);
  assert.deepEqual(alice.bearer, { externalId: '2', name: 'alice' });
  assert.equal(alice.owned?.externalId, '5');
  assert.equal(alice.owned?.type, 'organization');
  assert.equal((await provider.proveOwnership(secretOf('alice'), 'ALICE', signal)).owned?.externalId, '2');
});

test('nobody is asked about but the bearer, for whom the host vouches', async () => {
  await using replay = await startReplay();
  await using provider = giteaProvider(replay);
  for (const name of ['acme', 'alice', '../alice', 'alice/orgs/acme']) {
    await provider.proveOwnership(secretOf('alice'), name, signal).catch(() => null);
  }
  for (const request of replay.requests) assert.match(request, /^alice \/(user|users\/alice\/|orgs\/)/);
  assert.ok(replay.requests.every((request) => !request.includes('..') && !request.includes('%2')));
});

test('an account that is no organization belongs to nobody but itself', async () => {
  await using replay = await startReplay();
  await using provider = giteaProvider(replay);
  assert.equal((await provider.proveOwnership(secretOf('alice'), 'bob', signal)).owned, null);
});

test('a site administrator owns nothing by that', async () => {
  await using replay = await startReplay();
  await using provider = giteaProvider(replay);
  const { bearer, owned } = await provider.proveOwnership(secretOf('forgeadmin'), 'acme', signal);
  assert.equal(bearer.name, 'forgeadmin');
  assert.equal(owned, null);
});

test('a token that may not ask is told which scope it lacks', async () => {
  await using replay = await startReplay();
  await using provider = giteaProvider(replay);
  await assert.rejects(provider.proveOwnership(secretOf('alice-useronly'), 'acme', signal), {
    code: 'forbidden',
    message: 'This token lacks a scope at the code host: read:user or read:organization.',
  });
});

test('a token that is none is told so', async () => {
  await using replay = await startReplay();
  await using provider = giteaProvider(replay);
  await assert.rejects(provider.proveOwnership('nonsense', 'acme', signal), { code: 'unauthenticated' });
});

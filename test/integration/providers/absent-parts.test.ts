import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toSyncContext } from '../../../bench/sync-context.ts';
import { proveOwner } from '../../../src/accounts/access/prove-owner.ts';
import type { AccessServices } from '../../../src/accounts/access/services.ts';
import { findOwnedRepositories } from '../../../src/accounts/repositories/store.ts';
import { findById } from '../../../src/accounts/store.ts';
import { findCollection } from '../../../src/contributions/items/collection-store.ts';
import { SharedCounts } from '../../../src/database/connections/counts.ts';
import { type AccountReport, listStreams, type Provider, requirePart } from '../../../src/hosts/interface/provider.ts';
import { contributionKinds } from '../../../src/model/contribution.ts';
import { newCost } from '../../../src/sync/context.ts';
import { lookUp } from '../../../src/sync/lookups/look-up.ts';
import { collectAccount } from '../../../src/sync/streams/collect.ts';
import { openTestDatabase } from '../../database.ts';
import { engine } from '../repositories/engine.ts';

/** A provider with the required parts alone: one organization with one repository. */
async function* report(): AsyncGenerator<AccountReport, void, undefined> {
  yield {
    account: {
      externalId: '1',
      handle: '1',
      type: 'organization',
      name: 'acme',
      displayName: 'Acme',
      avatarUrl: '',
      website: '',
      description: '',
      socials: null,
      followers: null,
      following: null,
    },
    counters: {},
    missing: [],
    memory: null,
  };
}
const page = { credentialName: null, total: null, endsView: true, isRefused: false, nextCursor: null };
const listed = { ...engine, tips: {}, isPrivate: false, credentialName: null };
const provider: Provider = {
  name: 'github',
  host: '',
  accounts: {
    isPossibleName: () => true,
    toUrl: () => '',
    toIdUrl: () => '',
    lookUp: report,
    refresh: report,
    reportsTotals: false,
  },
  repositories: {
    isPossibleName: () => true,
    toUrl: () => '',
    toPageUrl: () => '',
    list: async () => ({ repositories: [listed], ...page }),
    find: async () => listed,
  },
  unreported: [],
  close: async () => {},
};

const call = { urgency: 'interactive', signal: new AbortController().signal, cost: newCost() } as const;

describe('serving a host without optional parts', () => {
  it('collects accounts to their end, with all kinds of contributions missing', async () => {
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    const context = toSyncContext(connection, provider);
    const id = (await lookUp(context, { provider: 'github', name: 'acme' }, call)) ?? assert.fail();
    assert.equal((await findById(connection, id))?.name, 'acme');
    const end = await collectAccount(context, id, { call, onProgress: () => {} }, undefined);
    assert.equal(end, 'complete');
    assert.deepEqual(
      (await findOwnedRepositories(connection, id)).map(({ name }) => name),
      [engine.name],
    );
    const { uncollected, isUnfinished } = await findCollection(connection, id);
    assert.deepEqual([uncollected, isUnfinished], [[...contributionKinds], false]);
  });

  it('reads no streams, and names the part that a stored stream needs', () => {
    assert.deepEqual(listStreams(provider), []);
    assert.throws(() => requirePart(provider, 'history'), { code: 'provider_denied', message: /no history/ });
  });

  it('forbids acting as an owner', async () => {
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    const now = (): Date => new Date();
    const context = { connection, now, counts: new SharedCounts(connection, now) } as unknown as AccessServices;
    const proof = proveOwner(context, { provider, name: 'acme' }, 'a token');
    await assert.rejects(proof, { code: 'forbidden', message: /no proof of ownership/ });
  });
});

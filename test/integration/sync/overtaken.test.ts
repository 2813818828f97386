import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { hideRepository } from '../../../src/accounts/repositories/hide-store.ts';
import { findById } from '../../../src/accounts/store.ts';
import type { Database } from '../../../src/database/connections/connection.ts';
import type { ListedRepository, Provider, RepositoryPage } from '../../../src/hosts/interface/provider.ts';
import { newCost, type SyncContext } from '../../../src/sync/context.ts';
import { listRepositories } from '../../../src/sync/listings/list-repositories.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { engine } from '../repositories/engine.ts';

/** Tests responses that arrive after later ones. */

function pageWith(isPrivate: boolean): RepositoryPage {
  const repositories: ListedRepository[] = [
    { ...engine, tips: {}, isPrivate, credentialName: isPrivate ? 'token' : null },
  ];
  return { repositories, credentialName: null, total: null, endsView: true, isRefused: false, nextCursor: null };
}

async function addOwner({ connection, pool }: Database) {
  const { rows } = await pool.query<{ id: string }>(
    `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
     values (gen_random_uuid(), 'github', '1', '1', 'organization', 'acme', now(), now(), now()) returning id`,
  );
  return (await findById(connection, rows[0]?.id ?? '')) ?? assert.fail();
}

const call = { urgency: 'background', signal: new AbortController().signal, cost: newCost() } as const;

describe('overtaken listings', () => {
  for (const [title, overtake] of [
    ['a listing', 'listing'],
    ['a delivery', 'hiding'],
  ] as const) {
    it(`hides a repository that became private when a listing requested before ${title} arrives after it`, async () => {
      await using opened = await reuseTestDatabase();
      const { connection, pool } = opened.database;
      const owner = await addOwner(opened.database);
      let now = Date.parse('2026-06-15T12:00:00Z');
      const context = {
        connection,
        providers: new Map(),
        now: () => new Date(now),
        newId: uuidv7,
      } as unknown as SyncContext;
      const list = (listing: () => Promise<RepositoryPage>) =>
        listRepositories(
          context,
          owner,
          { name: 'github', repositories: { list: listing } } as unknown as Provider,
          call,
        );
      await list(async () => pageWith(false));
      now += 1000;
      const slow = Promise.withResolvers<RepositoryPage>();
      const requested = Promise.withResolvers<undefined>();
      const first = list(() => {
        requested.resolve(undefined);
        return slow.promise;
      });
      await requested.promise;
      now += 2000;
      if (overtake === 'listing') await list(async () => pageWith(true));
      else {
        const { rows } = await pool.query<{ id: string }>('select id from repositories');
        await hideRepository(connection, rows[0]?.id ?? '', new Date(now));
      }
      now += 3000;
      slow.resolve(pageWith(false));
      await first;
      const { rows } = await pool.query('select 1 from repositories where not is_private and deleted_at is null');
      assert.equal(rows.length, 0);
    });
  }
});

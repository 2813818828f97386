import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { hideUnlisted } from '../../../src/accounts/repositories/hide-store.ts';
import { saveListedRepositories } from '../../../src/accounts/repositories/store.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { engine } from './engine.ts';

const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

describe('listings of repositories', () => {
  it('changes and hides nothing for a listing that was requested before another one and arrives after it', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const { rows } = await pool.query<{ id: string }>(
      `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
     values (gen_random_uuid(), 'github', '1', '1', 'user', 'ada', now(), now(), now()) returning id`,
    );
    const ownerId = rows[0]?.id ?? '';
    const save = (name: string, isPrivate: boolean, listedAt: Date) =>
      saveListedRepositories(connection, {
        provider: 'github',
        ownerId,
        repositories: [{ ...engine, name, isPrivate, credentialName: null }],
        listedAt,
        newId: uuidv7,
      });
    const first = await save('engine', false, at(10));
    // A lookup that began at 15 is overtaken by a listing that began at 20.
    const listed = await save('renamed-engine', true, at(21));
    const overtaken = await save('engine', false, at(15));
    assert.deepEqual([...overtaken.ids], []);
    assert.deepEqual([...listed.ids], [...first.ids]);
    assert.deepEqual(overtaken.ownersChanged, []);
    assert.equal(await hideUnlisted(connection, ownerId, at(20), at(22)), false);
    const { rows: stored } = await pool.query('select name, is_private, deleted_at from repositories');
    assert.deepEqual(stored, [{ name: 'renamed-engine', is_private: true, deleted_at: null }]);
  });
});

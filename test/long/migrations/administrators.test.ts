import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../../../src/database/open.ts';
import { createTestDatabase } from '../../database.ts';

const accounts = `
  insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at) values
    ('00000000-0000-7000-8000-000000000001', 'github', '11', '', 'user', 'ada', now(), now(), now()),
    ('00000000-0000-7000-8000-000000000002', 'github', '12', '', 'organization', 'engines', now(), now(), now())`;

describe('assignment of keys and links to holders by migration 0027', () => {
  it('gives keys and links of organizations 30 days, and those of users their account as the holder', async () => {
    await using created = await createTestDatabase({ withTables: false });
    const options = { databaseUrl: created.url, dataDir: '/nonexistent', log: () => {} };
    const old = await openDatabase({ ...options, upTo: '0023-plain-names' });
    await old.pool.query(accounts);
    for (const account of [1, 2]) {
      const id = `00000000-0000-7000-8000-00000000000${account}`;
      await old.pool.query(
        `insert into owner_keys (account_id, id, kind, spki, created_at) values
          ($1, 'new', 'Ed25519', '', now()), ($1, 'old', 'Ed25519', '', now() - interval '3 years')`,
        [id],
      );
      await old.pool.query(
        `insert into embeds (id, account_id, path, format, secret_hash, created_at)
         values (gen_random_uuid(), $1, 'contributions', 'svg', $2, now())`,
        [id, Buffer.from(id)],
      );
    }
    await old.close();
    const database = await openDatabase(options);
    const { rows } = await database.pool.query(
      `select a.name, h.id, h.holder, h.holder_name, round(extract(epoch from h.ends_at - now()) / 86400) as days from (
         select account_id, id, holder, holder_name, ends_at from owner_keys
         union all select account_id, 'link', holder, holder_name, ends_at from embeds) h
       join accounts a on a.id = h.account_id order by a.name, h.id`,
    );
    await database.close();
    assert.deepEqual(
      rows.map(({ name, id, holder, holder_name, days }) => [name, id, holder, holder_name, days && Number(days)]),
      [
        ['ada', 'link', '11', 'github/ada', null],
        ['ada', 'new', '11', 'github/ada', 400],
        ['ada', 'old', '11', 'github/ada', 30],
        ['engines', 'link', null, null, 30],
        ['engines', 'new', null, null, 30],
        ['engines', 'old', null, null, 30],
      ],
    );
  });
});

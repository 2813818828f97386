import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exportAccount } from '../../../src/access/export/store.ts';
import { importLines } from '../../../src/database/backup.ts';
import type { Database } from '../../../src/database/connection.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { addRepository } from '../../integration/contributions/stored-repository.ts';
import { openBefore } from '../../integration/database/open-before.ts';

const before = '0027-administrators';
/** The name of a credential in stored data. */
const credential = 'marked-credential';

/** Stores the name of a credential wherever the release with migration 0027 did. */
async function fill({ connection, pool }: Database): Promise<void> {
  await addRepository(connection);
  await pool.query('update repositories set is_private = true, access = $1', [credential]);
  await pool.query(
    `insert into reported_totals (account_id, access, counters, missing, fetched_at)
     select id, $1, '{}', '{}', now() from accounts`,
    [credential],
  );
  await pool.query(
    `insert into installations (provider, id, source, account_external_id, account_name, access, covers,
       missing_permissions, seen_at, created_at)
     values ('github', '5', 'app', '1', 'ada', $1, 'all', '{}', now(), now())`,
    [credential],
  );
  await pool.query('update accounts set listing_started_at = now(), listing_cursor = $1', [
    JSON.stringify({ access: credential, after: '"access":' }),
  ]);
  await pool.query(
    `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at, listing_cursor)
     values (gen_random_uuid(), 'github', '2', '2', 'user', 'grace', now(), now(), now(), 'Y3Vyc29yOjE=')`,
  );
}

const owner = { account: '1', name: 'ada' };
const owned = { what: 'owned', ...owner };

/** Stores a delivery that was received and not yet applied. */
async function addDelivery({ pool }: Database): Promise<void> {
  await pool.query(
    `insert into deliveries (provider, id, event, changes, received_at)
     values ('github', '1', 'installation', $1, now()), ('github', '2', 'repository', $2, now())`,
    [JSON.stringify([owned, { what: 'installation', access: credential, isOver: true }]), JSON.stringify([owned])],
  );
}

/** Returns an export of the tables as the release with migration 0027 wrote it. */
async function* exportedLines({ pool }: Database): AsyncGenerator<string> {
  for (const table of ['accounts', 'repositories', 'reported_totals', 'installations']) {
    yield JSON.stringify({ table });
    const { rows } = await pool.query<{ row: string }>(`select to_jsonb(t)::text as row from ${table} t`);
    for (const { row } of rows) yield row;
  }
}

const stored = async ({ pool }: Database): Promise<unknown> =>
  (
    await pool.query<object>(`
      select r.credential_name as repository, t.credential_name as totals, i.credential_name as installation,
        a.listing_cursor as cursor, (select listing_cursor from accounts where name = 'grace') as "cursor without a view"
      from accounts a join repositories r on r.owner_id = a.id join reported_totals t on t.account_id = a.id
        cross join installations i`)
  ).rows;
const expected = [
  {
    repository: credential,
    totals: credential,
    installation: credential,
    cursor: JSON.stringify({ credentialName: credential, after: '"access":' }),
    'cursor without a view': 'Y3Vyc29yOjE=',
  },
];

describe('the migration to names of credentials', () => {
  it('keeps the names in all tables and in the cursors of interrupted listings', async () => {
    await using opened = await openBefore(before);
    await fill(opened.database);
    await migrate(opened.database);
    assert.deepEqual(await stored(opened.database), expected);
  });

  it('keeps the changes of deliveries that were not applied, under the present names', async () => {
    await using opened = await openBefore(before);
    await addDelivery(opened.database);
    await migrate(opened.database);
    const { rows } = await opened.database.pool.query('select id, changes from deliveries order by id');
    const installation = { type: 'installation', credentialName: credential, isOver: true };
    const changedOwner = { type: 'owned', ...owner };
    assert.deepEqual(rows, [
      { id: '1', changes: [changedOwner, installation] },
      { id: '2', changes: [changedOwner] },
    ]);
  });

  it('imports an export with the former columns', async () => {
    await using former = await openBefore(before);
    await fill(former.database);
    await using opened = await openBefore(before);
    await importLines(opened.database, before, exportedLines(former.database));
    assert.deepEqual(await stored(opened.database), expected);
  });

  it('leaves the names out of the export of an account', async () => {
    await using opened = await openBefore(before);
    const { database } = opened;
    await fill(database);
    await migrate(database);
    const { rows } = await database.pool.query<{ id: string }>("select id from accounts where name = 'ada'");
    const types: string[] = [];
    for await (const line of exportAccount(database.connection, rows[0]?.id ?? '', new Date())) {
      types.push((JSON.parse(line) as { type: string }).type);
      assert.doesNotMatch(line, /marked-credential|credential_name/);
    }
    for (const type of ['repository', 'reported_totals', 'installation']) assert.ok(types.includes(type), type);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { findItems } from '../../../src/contributions/evidence/store.ts';
import { itemised } from '../../../src/contributions/kinds.ts';
import { openRequestPool } from '../../../src/database/request-pool.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { addRepository } from '../contributions/stored-repository.ts';
import { watchPlans } from '../plans.ts';

const id = '00000000-0000-4000-8000-000000000001';

describe('pages of evidence of a person', () => {
  it('are prepared by a connection for all commits alone, whose plan fits any number of them', async () => {
    await using stored = await openTestDatabase();
    const { clientConfig } = stored.database;
    const requests = openRequestPool(clientConfig, { maxConnections: 1, statementTimeoutMs: 5000 });
    const position = { at: 1_700_000_000_000_000, kind: 'issue', repositoryId: id, id: '1' };
    const instants = [null, new Date('2026-02-03T04:05:06Z')];
    for (const counter of itemised) {
      for (const [since, until] of instants.flatMap((from) => instants.map((to) => [from, to] as const))) {
        for (const page of [{}, { after: position }, { before: position }]) {
          for (const scopeId of [null, id]) {
            const scope = {
              personId: id,
              ownerId: scopeId,
              repositoryId: scopeId,
              seesPrivateOf: scopeId,
              since,
              until,
            };
            assert.deepEqual(await findItems(requests.connection, scope, [counter], { limit: 30, ...page }), []);
          }
        }
      }
    }
    const { rows } = await sql`select from pg_prepared_statements`.execute(requests.connection);
    await requests.close();
    assert.equal(rows.length, 3, 'the first, a next and a former page');
  });

  it('read the first items of a person by the index, not all of them', { skip: isOnCluster }, async () => {
    await using stored = await openTestDatabase();
    const { connection, pool } = stored.database;
    await addRepository(connection);
    const items = 20_000;
    await pool.query(
      `insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, seen_at)
       select r.id, 'issue', n::text, r.owner_id, now() - n * interval '1 hour', now(), now()
       from repositories r, generate_series(1, $1::integer) n`,
      [items],
    );
    await pool.query('analyze contributions, repositories');
    const { rows } = await pool.query<{ id: string }>('select id from accounts');
    const withoutFilters = { ownerId: null, repositoryId: null, seesPrivateOf: null, since: null, until: null };
    const scope = { personId: rows[0]?.id ?? assert.fail(), ...withoutFilters };
    const issues = itemised.filter(({ name }) => name === 'issues');
    const [page, ...others] = await watchPlans(stored.database, async (watched) => {
      assert.equal((await findItems(watched, scope, issues, { limit: 30 })).length, 30);
    });
    assert.equal(others.length, 0);
    assert.ok(page !== undefined && page.blocks < items / 100, `${page?.blocks} blocks`);
  });
});

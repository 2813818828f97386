import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { findItems } from '../../../src/contributions/evidence/store.ts';
import { openRequestPool } from '../../../src/database/reads/request-pool.ts';
import { itemised } from '../../../src/model/kinds.ts';
import { openTestDatabase } from '../../database.ts';

const id = '00000000-0000-4000-8000-000000000001';

describe('pages of evidence of a person', () => {
  it('are prepared by a connection where an index has the items in order, without bounds', async () => {
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
    assert.equal(rows.length, 9, 'the first, a next and a former page of commits, of reviews, and of all else');
  });
});

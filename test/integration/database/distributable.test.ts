import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findObstacles } from '../../../src/database/schema/citus.ts';
import { dividedNames } from '../../../src/database/tables/divided-tables.ts';
import { openTestDatabase } from '../../database.ts';

describe('the tables that are divided by repository', () => {
  it('exist, and have nothing that Citus refuses: no triggers, no foreign keys, the repository in each key', async () => {
    await using opened = await openTestDatabase();
    const { connection, pool } = opened.database;
    const { rows } = await pool.query<{ name: string }>(
      `select relname::text as name from pg_class where relkind = 'r' and relname = any($1) order by 1`,
      [dividedNames],
    );
    assert.deepEqual(
      rows.map(({ name }) => name),
      dividedNames.toSorted(),
    );
    assert.deepEqual(await findObstacles(connection), []);
  });
});

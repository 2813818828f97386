import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { migrate } from '../../../src/database/migrate.ts';
import { migrations } from '../../../src/database/migrations/index.ts';
import { openBefore } from '../../integration/database/open-before.ts';

/** More than one transaction stores. */
const repositories = 45;

describe('the migration of sums of languages', () => {
  it('sums the days of each repository and address that an earlier release stored', async () => {
    await using opened = await openBefore('0118-failing-lookups');
    const { database } = opened;
    await database.pool.query(
      `insert into language_days (repository_id, identity_id, day, language, files, commits)
       select md5(r::text)::uuid, i, date '2026-01-01' + d, l, r * d, 1
       from generate_series(1, $1::integer) r, generate_series(1, 2) i, generate_series(1, 3) d, unnest('{Ada,C++}'::text[]) l`,
      [repositories],
    );
    await migrate(database, { migrations });
    const { rows } = await database.pool.query(
      `select count(*)::integer as sums, count(distinct repository_id)::integer as repositories,
         bool_and(s.files = 6 * r.place) as "areRight"
       from language_sums s join (
         select md5(place::text)::uuid as id, place from generate_series(1, $1::integer) place) r on r.id = s.repository_id`,
      [repositories],
    );
    assert.deepEqual(rows, [{ sums: repositories * 4, repositories, areRight: true }]);
  });
});

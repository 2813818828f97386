import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withPrivate } from '../../../src/contributions/present-counters.ts';
import type { CountersOfDay } from '../../../src/contributions/totals/counter-store.ts';
import type { Database } from '../../../src/database/connections/connection.ts';
import { unknownCounters } from '../../../src/model/counters.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { until } from '../../time.ts';
import { addRepository } from './stored-repository.ts';

const nothingPublic: CountersOfDay = {
  day: '2026-06-15',
  counters: { ...unknownCounters, pull_requests: 0 },
  missing: [],
  updatedAt: new Date('2026-06-15T12:00:00Z'),
};

describe('private counters', () => {
  for (const type of ['organization', 'user'] as const) {
    it(`completes private counters of ${type === 'user' ? 'a user' : 'an organization'} or names them as missing when collecting ends between two reads`, async () => {
      await using opened = await reuseTestDatabase();
      const { connection, pool } = opened.database;
      const repositoryId = await addRepository(connection);
      const { rows } = await pool.query<{ id: string }>(
        'update accounts set type = $1, listed_at = now() returning id',
        [type],
      );
      const account = { id: rows[0]?.id ?? '', type };
      await pool.query('update repositories set is_private = true');
      await pool.query(`insert into streams (repository_id, name, covers, completed_at) values
        ('${repositoryId}', 'pull_requests', '{pull_request,review}', null),
        ('${repositoryId}', 'rest', '{commit,issue,discussion}', now())`);
      await addPullRequest(opened.database, repositoryId, '1');

      const locker = await pool.connect();
      try {
        // Readers of these sums wait and readers of other totals do not, so that collecting ends between two reads.
        await locker.query('begin');
        await locker.query('lock table owner_sums in access exclusive mode');
        const reading = withPrivate(connection, account, nothingPublic);
        await until(
          async () => ((await waitingFor(opened.database, 'owner_sums')) ? true : undefined),
          'a reader waits',
        );
        await addPullRequest({ pool: locker }, repositoryId, '2');
        await locker.query('update streams set completed_at = now() where completed_at is null');
        await locker.query('commit');
        const { counters, missing } = await reading;
        const isPartial = counters.pull_requests !== 2;
        assert.equal(missing.includes('pull_requests'), isPartial, `${counters.pull_requests} of 2 pull requests`);
      } finally {
        locker.release(true);
      }
    });
  }
});

async function addPullRequest(
  { pool }: { pool: Pick<Database['pool'], 'query'> },
  repositoryId: string,
  externalId: string,
): Promise<void> {
  await pool.query(
    `insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, seen_at)
     select $1, 'pull_request', $2, id, now(), now(), now() from accounts`,
    [repositoryId, externalId],
  );
  await pool.query(
    `select count_changes(array[$1::uuid], array[id], array[current_date], array['pull_requests'], '{1}', '{1}') from accounts`,
    [repositoryId],
  );
}

async function waitingFor({ pool }: Pick<Database, 'pool'>, table: string): Promise<boolean> {
  const { rows } = await pool.query('select from pg_locks where relation = $1::regclass and not granted', [table]);
  return rows.length > 0;
}

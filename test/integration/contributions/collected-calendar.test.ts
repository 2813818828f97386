import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LoadServices } from '../../../src/accounts/resolve.ts';
import { findById } from '../../../src/accounts/store.ts';
import { findCalendar } from '../../../src/contributions/calendar/calendar.ts';
import { Computations } from '../../../src/http/pipeline/computations.ts';
import type { ResolvedAccount } from '../../../src/http/pipeline/endpoint.ts';
import { ResponseCache } from '../../../src/http/pipeline/response-cache.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { addRepository } from './stored-repository.ts';

const now = (): Date => new Date();

describe('the calendar of collected contributions', () => {
  it('is unknown until a day is collected, not a year without contributions', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const repositoryId = await addRepository(connection);
    // Nothing is requested for an account that is pinned, so that no resolver is needed.
    const { rows } = await pool.query<{ id: string }>(
      "update accounts set type = 'organization', listed_at = now(), pinned = true returning id",
    );
    await pool.query("insert into streams (repository_id, name, covers) values ($1, 'all', '{issue}')", [repositoryId]);
    const account = (await findById(connection, rows[0]?.id ?? '')) ?? assert.fail();
    const computations = new Computations(new ResponseCache(1024), () => false);
    const calendar = () =>
      findCalendar({ connection, now, computations } as LoadServices, { account } as ResolvedAccount, {
        withPrivate: false,
        timeZone: 'UTC',
      });
    assert.equal(await calendar(), undefined);
    await pool.query('update streams set completed_at = now()');
    const empty = await calendar();
    assert.deepEqual([empty?.input.total, empty?.input.source, empty?.isFinal], [0, 'collected', true]);
  });
});

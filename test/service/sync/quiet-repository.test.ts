import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { knownUntil } from '../../../src/contributions/items/collection-store.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { organization, runTask, untilRepositoryIs } from '../../e2e/installations/installed.ts';
import { clock } from '../../time.ts';
import { startSteppedApp } from './stepped-service.ts';

const kinds = ['commit', 'issue', 'pull_request', 'review'];

describe('quiet repositories', () => {
  it('are known up to their last poll, so that boards and seasons need not wait for a change', async () => {
    const time = clock();
    await using simulator = await startSimulator({ repositories: 1, now: time.now });
    await using service = await startSteppedApp(simulator, { now: time.now });
    const { connection, pool } = service.database;
    simulator.app.install(organization(simulator));
    await untilRepositoryIs(service, 'engine-1', /collected/);
    await untilIdle(service);
    const { rows: stored } = await pool.query<{ id: string }>("select id from repositories where name = 'engine-1'");
    const repositoryId = stored[0]?.id ?? '';
    const isKnownAt = async (at: Date): Promise<boolean | undefined> => {
      const { rows } = await sql<{ isKnown: boolean }>`
        select min(${knownUntil}) >= ${at} as "isKnown" from streams s join repositories r on r.id = s.repository_id
        where r.id = ${repositoryId} and s.covers && ${kinds}::text[]`.execute(connection);
      return rows[0]?.isKnown;
    };
    time.advance(3600);
    const end = time.now();
    time.advance(2 * 86_400);
    assert.equal(await isKnownAt(end), false);
    await runTask(service, 'poll_repository', { repositoryId });
    assert.equal(await isKnownAt(end), true);
    assert.equal(await isKnownAt(new Date(time.now().getTime() - 600_000)), true);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { addCommit, addIssue, addPullRequest } from '../../../simulators/world/activity.ts';
import { toLineCounts } from '../../../simulators/world/line-counts.ts';
import { forcePush } from '../../../simulators/world/mutations.ts';
import { pushToPullRequest } from '../../../simulators/world/threads.ts';
import { isOnCluster } from '../../database.ts';
import { simple } from '../../integration/achievements/awards/every-feature.ts';
import { until } from '../../time.ts';
import { untilIdle } from '../access/state.ts';
import { writeAchievementsFile } from '../achievements/awarding/awarding.ts';
import { engine, organization, startAppService, untilRepositoryIs } from '../installations/installed.ts';
import { storedItems } from './stored-items.ts';
import { worldItems } from './world-items.ts';

/** Waits until the stored data is the truth. @throws AssertionError with the differences when it does not become so. */
async function untilSame(stored: () => Promise<unknown>, expected: () => unknown): Promise<void> {
  await until(
    async () => (isDeepStrictEqual(await stored(), expected()) ? true : undefined),
    'they are the same',
  ).catch(async () => assert.deepEqual(await stored(), expected()));
}

// Citus 13.2.2 ends with a segmentation fault when it plans the statement of `storedItems`, which no service sends.
describe('the data of an installed repository', { skip: isOnCluster }, () => {
  it('is stored completely, private data included, with lines and files where they are needed, and follows changes', async () => {
    await using simulator = await startSimulator({ repositories: 3 });
    // GitHub does not list stars for Apps.
    await using service = await startAppService(simulator, { tokens: ['organization_admin'] });
    const { world } = simulator;
    simulator.app.install(organization(simulator));
    await untilRepositoryIs(service, 'hidden-engine', /collected/);
    await untilIdle(service);
    assert.ok(engine(simulator, 'engine-1').issues.some(({ comments }) => comments.length > 0));
    for (const repository of world.owned(organization(simulator))) {
      await untilSame(
        () => storedItems(service.database.pool, repository.id),
        () => worldItems(world, repository),
      );
    }

    const { pool } = service.database;
    const repository = engine(simulator, 'engine-1');
    const stored = async (): Promise<unknown> => {
      const commits = await pool.query(
        `select encode(oid, 'hex') as oid, additions, deletions, changed_files as "changedFiles", files
       from commits c join repositories r on r.id = c.repository_id where r.external_id = $1::text order by 1`,
        [repository.id],
      );
      const pulls = await pool.query(
        `select number, files from contributions c join repositories r on r.id = c.repository_id
       where r.external_id = $1::text and kind = 'pull_request' order by 1`,
        [repository.id],
      );
      return [commits.rows, pulls.rows];
    };
    const expected = (): unknown => [
      repository.commits
        .map((commit) => ({ oid: commit.oid, ...toLineCounts(commit), files: [...commit.changes.keys()] }))
        .toSorted((left, right) => (left.oid < right.oid ? -1 : 1)),
      repository.pullRequests.map(({ number, files }) => ({ number, files: files.map(({ path }) => path) })),
    ];
    const untilStoredMatchesWorld = (): Promise<void> => untilSame(stored, expected);
    assert.ok(!isDeepStrictEqual(await stored(), expected()));
    writeAchievementsFile(simulator, {
      pointActions: [],
      achievements: [
        simple('Large', 'author commit: additions > 1'),
        simple('Engines', "author commit: files in ['src/engine.ts']"),
        simple('Paths', "author pull_request: files in ['a.ts']"),
      ],
    });
    await untilStoredMatchesWorld();
    const author = world.accountByLogin(simulator.accounts.user) ?? assert.fail();
    addIssue(world, repository, { author });
    await untilStoredMatchesWorld();
    addCommit(world, repository, { author: { name: 'Ada', email: 'ada@mail.example' } });
    const pull = addPullRequest(world, repository, { author });
    await untilStoredMatchesWorld();
    pushToPullRequest(world, pull, [{ path: 'docs/new.md', additions: 3, deletions: 0 }]);
    forcePush(world, repository, 3, ['ada@mail.example']);
    await untilStoredMatchesWorld();
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { readConfigFile } from '../../../../src/recognition/achievements/config-file.ts';
import { evaluate } from '../../../../src/recognition/rules/evaluation/evaluate-store.ts';
import { reuseTestDatabase } from '../../../reused-database.ts';
import { storeRepository } from '../../boards/store-repository.ts';

const achievements = ['first', 'first_in_organization'].flatMap((field) =>
  ['issue', 'pull_request', 'review'].map((action) => ({
    achievement: {
      name: `${field} ${action}`,
      description: 'x',
      icon: 'https://x.example/x.png',
      triggers: [{ trigger: { actor: 'author', action, condition: `${field} = true & created_at >= 2026-06-01` } }],
    },
  })),
);
const { config } = readConfigFile(Buffer.from(JSON.stringify({ version: '0.0.1', achievements })));

describe('firsts', () => {
  it('are those of a repository, or of all repositories of its owner that may be shown', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const items = [
      { kind: 'issue', author: 'ada', at: '2026-05-01T00:00:00Z' },
      { kind: 'issue', author: 'ada', at: '2026-06-02T00:00:00Z' },
      { kind: 'issue', author: 'bob', at: '2026-06-03T00:00:00Z' },
      { kind: 'review', author: 'bob', at: '2026-06-03T00:00:00Z' },
      // The first one is not merged.
      { kind: 'pull_request', author: 'ada', at: '2026-05-02T00:00:00Z' },
      { kind: 'pull_request', author: 'ada', at: '2026-06-02T00:00:00Z', mergedAt: '2026-06-04T00:00:00Z' },
      { kind: 'pull_request', author: 'ada', at: '2026-06-03T00:00:00Z', mergedAt: '2026-06-05T00:00:00Z' },
    ] as const;
    const planted = { owner: 'acme', name: 'app', items, newId: uuidv7 };
    const { repositoryId, ownerId } = await storeRepository(pool, planted);
    const earned = async (): Promise<string[]> => {
      const found = await evaluate(connection, repositoryId, config);
      const { rows } = await pool.query<{ id: string; name: string }>('select id, name from accounts');
      const nameOf = new Map(rows.map(({ id, name }) => [id, name]));
      return found
        .map(
          (entry) =>
            `${entry.achievement.name}: ${nameOf.get(entry.accountId)} ${entry.earnedAt.toISOString().slice(0, 10)}`,
        )
        .toSorted();
    };
    const inRepository = [
      'first issue: bob 2026-06-03',
      'first pull_request: ada 2026-06-04',
      'first review: bob 2026-06-03',
    ];
    const inOrganization = (...names: string[]): string[] => [
      ...inRepository,
      ...names.map((name) => `first_in_organization ${name}`),
    ];
    const all = inOrganization('issue: bob 2026-06-03', 'pull_request: ada 2026-06-04', 'review: bob 2026-06-03');
    const withoutIssue = inOrganization('pull_request: ada 2026-06-04', 'review: bob 2026-06-03');
    assert.deepEqual(await earned(), all.toSorted());

    // An earlier issue of the same person in a private repository of the owner.
    const otherId = uuidv7();
    await pool.query(
      `insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
         installed_at, created_at, updated_at)
       values ($1, 'github', '2', '', $2, 'other', true, false, now(), now(), now(), now(), now())`,
      [otherId, ownerId],
    );
    await pool.query(
      `insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, seen_at)
       select $1, 'issue', '1', id, '2026-01-01', now(), now() from accounts where name = 'bob'`,
      [otherId],
    );
    assert.deepEqual(await earned(), all.toSorted());
    await pool.query('update repositories set is_private = false where id = $1', [otherId]);
    assert.deepEqual(await earned(), withoutIssue.toSorted());
    // As long as the other repository is being collected, there may be earlier reviews in it.
    await pool.query(`insert into streams (repository_id, name, covers) values ($1, 'reviews', '{review}')`, [otherId]);
    assert.deepEqual(await earned(), inOrganization('pull_request: ada 2026-06-04').toSorted());

    // Earlier issues of the repository itself may follow, too; two of the same moment are both the first.
    await pool.query(`insert into streams (repository_id, name, covers) values ($1, 'issues', '{issue}')`, [
      repositoryId,
    ]);
    assert.deepEqual(await earned(), [
      'first pull_request: ada 2026-06-04',
      'first review: bob 2026-06-03',
      'first_in_organization pull_request: ada 2026-06-04',
    ]);
    await pool.query('delete from streams');
    await pool.query(
      `insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, seen_at)
       select $1, 'issue', 'same moment', id, '2026-06-03', now(), now() from accounts where name = 'bob'`,
      [repositoryId],
    );
    assert.deepEqual(await earned(), withoutIssue.toSorted());
    // Contributions of erased people are first for no account; a repository that was transferred counts for its new owner.
    await pool.query(`update contributions set account_id = null where kind = 'review'`);
    assert.deepEqual(await earned(), withoutIssue.filter((line) => !line.includes('review')).toSorted());
    await pool.query('update repositories set owner_id = (select id from accounts where name = $1) where id = $2', [
      'ada',
      otherId,
    ]);
    assert.deepEqual(await earned(), all.filter((line) => !line.includes('review')).toSorted());
  });
});

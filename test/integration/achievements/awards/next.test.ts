import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { inTransaction } from '../../../../src/database/connections/transaction.ts';
import { findNext } from '../../../../src/recognition/achievements/awards/next-store.ts';
import { recordAwarded } from '../../../../src/recognition/achievements/awards/work-store.ts';
import { AchievementFiles } from '../../../../src/recognition/achievements/files/achievement-files.ts';
import { openTestDatabase } from '../../../database.ts';
import { storeWorld } from '../evaluation/stored-world.ts';
import type { World } from '../evaluation/world.ts';
import { simple } from './every-feature.ts';
import { issue, storeCollected, storeFile } from './stored-file.ts';

const day = (number: number): number => Date.UTC(2024, 0, number);

describe('choice of the next achievement', () => {
  it('takes the one that a person is closest to by public contributions', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { connection, pool } = database;
    const people: World['people'] = ['ada', 'max'].map((name) => ({ name, type: 'user' }));
    const items = [issue(0, day(1)), issue(0, day(2)), issue(0, day(3)), issue(1, day(4))];
    const { repositoryId, accountIds } = await storeWorld(pool, { people, items });
    const [ada = '', max = ''] = accountIds;
    await pool.query(
      `insert into contributor_totals (repository_id, account_id, commits, issues, pull_requests, reviews, discussions)
       values ($1, $2, 0, 3, 0, 0, 0), ($1, $3, 0, 1, 0, 0, 0)`,
      [repositoryId, ada, max],
    );
    await storeCollected(database, repositoryId, new Date(day(5)));
    await storeFile(database, repositoryId, {
      pointActions: [
        { name: 'talk', rules: [{ actor: 'author', action: 'issue', condition: 'created_at > 2023-01-01', value: 5 }] },
      ],
      achievements: [
        simple('Two', 'author issue: count() >= 2'),
        simple('Four', 'author issue: created_at > 2023-01-01 & count() > 3', { icon: 'icons/four.png' }),
        simple('Reviewer', 'author review: count() >= 2'),
        simple('Talker', 'author point: sum(talk) >= 16'),
        simple('Quiet', 'author issue: count() < 5'),
      ],
    });
    const achievementFiles = new AchievementFiles();
    const next = async (account = ada) => {
      const found = await findNext(connection, account, achievementFiles);
      return found && `${found.name} ${found.present}/${found.wanted}`;
    };
    assert.equal(await next(), 'Talker 15/16');
    assert.equal(await next(max), 'Two 1/2');
    const { rows } = await pool.query<{ id: string; name: string }>('select id, name from achievements');
    const award = (name: string): Promise<unknown> => {
      const achievementId = rows.find((row) => row.name === name)?.id ?? '';
      const awarded = [{ achievementId, accountId: ada, awardedAt: new Date(day(5)) }];
      return inTransaction(connection, (transaction) =>
        recordAwarded(transaction, awarded, { now: new Date(day(5)), newId: uuidv7 }),
      );
    };
    await award('Talker');
    assert.equal(await next(), 'Four 3/4');
    assert.equal((await findNext(connection, ada, achievementFiles))?.icon, 'icons/four.png');
    for (const hidden of [
      'update repositories set is_private = true',
      'update repositories set deleted_at = now()',
      'update accounts set hidden = true',
      'update streams set completed_at = null',
      'update repositories set installed_at = null',
    ]) {
      const former = await pool.query('select is_private, deleted_at, installed_at from repositories');
      await pool.query(hidden);
      assert.equal(await next(), undefined, hidden);
      await pool.query(
        'update repositories set is_private = $1, deleted_at = $2, installed_at = $3',
        Object.values(former.rows[0]),
      );
      await pool.query('update accounts set hidden = false');
      await pool.query('update streams set completed_at = known_until');
      assert.equal(await next(), 'Four 3/4', `after ${hidden}`);
    }
    await award('Four');
    assert.equal(await next(), undefined);
  });
});

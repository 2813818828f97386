import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HolderCounts } from '../../../../src/recognition/achievements/awards/routes.ts';
import { reuseTestDatabase } from '../../../reused-database.ts';
import { clock } from '../../../time.ts';
import { storeAwards } from '../stored-awards.ts';

describe('numbers of holders of achievements', () => {
  it('count accounts that everyone may see and awards that stand, and are counted again after a minute', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const { now, advance } = clock();
    const counts = new HolderCounts(connection, now);
    const { achievementId: id } = await storeAwards(opened.database, 9);
    const change = (text: string): Promise<unknown> => pool.query(text);
    await change(`update accounts set hidden = true where name = 'person1'`);
    await change(`update accounts set hidden_by_host = true where name = 'person2'`);
    await change(`update accounts set deleted_at = now() where name = 'person3'`);
    await change(
      `update awards set revoked_at = now() where account_id = (select id from accounts where name = 'person4')`,
    );
    assert.deepEqual(await counts.find([id, id]), new Map([[id, 5]]));
    await change(`update accounts set hidden = true where name = 'person5'`);
    advance(60);
    assert.deepEqual(await counts.find([id]), new Map([[id, 5]]));
    advance(1);
    assert.deepEqual(await counts.find([id]), new Map([[id, 4]]));
  });

  it('are those of each achievement, also where some of them are kept', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const counts = new HolderCounts(connection, clock().now);
    const { achievementId: held } = await storeAwards(opened.database, 3);
    const { rows } = await pool.query<{ id: string }>(
      `insert into achievements (id, repository_id, name, icon, description, is_current)
       select gen_random_uuid(), repository_id, 'Legend', '', '', true from achievements returning id`,
    );
    const unheld = rows[0]?.id ?? assert.fail();
    assert.deepEqual(await counts.find([]), new Map());
    assert.deepEqual(await counts.find([held]), new Map([[held, 3]]));
    assert.deepEqual(
      await counts.find([unheld, held]),
      new Map([
        [held, 3],
        [unheld, 0],
      ]),
    );
  });

  it('end at 101', async () => {
    await using opened = await reuseTestDatabase();
    const counts = new HolderCounts(opened.database.connection, clock().now);
    const { achievementId } = await storeAwards(opened.database, 120);
    assert.deepEqual(await counts.find([achievementId]), new Map([[achievementId, 101]]));
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ada, engines } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { storeBoard } from './stored-board.ts';

describe('boards on pages of people', () => {
  const shared = shareStoredService();

  it('are those that rank the person, as long as everyone may see them', async () => {
    const { service } = shared;
    const { pool } = service.database;
    await storeBoard(service, shared.simulator);
    const findBoards = async (name: string): Promise<boolean> => {
      await service.service.catchUp();
      return (await service.get(`/github/${name}`, { headers: { accept: 'text/html' } })).text.includes(
        `href="/github/${engines.name}/boards/all"`,
      );
    };
    const { rows } = await pool.query<{ name: string }>(
      `select name from accounts where type = 'user' and not hidden and not hidden_by_host and deleted_at is null
       and id not in (select account_id from board_ranks where is_ranked) limit 1`,
    );
    assert.ok(!(await findBoards(rows[0]?.name ?? assert.fail())), 'a person without points');
    for (const [change, undo] of [
      ['update boards set is_private = true', 'update boards set is_private = false'],
      ['update boards set is_current = false', 'update boards set is_current = true'],
      [
        `update accounts set hidden = true where name = '${engines.name}'`,
        `update accounts set hidden = false where name = '${engines.name}'`,
      ],
    ] as const) {
      assert.ok(await findBoards(ada.name), `before ${change}`);
      await pool.query(change);
      assert.ok(!(await findBoards(ada.name)), change);
      await pool.query(undo);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freezeSeasons } from '../../../src/boards/seasons/freeze.ts';
import { engines } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { freezingAt, type Row, storeEndedBoard } from './ended-boards.ts';

type ChangedRow = Row & { change: number | null };

describe('the change of ranks of a frozen season', () => {
  const shared = shareStoredService();

  it('is that since the window before it, also when an older window was frozen later', async () => {
    const { service } = shared;
    const freeze = async (daysAgo: number, fields: object, number: number): Promise<ChangedRow[]> => {
      await storeEndedBoard(service, 'moved', daysAgo, fields);
      await freezeSeasons(freezingAt(service, new Date()));
      const response = await service.get(`${engines.name}/boards/moved/seasons/${number}?limit=100`);
      assert.equal(response.status, 200, response.text);
      return response.body.data as unknown as ChangedRow[];
    };
    const first = await freeze(6, {}, 1);
    const last = first.at(-1)?.person?.name ?? assert.fail();
    const grants = [{ person: last, points: 1e6, reason: 'Talk', granted_by: 'grace', until: '9999-12-31' }];
    const older = await freeze(9, { grants }, 2);
    assert.deepEqual([older[0]?.person?.name, older[0]?.change], [last, null]);
    const newest = await freeze(4, {}, 3);
    assert.deepEqual(newest.find(({ person }) => person?.name === last)?.change, 0);
  });
});

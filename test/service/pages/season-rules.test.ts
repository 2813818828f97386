import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines, jsonRequest, serviceToken } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { freezeBoards, storeBoard } from './stored-board.ts';

describe('rules on the page of a frozen season', () => {
  const shared = shareStoredService();

  it('are those by which it was counted, also after the board has others', async () => {
    const { service, simulator } = shared;
    const path = `/github/${engines.name}/boards/all`;
    const rulesOf = async (address: string): Promise<string> => {
      const { text, status } = await service.get(address, { headers: { accept: 'text/html' } });
      assert.equal(status, 200, text);
      return /<ol class="rules"[^>]*>(.*?)<\/ol>/s.exec(text)?.[1] ?? '';
    };
    await storeBoard(service, simulator);
    await freezeBoards(service, new Date('2042-02-01'));
    const before = await rulesOf(path);
    assert.match(before, /3 points/);
    assert.equal(await rulesOf(`${path}?season=1`), before);
    const board = {
      name: 'All of it',
      slug: 'all',
      repositories: [`${engines.name}/engine-1`],
      points: [{ action: 'issue', points: 7 }],
    };
    const token = await serviceToken(service, simulator, engines);
    const document = { version: 1, boards: [{ board }] };
    const stored = await service.get(`${engines.name}/boards`, jsonRequest('PUT', token, document));
    assert.equal(stored.status, 200, stored.text);
    assert.match(await rulesOf(`${path}?v=2`), /7 points/);
    assert.equal(await rulesOf(`${path}?season=1&v=2`), before);
  });
});

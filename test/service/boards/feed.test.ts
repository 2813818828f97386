import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { rankBoard } from '../../../src/boards/ranking/rank-board.ts';
import { engines, jsonRequest, serviceToken } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';

describe('the feed of a board', () => {
  const shared = shareStoredService();

  it('announces a leader and a newcomer once, also after a change of names or of the first contribution', async () => {
    const { service, simulator } = shared;
    const { connection } = service.database;
    const fields = { name: 'All', slug: 'all', repositories: [`${engines.name}/engine-1*`] };
    const board = { ...fields, window: { since: '1970-01-01' }, points: [{ action: 'commit', points: 1 }] };
    const token = await serviceToken(service, simulator, engines);
    await service.get(`${engines.name}/boards`, jsonRequest('PUT', token, { version: 1, boards: [{ board }] }));
    for (const { id } of await connection.selectFrom('boards').select('id').execute())
      await rankBoard({ connection, now: () => new Date() }, id);
    const idsFor = async (reader: string): Promise<string[]> => {
      const path = `${engines.name}/boards/all/feed?format=json&reader=${reader}`;
      return (await service.get(path)).body.data.map(({ id }) => String(id)).toSorted();
    };

    await sql`update board_ranks set is_newcomer = true`.execute(connection);
    const ids = await idsFor('one');
    assert.ok(ids.length > 1);
    assert.equal(new Set(ids).size, ids.length);
    await sql`update accounts set name = name || '-2'
      where id in (select account_id from board_ranks)`.execute(connection);
    assert.deepEqual(await idsFor('two'), ids, 'people have other names');
    await sql`update repositories set name = name || '-2'`.execute(connection);
    assert.deepEqual(await idsFor('three'), ids, 'the repository has another name');
    await sql`update board_ranks set points = 1`.execute(connection);
    const { body } = await service.get(`${engines.name}/boards/all/feed?format=json&reader=points`);
    const texts = body.data.map(({ text }) => String(text)).filter((text) => !text.includes('came to lead'));
    assert.ok(texts.length > 0 && texts.every((text) => text.endsWith(' has 1 point.')), texts.join('\n'));
    await sql`update board_ranks set first_at = first_at - interval '1 hour'`.execute(connection);
    assert.deepEqual(await idsFor('four'), ids, 'an older contribution is found later');
  });

  it('announces no leader again after the board is restored from a backup, which has no rankings', async () => {
    const { connection } = shared.service.database;
    const leaders = () => connection.selectFrom('board_leaders').select(['board_id', 'account_id', 'since']).execute();
    const before = await leaders();
    assert.ok(before.length > 0);
    await connection.deleteFrom('board_ranks').execute();
    await connection.deleteFrom('board_rankings').execute();

    for (const { id } of await connection.selectFrom('boards').select('id').execute())
      await rankBoard({ connection, now: () => new Date() }, id);

    assert.deepEqual(await leaders(), before);
  });
});

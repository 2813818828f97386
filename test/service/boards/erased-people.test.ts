import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { freezeSeasons } from '../../../src/boards/seasons/freeze.ts';
import { ada, engines } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { freezingAt, storeEndedBoard } from './ended-boards.ts';

describe('signed rules that name a hidden or erased person', () => {
  const shared = shareStoredService();

  const claimsOf = async (slug: string): Promise<string> => {
    const { status, text } = await shared.service.get(`${engines.name}/boards/${slug}/seasons/1/statement`);
    assert.equal(status, 200, text);
    return Buffer.from(text.split('.')[1] ?? '', 'base64url').toString();
  };

  it('have no grant, team or exclusion of the person any more, in any version', async () => {
    const { service } = shared;
    const { connection } = service.database;
    const grant = { points: 7, reason: 'Release manager', granted_by: 'the board' };
    const { rows } = await sql<{ name: string }>`
      select name from accounts where type = 'user' and lower(name) <> lower(${ada.name}) order by name limit 1`.execute(
      connection,
    );
    const other = rows[0]?.name ?? assert.fail();
    await storeEndedBoard(service, 'named', 6, {
      teams: { red: [ada.name, other, '@analytical-engines/core'] },
      grants: [
        { person: ada.name, ...grant },
        { person: other, ...grant },
      ],
    });
    const freeze = (): Promise<void> => freezeSeasons(freezingAt(service, new Date()));
    await freeze();
    const named = new RegExp(`"${ada.name}"`, 'i');
    assert.match(await claimsOf('named'), named);
    await sql`update accounts set hidden = true where lower(name) = lower(${ada.name})`.execute(connection);
    await freeze();
    const anonymous = await claimsOf('named');
    assert.doesNotMatch(anonymous, named);
    const { board } = JSON.parse(anonymous) as { board: { rule: { teams: object; grants: { person: string }[] } } };
    assert.deepEqual(board.rule.teams, { red: [other, '@analytical-engines/core'] });
    assert.deepEqual(
      board.rule.grants.map(({ person }) => person),
      [other],
    );
    const stored = await connection.selectFrom('board_seasons').select(['version', 'definition']).execute();
    assert.equal(stored.length, 2);
    assert.doesNotMatch(JSON.stringify(stored), named);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { ada, bearer, engines, jsonRequest, serviceToken } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { freezeBoards, storeEndedBoard } from './ended-boards.ts';

describe('signed rules that name a hidden or erased person', () => {
  const shared = shareStoredService();

  const findClaims = async (slug: string): Promise<string> => {
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
    await freezeBoards(service);
    const named = new RegExp(`"${ada.name}"`, 'i');
    assert.match(await findClaims('named'), named);
    await sql`update accounts set hidden = true where lower(name) = lower(${ada.name})`.execute(connection);
    await freezeBoards(service);
    const anonymous = await findClaims('named');
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

  it('do not name the person in texts, conditions and repositories either, nor in reasons of former versions', async () => {
    const { service, simulator } = shared;
    const { connection } = service.database;
    await sql`update accounts set hidden = false where lower(name) = lower(${ada.name})`.execute(connection);
    const { rows } = await sql<{ name: string }>`
      select a.name from accounts a where a.type = 'user' and lower(a.name) <> lower(${ada.name})
        and exists (select from repositories r where r.owner_id = a.id) order by a.name limit 1`.execute(connection);
    const gone = rows[0]?.name ?? assert.fail();
    const texts = {
      name: `Board of ${gone}`,
      description: `As ${gone.toUpperCase()} proposed. Not ${gone}-2 or re${gone}.`,
      repositories: ['analytical-engines/*', `${gone}/*`, `!${gone}/nothing`],
      points: [{ action: 'issue', points: 3, condition: `actor in !['${gone}', 'bob']` }],
      people: { exclude: [gone] },
      grants: [
        { person: ada.name, points: 7, reason: `Mentor of @${gone}.`, granted_by: gone },
        { person: ada.name, points: 7, reason: 'Release manager', granted_by: 'the board' },
      ],
    };
    await storeEndedBoard(service, 'texts', 6, texts);
    await freezeBoards(service);
    const token = await serviceToken(service, simulator, engines);
    const correction = jsonRequest('POST', token, { reason: `Issues of ${gone} were counted.` });
    const season = `${engines.name}/boards/texts/seasons/1`;
    assert.equal((await service.get(`${season}/corrections`, correction)).status, 204);
    const before = JSON.parse(await findClaims('texts')) as { board: { rules: { text: string }[] } };
    assert.match(
      JSON.stringify(before),
      new RegExp(`"github/${gone}/`, 'i'),
      'repositories of the person were counted',
    );

    await sql`update accounts set hidden = true where name = ${gone}`.execute(connection);
    assert.equal((await service.get(`${season}/statement`)).status, 202, 'the statement is withdrawn');
    await freezeBoards(service);
    const claims = await findClaims('texts');
    const { board } = JSON.parse(claims) as { board: { rule: typeof texts } };
    assert.deepEqual(
      {
        name: board.rule.name,
        description: board.rule.description,
        repositories: board.rule.repositories,
        condition: board.rule.points[0]?.condition,
        exclude: board.rule.people.exclude,
        grants: board.rule.grants.map(({ reason, granted_by: by }) => [reason, by]),
      },
      {
        name: 'Board of (removed)',
        description: `As (removed) proposed. Not ${gone}-2 or re${gone}.`,
        repositories: ['analytical-engines/*', 'removed-/removed', '!removed-/removed'],
        condition: "actor in !['removed-', 'bob']",
        exclude: [],
        grants: [
          ['Mentor of @(removed).', '(removed)'],
          ['Release manager', 'the board'],
        ],
      },
    );
    const word = new RegExp(`(?<![\\w-])${gone}(?![\\w-])`, 'i');
    assert.doesNotMatch(claims, word);
    const response = await service.get(`${season}?limit=100`);
    assert.match(response.text, /Issues of \(removed\) were counted\./);
    assert.doesNotMatch(response.text, word);
    const stored = await sql`
      select version, definition, coverage, counted, people, missing, reason, differences, statement
      from board_seasons s where exists (select from boards b where b.id = s.board_id and b.slug = 'texts')`.execute(
      connection,
    );
    assert.doesNotMatch(JSON.stringify(stored.rows), word);
    assert.deepEqual(await connection.selectFrom('withdrawn_names').selectAll().execute(), []);
    await sql`update accounts set hidden = false where name = ${gone}`.execute(connection);
  });

  it('do not name a person without points whose account is erased', async () => {
    const { service, simulator } = shared;
    await storeEndedBoard(service, 'excluding', 6, {
      description: `Everyone but ${ada.name}.`,
      people: { exclude: [ada.name] },
    });
    await freezeBoards(service);
    const named = new RegExp(ada.name, 'i');
    assert.match(await findClaims('excluding'), named);
    const token = await serviceToken(service, simulator, ada);
    const erased = await service.get(ada.name, { method: 'DELETE', ...bearer(token) });
    assert.equal(erased.status, 204, erased.text);
    assert.equal((await service.get(`${engines.name}/boards/excluding/seasons/1/statement`)).status, 202);
    await freezeBoards(service);
    const claims = await findClaims('excluding');
    assert.match(claims, /Everyone but \(removed\)\./);
    assert.doesNotMatch(claims, named);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { completeSeasons, correctSeason } from '../../../src/recognition/boards/seasons/correct.ts';
import { freezeSeasons } from '../../../src/recognition/boards/seasons/freeze.ts';
import { openTestDatabase } from '../../database.ts';
import {
  addIssues,
  defineBoard,
  findBoardId,
  frozenAt,
  install,
  readSeason,
  storeAcme,
  storePart,
  toServices,
} from './two-repositories.ts';

const points = (each: number): object[] => [{ action: 'issue', points: each }];
const late = new Date(frozenAt.getTime() + 600_000);

/** Freezes a season of a complete repository and of one that is not installed. */
async function freezeOne(connection: Connection, fields: object = { points: points(1) }): Promise<string> {
  const ownerId = await storeAcme(connection, ['ada', 'bo', 'cy']);
  await storePart(connection, { name: 'core', isInstalled: true });
  await storePart(connection, { name: 'docs', isInstalled: false });
  await addIssues(connection, 'core', ['ada', 'ada', 'bo']);
  await addIssues(connection, 'docs', ['bo']);
  await defineBoard(connection, ownerId, fields);
  await freezeSeasons(toServices(connection));
  return ownerId;
}

describe('frozen seasons', () => {
  it('get missing data by their own rule, and name the repositories that brought it', async () => {
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    const ownerId = await freezeOne(connection);
    assert.deepEqual(await readSeason(connection), {
      version: 1,
      reason: 'The window has ended.',
      missing: ['github/acme/docs: not_installed'],
      differences: [],
      points: [
        ['ada', 2],
        ['bo', 2],
      ],
    });
    await defineBoard(connection, ownerId, { points: points(3), threshold: 3 });
    await addIssues(connection, 'docs', ['bo', 'cy']);
    await install(connection, 'docs');
    await completeSeasons(toServices(connection, late));
    assert.deepEqual(await readSeason(connection), {
      version: 2,
      reason: 'Data that was missing has been collected: github/acme/docs.',
      missing: [],
      differences: [
        { person: 'github/bo', rank: 1, formerRank: 1, points: 3, formerPoints: 2 },
        { person: 'github/ada', rank: 2, formerRank: 1, points: 2, formerPoints: 2 },
        { person: 'github/cy', rank: 3, formerRank: null, points: 1, formerPoints: 0 },
      ],
      points: [
        ['bo', 3],
        ['ada', 2],
        ['cy', 1],
      ],
    });
  });

  it('get nothing else that changed meanwhile, in complete repositories or new ones', async () => {
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    await freezeOne(connection, { points: [{ action: 'issue', points: 1, per_day: 5 }], spam_labels: ['spam'] });
    await sql`update contributions set labels = '{spam}' where account_id = (select id from accounts where name = 'ada')`.execute(
      connection,
    );
    await addIssues(connection, 'core', ['cy', 'bo']);
    await storePart(connection, { name: 'created-later', isInstalled: true });
    await addIssues(connection, 'created-later', ['cy']);
    await sql`update accounts set name = 'ada-2' where name = 'ada'`.execute(connection);
    await addIssues(connection, 'docs', ['ada-2']);
    await install(connection, 'docs');
    await sql`update repositories set is_private = true where name = 'core'`.execute(connection);
    await completeSeasons(toServices(connection, late));
    const { version, points: counted } = await readSeason(connection);
    assert.deepEqual(
      [version, counted],
      [
        2,
        [
          ['ada-2', 3],
          ['bo', 2],
        ],
      ],
    );
  });

  it('keep the points of people who were hidden before missing data arrived', async () => {
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    await freezeOne(connection);
    await sql`update accounts set hidden = true where name = 'ada'`.execute(connection);
    await freezeSeasons(toServices(connection, late));
    await addIssues(connection, 'docs', ['bo']);
    await install(connection, 'docs');
    await completeSeasons(toServices(connection, late));
    const { version, points: counted } = await readSeason(connection);
    assert.deepEqual(
      [version, counted],
      [
        3,
        [
          ['bo', 3],
          [null, 2],
        ],
      ],
    );
  });

  it('rank the newcomers who were not known while a repository was being read', async () => {
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    await storeAcme(connection, ['ada', 'bo']);
    await storePart(connection, { name: 'core', isInstalled: true });
    await storePart(connection, { name: 'docs', isInstalled: true });
    await sql`
      update streams set completed_at = null, known_until = null
      where repository_id = (select id from repositories where name = 'docs')`.execute(connection);
    await addIssues(connection, 'core', ['ada', 'bo', 'bo']);
    const { id } = await connection
      .selectFrom('accounts')
      .select('id')
      .where('name', '=', 'acme')
      .executeTakeFirstOrThrow();
    await defineBoard(connection, id, { points: points(1), people: { newcomers: true } });
    await freezeSeasons(toServices(connection));
    assert.deepEqual((await readSeason(connection)).points, []);
    await addIssues(connection, 'docs', ['ada']);
    await sql`update contributions set created_at = '2026-01-01' where account_id = (select id from accounts where name = 'bo')
      and external_id = (select min(c.external_id) from contributions c join accounts a on a.id = c.account_id where a.name = 'bo')`.execute(
      connection,
    );
    await sql`update streams set completed_at = now(), known_until = '2026-09-01'`.execute(connection);
    await completeSeasons(toServices(connection, late));
    assert.deepEqual((await readSeason(connection)).points, [['ada', 2]]);
  });

  it('are corrected by their own rule, repositories and members of a team', async () => {
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    const ownerId = await storeAcme(connection, ['ada', 'bo']);
    await storePart(connection, { name: 'core', isInstalled: true });
    await addIssues(connection, 'core', ['ada', 'bo']);
    const join = (name: string) =>
      sql`insert into host_team_members (owner_id, team, account_id)
        select ${ownerId}, 'github/acme/core', id from accounts where name = ${name}`.execute(connection);
    await sql`insert into host_teams (owner_id, name, read_at, tried_at) values (${ownerId}, 'github/acme/core', now(), now())`.execute(
      connection,
    );
    await join('ada');
    await defineBoard(connection, ownerId, { points: points(1), people: { only_members_of: 'acme/core' } });
    await freezeSeasons(toServices(connection));
    await sql`delete from host_team_members`.execute(connection);
    await join('bo');
    await storePart(connection, { name: 'created-later', isInstalled: true });
    await addIssues(connection, 'created-later', ['ada']);
    await defineBoard(connection, ownerId, { points: points(3), people: { only_members_of: 'acme/core' } });
    await addIssues(connection, 'core', ['ada']);
    const correction = { boardId: await findBoardId(connection), number: 1, reason: 'Issues were imported.' };
    await correctSeason(toServices(connection), correction);
    const { reason, points: counted, differences } = await readSeason(connection);
    assert.deepEqual([reason, counted], ['Issues were imported.', [['ada', 2]]]);
    assert.deepEqual(differences, [{ person: 'github/ada', rank: 1, formerRank: 1, points: 2, formerPoints: 1 }]);
  });

  it('are counted by the present rule where their owner says so, with the change among the differences', async () => {
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    const ownerId = await freezeOne(connection);
    await defineBoard(connection, ownerId, { points: points(3), spam_labels: ['spam'] });
    const correction = { boardId: await findBoardId(connection), number: 1, reason: 'Voted.', byPresentRule: true };
    await correctSeason(toServices(connection), correction);
    const { reason, points: counted, differences } = await readSeason(connection);
    assert.deepEqual(
      [reason, counted],
      [
        'Counted by the present rule: Voted.',
        [
          ['ada', 6],
          ['bo', 6],
        ],
      ],
    );
    assert.deepEqual(differences, [
      { rule: 'points.1.points', value: '3', formerValue: '1' },
      { rule: 'spam_labels.1', value: '"spam"', formerValue: null },
      { person: 'github/ada', rank: 1, formerRank: 1, points: 6, formerPoints: 2 },
      { person: 'github/bo', rank: 1, formerRank: 1, points: 6, formerPoints: 2 },
    ]);
  });

  it('stay with their owner where they were frozen so and the present rule is public', async () => {
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    const ownerId = await freezeOne(connection, { points: points(1), private: true });
    await defineBoard(connection, ownerId, { points: points(1) });
    const correction = { boardId: await findBoardId(connection), number: 1, reason: 'Opened.', byPresentRule: true };
    await assert.rejects(correctSeason(toServices(connection), correction), /for its owner alone/);
    assert.equal((await readSeason(connection)).version, 1);
  });

  it('wait for the end of the time in which their rule decides', async () => {
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    const ownerId = await storeAcme(connection, ['ada']);
    await storePart(connection, { name: 'core', isInstalled: true });
    const window = { since: '2026-04-01', until: '2026-06-30' };
    const rule = { action: 'issue', condition: 'closed = true', at: 'created', decided_until: '2026-07-15', points: 1 };
    await defineBoard(connection, ownerId, { window, points: [rule] });
    await addIssues(connection, 'core', ['ada']);
    await freezeSeasons(toServices(connection));
    await assert.rejects(readSeason(connection), /no season/);
    await sql`update contributions set closed_at = '2026-07-14'`.execute(connection);
    await freezeSeasons(toServices(connection, new Date('2026-07-16T00:00:00Z')));
    assert.deepEqual((await readSeason(connection)).points, [['ada', 1]]);
  });
});

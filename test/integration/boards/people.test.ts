import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { readBoardsFile } from '../../../src/recognition/boards/file/read-file.ts';
import { listWarnings } from '../../../src/recognition/boards/preview/preview-json.ts';
import { type BoardPreview, previewBoard } from '../../../src/recognition/boards/preview/preview-store.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { type NewItem, storeRepository } from './store-repository.ts';

const now = new Date('2026-07-01T00:00:00Z');
const issue = (author: string, day: number, labels: string[] = []): NewItem => ({
  kind: 'issue',
  author,
  labels,
  at: `2026-06-${String(day).padStart(2, '0')}T12:00:00Z`,
});
const merged = (author: string, mergedBy: string): NewItem => ({
  kind: 'pull_request',
  author,
  mergedBy,
  at: '2026-06-10T12:00:00Z',
  mergedAt: '2026-06-11T12:00:00Z',
});

let opened: Awaited<ReturnType<typeof reuseTestDatabase>>;
let ownerId: string;

async function preview(fields: object): Promise<BoardPreview> {
  const board = {
    name: 'Board',
    slug: 'board',
    repositories: ['ada/app'],
    points: [{ action: 'issue', points: 1 }],
    ...fields,
  };
  const file = JSON.stringify({ version: 1, boards: [{ board }] });
  const {
    boards: [read],
    reports,
  } = readBoardsFile(Buffer.from(file), { provider: 'github' });
  assert.ok(read, JSON.stringify(reports));
  return previewBoard(opened.database.connection, read, { ownerId, now });
}

async function ranked(fields: object): Promise<string[]> {
  const { people } = await preview(fields);
  return people.map(({ rank, name, points }) => `${rank} ${name} ${points}`);
}

describe('the people of a board', () => {
  before(async () => {
    opened = await reuseTestDatabase();
    const items = [
      ...[1, 5].map((day) => issue('bob', day)),
      ...[2, 3].map((day) => issue('carol', day)),
      issue('dave', 4, ['Invalid']),
      issue('ci[bot]', 1),
      issue('hidden', 1),
      issue('hidden', 2),
      issue('hidden', 3),
      merged('ada', 'ada'),
      merged('bob', 'ada'),
      merged('carol', 'carol'),
    ];
    const { pool } = opened.database;
    ({ ownerId } = await storeRepository(pool, { owner: 'ada', name: 'app', items, newId: uuidv7 }));
    await pool.query(`update accounts set hidden = true where name = 'hidden'`);
  });

  after(() => opened[Symbol.asyncDispose]());

  it('are ranked without bots, hidden accounts, excluded logins, and items with a label of spam', async () => {
    assert.deepEqual(await ranked({ spam_labels: ['invalid'] }), ['1 bob 2', '1 carol 2']);
    assert.deepEqual(await ranked({ people: { bots: true, exclude: ['Carol'] } }), [
      '1 bob 2',
      '2 ci[bot] 1',
      '2 dave 1',
    ]);
  });

  it('are never agents, not even those that were stored as people', async () => {
    const { pool } = opened.database;
    await pool.query(`update accounts set name = 'Claude' where name = 'carol'`);
    assert.deepEqual(await ranked({}), ['1 bob 2', '2 dave 1']);
    assert.deepEqual(await ranked({ people: { bots: true } }), ['1 bob 2', '2 ci[bot] 1', '2 dave 1']);
    await pool.query(`update accounts set name = 'carol' where name = 'Claude'`);
  });

  it('share a rank, or the one who got there first is ahead', async () => {
    assert.deepEqual(await ranked({}), ['1 bob 2', '1 carol 2', '3 dave 1']);
    assert.deepEqual(await ranked({ ties: 'earliest' }), ['1 carol 2', '2 bob 2', '3 dave 1']);
  });

  it('get no points for pull requests that they merged into their own repository', async () => {
    const points = [{ action: 'pull_request', condition: 'merged = true', points: 3 }];
    assert.deepEqual(await ranked({ points }), ['1 bob 3', '1 carol 3']);
    assert.deepEqual(await ranked({ points, self_merged: true }), ['1 ada 3', '1 bob 3', '1 carol 3']);
  });

  it('get granted points until the last day of the grant', async () => {
    const grant = { person: 'dave', points: 40, reason: 'Release manager', granted_by: 'ada' };
    const window = { since: '2026-06-01', until: '2026-06-30' };
    assert.deepEqual((await ranked({ window, grants: [{ ...grant, until: '2026-06-29' }] }))[0], '1 bob 2');
    // The window has ended, so that the grant counts as of its end.
    assert.deepEqual((await ranked({ window, grants: [{ ...grant, until: '2026-07-01' }] }))[0], '1 dave 41');
    assert.deepEqual((await ranked({ grants: [{ ...grant, person: 'ada' }] }))[0], '1 ada 40');
  });

  it('are counted in repositories that patterns match, of which none is private', async () => {
    const { pool } = opened.database;
    await pool.query(`update repositories set is_private = true`);
    assert.deepEqual(await ranked({}), []);
    assert.deepEqual(await ranked({ private: true, repositories: ['ada/*'] }), ['1 bob 2', '1 carol 2', '3 dave 1']);
    const otherOwner = ownerId;
    ownerId = uuidv7();
    const foreign = await preview({ private: true });
    const absent = await preview({ private: true, repositories: ['ada/xyz'] });
    ownerId = otherOwner;
    assert.equal(
      JSON.stringify(foreign.members.coverage),
      JSON.stringify(absent.members.coverage).replace('xyz', 'app'),
    );
    await pool.query(`update repositories set is_private = false`);
    assert.deepEqual(await ranked({ repositories: ['ada/a?p', '!ADA/app'] }), []);
    assert.deepEqual((await ranked({ repositories: ['github/ada/*'] }))[0], '1 bob 2');
  });

  it('are counted in the remaining repositories when one goes, and every pattern that matches nothing is named', async () => {
    const { pool } = opened.database;
    await pool.query(
      `with globex as (
        insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
        values ($1, 'github', 'globex', '', 'organization', 'globex', now(), now(), now()) returning id)
       insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
         installed_at, created_at, updated_at)
       select $2, 'github', '2', '', id, 'tool', false, false, now(), now(), now(), now(), now() from globex`,
      [uuidv7(), uuidv7()],
    );
    const namedBy = async (...repositories: string[]): Promise<string[]> => {
      const { people, members } = await preview({ repositories: ['ada/app', ...repositories] });
      assert.deepEqual(
        people.map(({ name }) => name),
        ['bob', 'carol', 'dave'],
      );
      return members.coverage.incomplete
        .filter(({ state }) => state === 'not_installed')
        .map(({ repository }) => repository);
    };
    assert.deepEqual(await namedBy('globex/tool', 'globex/*', 'GLOBEX/t?ol'), []);
    const ends: [end: string, undo: string][] = [
      ['is_private = true', 'is_private = false'],
      ['deleted_at = now()', 'deleted_at = null'],
      [
        `owner_id = (select id from accounts where name = 'bob')`,
        `owner_id = (select id from accounts where name = 'globex')`,
      ],
    ];
    for (const [end, undo] of ends) {
      await pool.query(`update repositories set ${end} where external_id = '2'`);
      assert.deepEqual(await namedBy('globex/tool', 'globex/*'), ['github/globex/tool', 'github/globex/*'], end);
      await pool.query(`update repositories set ${undo} where external_id = '2'`);
    }
    await pool.query(`update repositories set name = 'kit' where external_id = '2'`);
    assert.deepEqual(await namedBy('globex/tool', 'globex/*'), ['github/globex/tool'], 'it is renamed');
    await pool.query(`update accounts set name = 'initech' where name = 'globex'`);
    assert.deepEqual(await namedBy('globex/*'), ['github/globex/*'], 'its owner is renamed');
  });

  it('are new or back only once nothing older can follow', async () => {
    const { pool } = opened.database;
    const window = { since: '2026-06-04', until: '2026-06-05' };
    const marks = async (): Promise<string[]> => {
      const { people } = await preview({ window });
      return people.map(({ name, isNewcomer, isReturning }) => `${name} ${isNewcomer} ${isReturning}`);
    };
    // Bob contributed on 1 June and not on 2 and 3 June, as far as the issues are known.
    const reading = `insert into streams (repository_id, name, covers, is_deep) select id, 'issues', '{issue}', true
      from repositories where name = 'app'`;
    await pool.query(reading);
    assert.deepEqual(await marks(), ['bob false false', 'dave false false'], 'it is being read');
    await pool.query(`update repositories set installed_at = null where name = 'app'`);
    assert.deepEqual(await marks(), ['bob false false', 'dave false false'], 'it is being read, and not installed');
    await pool.query(`update streams set completed_at = now()`);
    assert.deepEqual(await marks(), ['bob false true', 'dave true false'], 'not installed');
    await pool.query(`update repositories set installed_at = now() where name = 'app'`);
    assert.deepEqual(await marks(), ['bob false true', 'dave true false']);
    await pool.query(`delete from streams`);
  });

  it('read in a preview that no person has points, and why', async () => {
    const points = [{ action: 'issue', condition: "labels in ['accepted']", points: 1 }];
    const warned = async (fields: object): Promise<string[]> => listWarnings(await preview({ points, ...fields }));
    const window = { since: '2026-06-01', until: '2026-06-05' };
    const rule =
      "Rule 1 gives nobody points by what is stored: 1 point for each issue of their own, which has the labels 'accepted'.";
    assert.ok((await warned({ window })).includes(rule));
    const newcomers = 'Only people whose first contribution to these repositories is in the window are ranked.';
    assert.deepEqual(
      (await warned({ window, people: { newcomers: true } })).filter((line) => [rule, newcomers].includes(line)),
      [rule, newcomers],
    );
    const future = await warned({ window: { since: '2999-01-01', until: '2999-02-01' } });
    assert.deepEqual(
      future.filter((line) => /^Rule 1 gives|begun/.test(line)),
      ['The window has not begun.'],
    );
  });

  it('read in a preview what a rule rewards most, and which rules can be exploited', async () => {
    const points = [
      { action: 'issue', points: 9 },
      { action: 'commit', points: 1 },
      { action: 'pull_request', points: 1 },
    ];
    const grants = [{ person: 'nobody-here', points: 1, reason: 'x', granted_by: 'ada' }];
    const previewed = await preview({ points, grants, repositories: ['ada/app', 'ada/gone'] });
    assert.deepEqual(listWarnings(previewed), [
      'Rule 1 gives 96 % of all points: 9 points for each issue of their own.',
      'Rule 1 rewards work that is split into many issues: per_day limits the points of a day, decay lowers them.',
      'Rule 2 rewards work that is split into many commits: per_day limits the points of a day, decay lowers them.',
      'Rule 2 gives nobody points by what is stored: 1 point for each commit of their own.',
      'The window is open: all contributions ever made count.',
      'Not installed, so that nothing is collected for this board: github/ada/gone.',
      'These accounts are not known; the board looks them up, and a grant counts once its account is found: github/nobody-here.',
    ]);
  });
});

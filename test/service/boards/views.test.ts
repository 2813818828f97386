import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { rankBoard } from '../../../src/recognition/boards/ranking/rank-board.ts';
import { ada, bearer, engines, jsonRequest, serviceToken } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';

interface Person {
  rank: number;
  person: { name: string; provider: string };
  points: number;
  points_by_rule: { rule: number; points: number }[];
  change: number | null;
  newcomer: boolean;
  eligible: boolean | null;
  teams: string[];
  evidence_url: string;
}

interface BoardItem {
  points: number;
  points_before_cap: number;
  capped: boolean;
  oid: string;
  title: string;
  url: string;
}

const board = (fields: object): object => ({
  board: {
    name: 'All of it',
    slug: 'all',
    repositories: ['analytical-engines/engine-1'],
    points: [
      { action: 'commit', points: 1 },
      { action: 'pull_request', points: 3 },
    ],
    ...fields,
  },
});

describe('views of boards', () => {
  const shared = shareStoredService();
  let token: string | undefined;

  /** Stores boards of the organization as its owner does, and ranks each. */
  const put = async (...boards: object[]): Promise<void> => {
    const { service, simulator } = shared;
    token ??= await serviceToken(service, simulator, engines);
    const response = await service.get(`${engines.name}/boards`, jsonRequest('PUT', token, { version: 1, boards }));
    assert.equal(response.status, 200, response.text);
    await rankAll();
  };

  const rankAll = async (): Promise<void> => {
    const { connection } = shared.service.database;
    const rows = await connection.selectFrom('boards').select('id').where('is_current', '=', true).execute();
    for (const { id } of rows) await rankBoard({ connection, now: () => new Date() }, id);
  };

  const people = async (path: string): Promise<Person[]> => {
    const response = await shared.service.get(`${engines.name}/boards/${path}`);
    assert.equal(response.status, 200, response.text);
    return response.body.data as unknown as Person[];
  };

  it('begin with how many repositories are complete, and rank people in pages', async () => {
    await put(board({ threshold: 5, teams: { red: [ada.name] } }), board({ slug: 'other', name: 'Other' }));
    const list = await shared.service.get(`${engines.name}/boards`);
    assert.deepEqual(
      list.body.data.map(({ slug, repositories }) => [slug, repositories]),
      ['all', 'other'].map((slug) => [
        slug,
        {
          total: 1,
          complete: 0,
          incomplete: [{ repository: 'github/analytical-engines/engine-1', state: 'not_installed' }],
        },
      ]),
    );
    const response = await shared.service.get(`${engines.name}/boards/ALL?limit=100`);
    const meta = response.body.meta_data as unknown as { board: Record<string, unknown>; complete: boolean };
    assert.equal(Object.keys(meta.board)[0], 'repositories');
    assert.equal(meta.complete, false);
    const all = response.body.data as unknown as Person[];
    assert.ok(all.length > 3, response.text);
    const sorted = all.toSorted((left, right) => right.points - left.points);
    assert.deepEqual(
      all.map(({ points }) => points),
      sorted.map(({ points }) => points),
    );
    for (const row of all) {
      const summed = row.points_by_rule.reduce((sum, { points }) => sum + points, 0);
      assert.deepEqual([row.points, row.eligible, row.change], [summed, row.points >= 5, null]);
      assert.equal(row.rank, 1 + all.filter(({ points }) => points > row.points).length);
    }
    const paged: Person[] = [];
    for (let after = '', pages = 0; pages < 100; pages += 1) {
      const page = await shared.service.get(`${engines.name}/boards/all?limit=2${after}`);
      paged.push(...(page.body.data as unknown as Person[]));
      if (page.body.next_cursor === undefined) break;
      after = `&after=${page.body.next_cursor}`;
    }
    assert.deepEqual(paged, all);
    assert.deepEqual(
      (await people('all?team=red')).map(({ person, teams }) => [person.name, teams]),
      [[ada.name, ['red']]],
    );
    assert.deepEqual(await people('all?type=user&limit=100'), all);
    assert.deepEqual([await people('all?type=bot'), await people('all?type=agent')], [[], []]);
    const wrong = await shared.service.get(`${engines.name}/boards/all?team=rad`);
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /did you mean red/);
  });

  it('show each contribution that gave points, with the cap of a day, and the progress to the threshold', async () => {
    const rules = [{ action: 'commit', points: 2, per_day: 3 }];
    await put(board({ slug: 'capped', threshold: 50, points: rules }));
    for (const { person, points } of (await people('capped')).slice(0, 3)) {
      const items: BoardItem[] = [];
      let progress = '';
      for (let after = '', pages = 0; pages < 100; pages += 1) {
        const page = await shared.service.get(`${engines.name}/boards/capped/people/${person.name}?limit=7${after}`);
        assert.equal(page.status, 200, page.text);
        progress = Object(page.body.meta_data).progress as string;
        items.push(...(page.body.data as unknown as typeof items));
        if (page.body.next_cursor === undefined) break;
        after = `&after=${page.body.next_cursor}`;
      }
      assert.equal(progress, `${points} of 50`);
      assert.equal(
        items.reduce((sum, item) => sum + item.points, 0),
        points,
      );
      assert.equal(new Set(items.map(({ oid }) => oid)).size, items.length);
      for (const item of items) {
        assert.deepEqual([item.points_before_cap, item.capped], [2, item.points < 2]);
        assert.ok(item.url.endsWith(`/analytical-engines/engine-1/commit/${item.oid}`), item.url);
        assert.match(item.title, /^Change \d+ of engine-1$/);
      }
    }
    const absent = await shared.service.get(`${engines.name}/boards/capped/people/no-such-person`);
    assert.equal(absent.status, 404);
  });

  it('name the reasons of points by decision', async () => {
    const grant = { person: ada.name.toUpperCase(), points: 7, reason: 'Release manager', granted_by: 'grace' };
    const otherGrant = { ...grant, person: 'nobody-else', points: 9 };
    await put(board({ slug: 'granted', grants: [grant, otherGrant] }));
    const { body, text } = await shared.service.get(`${engines.name}/boards/granted/people/${ada.name}`);
    const { grants, person } = body.meta_data as unknown as { grants: object[]; person: { granted: number } };
    const expectedGrant = { points: 7, reason: 'Release manager', granted_by: 'grace', until: null };
    assert.deepEqual([grants, person.granted], [[expectedGrant], 7], text);
  });

  it('compare ranks with those at the end of the last day, and show no hidden account', async () => {
    await put(board({ slug: 'changes' }));
    const { connection } = shared.service.database;
    const [first, second] = await people('changes');
    assert.ok(first && second);
    const yesterday = new Date(Date.now() - 86_400_000);
    await sql`update board_rankings set whole_at = ${yesterday}`.execute(connection);
    await sql`update accounts set hidden = true where lower(name) = ${first.person.name}`.execute(connection);
    const rows = await people('changes');
    assert.equal(rows[0]?.person.name, second.person.name);
    const hidden = await shared.service.get(`${engines.name}/boards/changes/people/${first.person.name}`);
    assert.equal(hidden.status, 404);
    await rankAll();
    assert.deepEqual(
      (await people('changes')).slice(0, 1).map(({ person, rank, change }) => [person.name, rank, change]),
      [[second.person.name, 1, second.rank - 1]],
    );
    await sql`update accounts set hidden = false where lower(name) = ${first.person.name}`.execute(connection);
  });

  it('keep a board with private repositories to its owner, and a repository that became private from all callers', async () => {
    const { service, simulator } = shared;
    await put(board({ slug: 'private', private: true }), board({ slug: 'public' }));
    const own = bearer(await serviceToken(service, simulator, engines));
    const paths = ['private', 'private/feed', `private/people/${ada.name}`];
    const absent = await service.get(`${engines.name}/boards/no-such-board`);
    for (const path of paths) {
      const response = await service.get(`${engines.name}/boards/${path}`);
      assert.deepEqual([response.status, response.text], [404, absent.text]);
    }
    assert.equal((await service.get(`${engines.name}/boards/private`, own)).status, 200);
    const seen = (await service.get(`${engines.name}/boards`)).body.data.map(({ slug }) => slug);
    assert.deepEqual(seen, ['public']);
    const { connection } = service.database;
    await sql`update accounts set publishes_private = true where name = ${engines.name}`.execute(connection);
    const evidence = `${engines.name}/boards/private/people/${ada.name}`;
    assert.equal((await service.get(`${engines.name}/boards/private?limit=2`)).status, 200);
    assert.deepEqual((await service.get(`${evidence}?limit=2`)).text, absent.text, 'only the numbers are published');
    assert.equal((await service.get(`${evidence}?limit=2`, own)).status, 200);
    await sql`update accounts set publishes_private = false where name = ${engines.name}`.execute(connection);
    await sql`update repositories set is_private = true where name = 'engine-1'`.execute(connection);
    const hidden = await service.get(`${engines.name}/boards/public?limit=3`);
    assert.equal(hidden.status, 202, hidden.text);
    await rankAll();
    assert.deepEqual((await service.get(`${engines.name}/boards/public?limit=4`)).body.data, []);
    await sql`update repositories set is_private = false where name = 'engine-1'`.execute(connection);
    await rankAll();
  });

  it('do not show a ranking of the members of a team once the board is for everyone', async () => {
    await put(board({ slug: 'opened' }));
    const { connection } = shared.service.database;
    await sql`update board_rankings set is_of_team = true`.execute(connection);
    assert.equal((await shared.service.get(`${engines.name}/boards/opened`)).status, 202);
    await rankAll();
    assert.ok((await people('opened?limit=2')).length > 0);
  });

  it('report the faults of a document, and store none without a board that works', async () => {
    const { service } = shared;
    await put(board({}));
    const faulty = `boards:\n  - ${JSON.stringify(board({}))}\n  - board: { name: x, slug: x, repositories: [a/b], points: [] }\n`;
    const init = { ...jsonRequest('PUT', token ?? ''), body: faulty };
    const stored = await service.get(`${engines.name}/boards`, init);
    assert.deepEqual(JSON.parse(stored.text), {
      meta_data: { count: 1, data_type: 0 },
      data: {
        boards: ['all'],
        faults: [
          {
            severity: 'error',
            line: 3,
            column: 61,
            message: 'the list points is empty; expected at least one part after "- "',
          },
        ],
      },
    });
    const refused = await service.get(`${engines.name}/boards`, {
      ...init,
      body: 'boards: [{ board: 7 }, { board: 8 }]',
    });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /line 1, column 19: .*line 1, column 33: /);
    assert.equal((await service.get(`${engines.name}/boards`, jsonRequest('PUT', 'x', {}))).status, 401);
    assert.equal((await service.get(`${engines.name}/boards`)).body.data.length, 1);
  });

  it('are previewed with the faults of a document, their warnings and ranking, and not stored', async () => {
    const { service } = shared;
    await put(board({}));
    const preview = (text: string, as = token ?? '') =>
      service.get(`${engines.name}/boards/preview`, { ...jsonRequest('POST', as), body: text });
    const document = {
      version: 1,
      boards: [board({ slug: 'new', threshold: 3 }), { board: { name: 'x', slug: 'x' } }],
    };
    const { status, text } = await preview(JSON.stringify(document));
    assert.equal(status, 200, text);
    const { data } = JSON.parse(text) as {
      data: {
        faults: { severity: string }[];
        boards: { slug: string; warnings: string[]; ranking: { rank: number; login: string; points: number }[] }[];
      };
    };
    assert.ok(data.faults.some(({ severity }) => severity === 'error'));
    const [previewed] = data.boards;
    assert.deepEqual([data.boards.length, previewed?.slug], [1, 'new']);
    assert.ok(
      previewed?.warnings.some((warning) => /many commits/.test(warning)),
      text,
    );
    const ranked = await people('all?limit=100');
    assert.deepEqual(
      previewed?.ranking.map(({ rank, login, points }) => [rank, login, points]),
      ranked.slice(0, 30).map(({ rank, person, points }) => [rank, person.name, points]),
    );
    assert.equal((await service.get(`${engines.name}/boards/new`)).status, 404);
    assert.equal((await preview('{}', 'x')).status, 401);
  });

  it('are stored and previewed with warnings of data that their host does not report', async () => {
    const { service } = shared;
    await put(board({}));
    const document = { version: 1, boards: [board({ points: [{ action: 'star', points: 1 }] })] };
    for (const [method, path] of [
      ['POST', 'boards/preview'],
      ['PUT', 'boards'],
    ] as const) {
      const { text } = await service.get(`${engines.name}/${path}`, jsonRequest(method, token ?? '', document));
      const { faults } = (JSON.parse(text) as { data: { faults: { severity: string; message: string }[] } }).data;
      assert.match(
        faults.map(({ message }) => message).join(),
        /^GitHub shows this only to requests with a token: this rule never holds there$/,
        path,
      );
    }
  });
});

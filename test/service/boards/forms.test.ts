import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { rankBoard } from '../../../src/recognition/boards/ranking/rank-board.ts';
import { engines, jsonRequest, serviceToken } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';

interface Ranked {
  rank: number;
  person: { name: string; provider: string };
  points: number;
  points_by_rule: { rule: number; points: number }[];
}

const board = (slug: string, fields: object = {}): object => ({
  board: {
    name: 'All of it',
    slug,
    repositories: ['analytical-engines/engine-1'],
    points: [
      { action: 'commit', points: 1 },
      { action: 'pull_request', points: 3 },
    ],
    ...fields,
  },
});

describe('forms of a board', () => {
  const shared = shareStoredService();
  const path = `${engines.name}/boards`;

  before(async () => {
    const { service, simulator } = shared;
    const token = await serviceToken(service, simulator, engines);
    const boards = [
      board('all'),
      board('later', { window: { since: '2999-01-02', until: '2999-02-01', time_zone: 'Pacific/Kiritimati' } }),
      board('past', { window: { since: '1990-01-01', until: '1990-01-31' } }),
    ];
    const stored = await service.get(path, jsonRequest('PUT', token, { version: 1, boards }));
    assert.equal(stored.status, 200, stored.text);
    const { connection } = service.database;
    for (const { id } of await connection.selectFrom('boards').select('id').execute())
      await rankBoard({ connection, now: () => new Date() }, id);
  });

  it('list the boards of an account as a table', async () => {
    const { body } = await shared.service.get(path);
    const csv = await shared.service.get(`${path}?format=csv`);
    assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/);
    const [columns = '', ...lines] = csv.text.trimEnd().split('\r\n');
    assert.equal(
      columns,
      'slug,name,description,private,since,until,time_zone,threshold,ties,teams,people,ranked,complete_repositories,repositories,as_of',
    );
    assert.deepEqual(
      lines.map((line) => line.split(',')[0]),
      body.data.map((row) => Reflect.get(row, 'slug')),
    );
    assert.equal((await shared.service.get(`${path}?format=xml`)).status, 400);
  });

  it('are files that spreadsheets open as UTF-8', async () => {
    for (const [address, name] of [
      ['', 'boards'],
      ['/all', 'boards-all'],
      ['/all/seasons', 'boards-all-seasons'],
    ] as const) {
      const response = await fetch(`${shared.service.url}/v1/github/entities/${path}${address}?format=csv`);
      const fileName = `github-${engines.name}-${name}.csv`;
      assert.equal(response.headers.get('content-disposition'), `attachment; filename="${fileName}"`);
      assert.deepEqual([...new Uint8Array(await response.arrayBuffer()).slice(0, 3)], [0xef, 0xbb, 0xbf]);
    }
  });

  it('are tables, cards and feeds of the same ranking', async () => {
    const { body } = await shared.service.get(`${path}/all?limit=3`);
    const ranked = body.data as unknown as Ranked[];
    assert.equal(ranked.length, 3);
    const csv = await shared.service.get(`${path}/all?limit=3&format=csv`);
    assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/);
    const [header = '', ...lines] = csv.text.trimEnd().split('\r\n');
    assert.ok(header.startsWith('rank,provider,login,points'));
    assert.deepEqual(
      lines.map((line) => line.split(',').slice(0, 4)),
      ranked.map(({ rank, person, points }) => [String(rank), person.provider, person.name, String(points)]),
    );
    const columns = header.split(',');
    assert.deepEqual(
      lines.map((line) => ['rule_1', 'rule_2'].map((column) => Number(line.split(',')[columns.indexOf(column)]))),
      ranked.map(({ points_by_rule: byRule }) =>
        [1, 2].map((rule) => byRule.find((one) => one.rule === rule)?.points ?? 0),
      ),
    );
    const svg = await shared.service.get(`${path}/all?format=svg`);
    assert.equal(svg.headers.get('x-error-code'), null, svg.text);
    assert.match(svg.text, /Complete: 0 of 1 repositories/);
    const feed = await shared.service.get(`${path}/all/feed`);
    assert.match(feed.headers.get('content-type') ?? '', /^application\/atom\+xml/);
    assert.match(feed.text, new RegExp(`<title>${ranked[0]?.person.name} leads</title>`));
  });

  it('say in tables, with people or without, how complete the repositories are', async () => {
    const { meta_data: metadata } = (await shared.service.get(`${path}/all`)).body;
    for (const [address, isEmpty] of [
      ['all?limit=3', false],
      ['all?type=bot', true],
      ['past?limit=3', true],
    ] as const) {
      const { text, headers } = await shared.service.get(`${path}/${address}&format=csv`);
      const [header = '', ...lines] = text.trimEnd().split('\r\n');
      assert.ok(header.endsWith(',complete_repositories,repositories,as_of'), header);
      assert.equal(lines.length === 0, isEmpty, text);
      assert.ok(
        lines.every((line) => line.endsWith(',0,1,')),
        text,
      );
      assert.equal(headers.get('x-complete'), 'false');
      assert.equal(headers.get('x-as-of'), null, 'no repository is known up to any time');
      assert.match(headers.get('access-control-expose-headers') ?? '', /x-as-of, x-complete/);
    }
    assert.deepEqual([metadata.complete, metadata.as_of], [false, undefined]);
  });

  it('say in feeds as JSON, and in tables of evidence, how complete the repositories are', async () => {
    const [first] = (await shared.service.get(`${path}/all`)).body.data as unknown as Ranked[];
    const feed = await shared.service.get(`${path}/all/feed?format=json`);
    const { repositories } = Object(feed.body.meta_data).board;
    assert.deepEqual([repositories.complete, repositories.total], [0, 1]);
    const { text } = await shared.service.get(`${path}/all/people/${first?.person.name}?format=csv`);
    const [header = '', line = ''] = text.split('\r\n');
    assert.ok(header.endsWith(',complete_repositories,repositories,as_of'), header);
    assert.ok(line.endsWith(',0,1,'), line);
  });

  it('say on cards without people why there are none', async () => {
    for (const [slug, detail] of [
      ['later', /Complete: 0 of 1 repositories · begins on Jan 2, 2999/],
      ['past', /Complete: 0 of 1 repositories · Jan 1, 1990 – Jan 31, 1990/],
      ['all', /Complete: 0 of 1 repositories · Contribute to a repository of the board/],
    ] as const) {
      const { text, headers } = await shared.service.get(`${path}/${slug}?format=svg&type=bot`);
      assert.equal(headers.get('x-error-code'), null);
      assert.match(/<desc id="desc">([^]*)<\/desc>/.exec(text)?.[1] ?? '', detail);
      assert.match(text, />Nobody on this board yet</);
    }
  });
});

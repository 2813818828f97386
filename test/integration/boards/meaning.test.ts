import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Connection } from '../../../src/database/connections/connection.ts';
import type { Board } from '../../../src/recognition/boards/board.ts';
import { readBoardsFile } from '../../../src/recognition/boards/file/read-file.ts';
import { previewBoard } from '../../../src/recognition/boards/preview/preview-store.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { storeAcme, storePart } from './two-repositories.ts';

/** A contribution to the repository; `below` is the id of the item that it belongs to. */
interface Stored {
  kind: string;
  by: string;
  at: string;
  id?: string;
  below?: string;
  mergedAt?: string;
  reviewers?: string[];
}

async function store(connection: Connection, items: readonly Stored[]): Promise<void> {
  const rows = items.map((item, index) => ({ id: `item-${index}`, ...item }));
  await sql`
    insert into contributions (repository_id, kind, external_id, parent_external_id, account_id, labels, reviewers, created_at,
      merged_at, closed_at, updated_at, seen_at)
    select r.id, i.kind, i.id, i.below, a.id, '{}',
      array(select p.id from accounts p join json_array_elements_text(i.reviewers) n on n = p.name), i.at, i."mergedAt",
      i."mergedAt", now(), now()
    from json_to_recordset(${JSON.stringify(rows)}::json) as i (kind text, id text, below text, by text, at timestamptz,
      "mergedAt" timestamptz, reviewers json)
    join accounts a on a.name = i.by cross join repositories r`.execute(connection);
}

function boardWith(fields: object): Board {
  const window = { since: '2026-05-01', until: '2026-05-31', time_zone: 'Europe/Berlin' };
  const board = { name: 'B', slug: 'b', repositories: ['acme/core'], window, ...fields };
  const read = readBoardsFile(Buffer.from(JSON.stringify({ boards: [{ board }] })), { provider: 'github' });
  return read.boards[0] ?? assert.fail(JSON.stringify(read.reports));
}

let opened: Awaited<ReturnType<typeof reuseTestDatabase>>;
let ownerId: string;

/** Returns the points of people, and `new` or `back` for newcomers and returning people. */
async function rank(fields: object): Promise<Record<string, number | string>> {
  const preview = await previewBoard(opened.database.connection, boardWith(fields), {
    ownerId,
    now: new Date('2026-07-01'),
  });
  return Object.fromEntries(
    preview.people.map(({ name, points, isNewcomer, isReturning }) => [
      name,
      `${points}${isNewcomer ? ' new' : ''}${isReturning ? ' back' : ''}`,
    ]),
  );
}

describe('rules of a board', () => {
  before(async () => {
    opened = await reuseTestDatabase();
  });

  after(() => opened[Symbol.asyncDispose]());

  beforeEach(async () => {
    const { connection } = opened.database;
    await sql`truncate accounts, repositories, contributions, streams, commits, identities cascade`.execute(connection);
    ownerId = await storeAcme(connection, ['ada', 'bo', 'cy']);
    await storePart(connection, { name: 'core', isInstalled: true });
  });

  const answersOfAda = (kind: string, above: string): Stored[] => [
    { kind: above, id: 'of-ada', by: 'ada', at: '2026-05-02', reviewers: ['ada', 'bo'] },
    { kind, id: 'answer-1', below: 'of-ada', by: 'ada', at: '2026-05-03' },
    { kind, id: 'answer-2', below: 'of-ada', by: 'ada', at: '2026-05-04' },
    { kind, id: 'remark', below: 'of-ada', by: 'bo', at: '2026-05-03' },
  ];

  for (const [action, kind, above] of [
    ['review', 'review', 'pull_request'],
    ['pull_request_comment', 'review_comment', 'pull_request'],
    ['pull_request_comment', 'pull_request_comment', 'pull_request'],
    ['issue_comment', 'issue_comment', 'issue'],
  ] as const) {
    it(`count no ${kind} on an item of the person, unless they say own: true`, async () => {
      await store(opened.database.connection, answersOfAda(kind, above));
      assert.deepEqual(await rank({ points: [{ action, points: 1 }] }), { bo: '1 new' });
      const own = await rank({ points: [{ action, points: 1, own: true }] });
      assert.deepEqual(own, { ada: '2 new', bo: '1 new' });
      const several = { action, condition: 'count() >= 2', points: 5 };
      assert.deepEqual(await rank({ points: [several] }), {});
      assert.deepEqual(await rank({ points: [{ ...several, own: true }] }), { ada: '5 new' });
    });
  }

  it('do not count the author among the reviewers of a pull request', async () => {
    await store(opened.database.connection, answersOfAda('review', 'pull_request'));
    const rule = { actor: 'reviewer', action: 'pull_request', points: 3 };
    assert.deepEqual(await rank({ points: [rule] }), { bo: '3 new' });
    assert.deepEqual(Object.keys(await rank({ points: [{ ...rule, own: true }] })), ['ada', 'bo']);
    assert.deepEqual(await rank({ points: [{ ...rule, condition: 'count() >= 1' }] }), { bo: '3 new' });
  });

  it('count reviews of a person on one item on one day as one, unless they say each: true', async () => {
    const review = (id: string, below: string, at: string): Stored => ({ kind: 'review', id, below, by: 'bo', at });
    await store(opened.database.connection, [
      { kind: 'pull_request', id: 'one', by: 'ada', at: '2026-05-02' },
      { kind: 'pull_request', id: 'two', by: 'ada', at: '2026-05-02' },
      review('1', 'one', '2026-05-03T08:00:00Z'),
      review('2', 'one', '2026-05-03T21:59:00Z'),
      // In Berlin, this is the next day.
      review('3', 'one', '2026-05-03T22:01:00Z'),
      review('4', 'two', '2026-05-03T08:00:00Z'),
    ]);
    const rule = { action: 'review', points: 1 };
    assert.deepEqual(await rank({ points: [rule] }), { bo: '3 new' });
    assert.deepEqual(await rank({ points: [{ ...rule, each: true }] }), { bo: '4 new' });
    const four = { ...rule, condition: 'count() >= 4' };
    assert.deepEqual(await rank({ points: [four] }), {});
    assert.deepEqual(await rank({ points: [{ ...four, each: true }] }), { bo: '1 new' });
  });

  it('count the first review of the window where the day began before it', async () => {
    await store(opened.database.connection, [
      { kind: 'pull_request', id: 'one', by: 'ada', at: '2026-05-02' },
      { kind: 'review', id: '1', below: 'one', by: 'bo', at: '2026-05-03T08:00:00Z' },
      { kind: 'review', id: '2', below: 'one', by: 'bo', at: '2026-05-03T18:00:00Z' },
    ]);
    const window = { since: '2026-05-03T12:00:00Z', until: '2026-05-31' };
    assert.deepEqual(await rank({ window, points: [{ action: 'review', points: 1 }] }), { bo: '1' });
  });

  it('take for newcomers people without any contribution before, or without one that a rule counts', async () => {
    const { connection } = opened.database;
    await store(connection, [
      { kind: 'issue', by: 'ada', at: '2026-04-20' },
      { kind: 'pull_request', by: 'ada', at: '2026-05-02', mergedAt: '2026-05-03' },
      { kind: 'issue_comment', by: 'bo', at: '2026-04-01' },
      { kind: 'pull_request', by: 'bo', at: '2026-05-02', mergedAt: '2026-05-03' },
      { kind: 'discussion', by: 'cy', at: '2026-01-01' },
      { kind: 'pull_request', by: 'cy', at: '2026-05-02', mergedAt: '2026-05-03' },
    ]);
    const points = [{ action: 'pull_request', condition: 'merged = true', points: 1 }];
    assert.deepEqual(await rank({ points }), { ada: '1', bo: '1 new', cy: '1 back' });
    assert.deepEqual(await rank({ points, people: { newcomers: true } }), { bo: '1 new' });
    const ofRule = await rank({ points, people: { newcomers: true, newcomer_of: 'rule' } });
    assert.deepEqual(ofRule, { ada: '1 new', bo: '1 new', cy: '1 new' });
  });

  it('take no person for a newcomer who has a commit before the window', async () => {
    const { connection } = opened.database;
    await sql`
      with address as (
        insert into identities (provider, email, account_id) select 'github', 'ada@example.org', id from accounts where name = 'ada'
        returning id)
      insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
      select r.id, '\\x01', '2026-04-01', '2026-04-01', 1, array[address.id] from repositories r, address`.execute(
      connection,
    );
    await store(connection, [{ kind: 'issue', by: 'ada', at: '2026-05-02' }]);
    assert.deepEqual(await rank({ points: [{ action: 'issue', points: 1 }] }), { ada: '1' });
  });

  it('know no newcomers while one of the five kinds is being read for the first time', async () => {
    const { connection } = opened.database;
    await store(connection, [{ kind: 'issue', by: 'ada', at: '2026-05-02' }]);
    await sql`
      insert into streams (repository_id, name, covers, is_deep) select id, 'commits', '{commit}', true from repositories`.execute(
      connection,
    );
    const points = [{ action: 'issue', points: 1 }];
    assert.deepEqual(await rank({ points }), { ada: '1' });
    assert.deepEqual(await rank({ points, people: { newcomer_of: 'rule' } }), { ada: '1 new' });
  });

  it('count items that were created in the window and merged until decided_until', async () => {
    await store(opened.database.connection, [
      { kind: 'pull_request', by: 'ada', at: '2026-05-30', mergedAt: '2026-06-10' },
      { kind: 'pull_request', by: 'bo', at: '2026-05-30', mergedAt: '2026-06-20' },
      { kind: 'pull_request', by: 'cy', at: '2026-06-01T12:00:00Z', mergedAt: '2026-06-02' },
    ]);
    const rule = { action: 'pull_request', condition: 'merged = true', at: 'created', points: 1 };
    assert.deepEqual(await rank({ points: [rule] }), {});
    assert.deepEqual(await rank({ points: [{ ...rule, decided_until: '2026-06-15' }] }), { ada: '1 new' });
    const aggregate = { ...rule, condition: 'count(merged = true) >= 1', decided_until: '2026-06-30' };
    assert.deepEqual(await rank({ points: [aggregate] }), { ada: '1 new', bo: '1 new' });
    const both = [rule, { ...rule, decided_until: '2026-06-15', points: 3 }];
    assert.deepEqual(await rank({ points: both }), { ada: '3 new' });
  });
});

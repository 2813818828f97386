import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Connection } from '../../../../src/database/connections/connection.ts';
import { findPreviewed, preview } from '../../../../src/recognition/rules/evaluation/preview-store.ts';
import { reuseTestDatabase } from '../../../reused-database.ts';
import { readText } from '../../../unit/achievements/reported.ts';
import { storeWorld } from './stored-world.ts';
import { beginning, emptyItem, type Item, type World } from './world.ts';

const hourMs = 3_600_000;
function hour(hours: number): Date {
  return new Date(beginning + hours * hourMs);
}

const plain: Item = {
  ...emptyItem,
  action: 'pull_request',
  author: 0,
  createdAt: beginning,
  comments: 0,
  reactions: [],
  labels: [],
};

/** Ada merged three, two of them labelled; Bob one, after nine days. */
const world: World = {
  people: [
    { name: 'Ada', type: 'user' },
    { name: 'bob', type: 'user' },
    { name: 'robot[bot]', type: 'bot' },
  ],
  items: [
    ...[1, 2, 3].map((hours): Item => {
      const end = beginning + hours * hourMs;
      return Object.assign(
        { ...plain },
        { closedAt: end, mergedAt: end, comments: hours, labels: hours > 1 ? ['Bug'] : [] },
      );
    }),
    { ...plain, author: 1, closedAt: beginning + 216 * hourMs, mergedAt: beginning + 216 * hourMs, comments: 4 },
    { ...plain, author: 2, closedAt: beginning, mergedAt: beginning },
  ],
};

const file = `
actions:
  - action: { type: point, name: prs, triggers: [ { trigger: { actor: author, action: pull_request, condition: merged = true, value: 10 } } ] }
achievements:
  - achievement: { name: Three, triggers: [ { trigger: { actor: author, action: pull_request, condition: merged = true & count() >= 3 } } ] }
  - achievement: { name: Talk, triggers: [ { trigger: { actor: author, action: pull_request, condition: comments > 5 & age(days) < 2 } } ] }
  - achievement: { name: Bugs, triggers: [ { trigger: { actor: author, action: pull_request, condition: "labels in ['bug'] & count() >= 2" } } ] }
  - achievement: { name: Points, triggers: [ { trigger: { actor: author, action: point, condition: sum(prs) >= 25 } } ] }
  - achievement: { name: Second, type: once, metadata: { date: 01-31-2024 }, triggers: [ { trigger: { actor: author, action: point, condition: rank(2) sum(prs) } } ] }
`;

/** Stores that every kind of contribution was read to the end. */
async function completeStreams(connection: Connection, repositoryId: string): Promise<void> {
  await sql`
    insert into streams (repository_id, name, covers, completed_at)
    values (${repositoryId}, 'commits', '{commit}', now()),
      (${repositoryId}, 'pull_requests', '{pull_request,review}', now())`.execute(connection);
}

describe('preview of an achievements file', () => {
  it('lists the people who would earn each achievement, and which terms one person misses by how much', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const { repositoryId } = await storeWorld(pool, world);
    const { config, reports } = readText(file);
    assert.deepEqual(reports, []);
    await completeStreams(connection, repositoryId);
    const repositoryName = { provider: `github-${repositoryId}`, owner: 'ada', name: 'WORLD' };
    const repository = (await findPreviewed(connection, repositoryName)) ?? assert.fail();
    const request = { repository, person: 'Bob', reading: { unreported: [], wasRead: false } };
    const previews = await preview(connection, config, request);
    assert.deepEqual(
      previews.map(({ achievement, earned }) => [achievement, earned]),
      [
        ['Three', [{ name: 'Ada', earnedAt: hour(3) }]],
        ['Talk', []],
        ['Bugs', [{ name: 'Ada', earnedAt: hour(0) }]],
        ['Points', [{ name: 'Ada', earnedAt: hour(3) }]],
        ['Second', [{ name: 'bob', earnedAt: hour(216) }]],
      ],
    );
    const terms = previews.map(({ person }) =>
      person?.triggers.flatMap((trigger) =>
        trigger.terms.map(({ term, holds, present, missing }) => `${term}: ${holds} ${present} ${missing}`),
      ),
    );
    assert.deepEqual(terms, [
      ['merged = true: true 1 null', 'count() >= 3: false 1 2'],
      ['comments > 5: false 4 2', 'age(days) < 2: false 9 -8'],
      ["labels in ['bug']: false 0 null", 'count() >= 2: false 0 2'],
      ['sum(prs) >= 25: false 10 15'],
      ['rank(2) sum(prs): true 2 null'],
    ]);
    assert.deepEqual(
      previews.map(({ person }) => person?.earnedAt),
      [null, null, null, null, hour(216)],
    );
    assert.deepEqual(
      previews.map(({ unread }) => unread),
      [[], [], [], [], []],
    );
    assert.equal(await findPreviewed(connection, { ...repositoryName, name: 'none' }), undefined);
    await assert.rejects(preview(connection, config, { ...request, person: 'nobody' }), /no account nobody is stored/);
  });

  it('lists people who would earn it at the same moment in the order of their names', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const names = ['eve', 'carol', 'dan', 'bob', 'ada'];
    const { repositoryId } = await storeWorld(pool, {
      people: names.map((name) => ({ name, type: 'user' })),
      items: names.map((_, author): Item => ({ ...plain, author, closedAt: beginning, mergedAt: beginning })),
    });
    const { config } = readText(`
achievements:
  - achievement: { name: One, triggers: [ { trigger: { actor: author, action: pull_request, condition: merged = true } } ] }
`);
    const repositoryName = { provider: `github-${repositoryId}`, owner: 'eve', name: 'WORLD' };
    const repository = (await findPreviewed(connection, repositoryName)) ?? assert.fail();
    const reading = { unreported: [], wasRead: false };
    const [achievement] = await preview(connection, config, { repository, person: undefined, reading });
    assert.deepEqual(
      achievement?.earned.map(({ name }) => name),
      names.toSorted(),
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { recountRepository } from '../../../bench/recount-repository.ts';
import type { Database } from '../../../src/database/connections/connection.ts';
import { migrate } from '../../../src/database/migrations/migrate.ts';
import { readDefinitions } from '../../../src/database/schema/definitions.ts';
import { type StoredCounter, storedCounters } from '../../../src/model/kinds.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { addRepository, makeContribution, removeContributions, storeContributions } from './stored-repository.ts';

const addedOfDay: StoredCounter = { name: 'added_of_day', rule: 'added.of-day', kind: 'issue_comment', per: 'day' };
/** Counts for another person than its author, under a condition. */
const addedOfPerson: StoredCounter = {
  name: 'added_of_person',
  rule: 'added.of-person',
  kind: 'issue_comment',
  where: 'c.answered',
  person: 'answered_by',
  per: 'person',
};
const counters = [...storedCounters, addedOfDay, addedOfPerson];

/** Makes a repository and two people in a database with the columns and functions of the added counters. @returns its id. */
async function prepare(database: Database): Promise<string> {
  const { connection, pool } = database;
  await pool.query(`
    alter table repository_totals add added_of_day integer not null default 0, add added_of_person integer not null default 0;
    alter table contributor_totals add added_of_day integer not null default 0, add added_of_person integer not null default 0;
    alter table contribution_days add added_of_day integer not null default 0`);
  await migrate(database, { definitions: readDefinitions(counters) });
  const id = await addRepository(connection);
  await pool.query(`
    insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
    values (gen_random_uuid(), 'github', '2', '2', 'user', 'bob', now(), now(), now())`);
  return id;
}

/** Stores comments of Ada, the last of which was accepted and is Bob's. */
async function storeComments({ connection, pool }: Database, id: string): Promise<void> {
  const { rows } = await pool.query<{ ada: string; bob: string }>(
    "select ada.id as ada, bob.id as bob from accounts ada, accounts bob where ada.name = 'ada' and bob.name = 'bob'",
  );
  const [{ ada, bob } = assert.fail()] = rows;
  const comment = (number: number) =>
    makeContribution({
      kind: 'issue_comment',
      externalId: String(number),
      author: ada,
      answeredBy: number === 3 ? bob : null,
      answered: number === 3,
      createdAt: new Date(Date.UTC(2026, 4, number, 12)),
    });
  await storeContributions(connection, id, [1, 2, 3].map(comment), { counters });
}

async function read({ pool }: Database): Promise<object> {
  const rows = async (query: string): Promise<object[]> => (await pool.query<object>(query)).rows;
  return {
    repositories: await rows('select added_of_day, added_of_person, issues from repository_totals'),
    people: await rows(`
      select name, added_of_day, added_of_person, issues from contributor_totals join accounts on id = account_id order by name`),
    days: await rows(`
      select name, day::text, added_of_day, issues from contribution_days join accounts on id = account_id order by day`),
  };
}

const expected = {
  repositories: [{ added_of_day: 3, added_of_person: 1, issues: 0 }],
  people: [
    { name: 'ada', added_of_day: 3, added_of_person: 0, issues: 0 },
    { name: 'bob', added_of_day: 0, added_of_person: 1, issues: 0 },
  ],
  days: ['2026-05-01', '2026-05-02', '2026-05-03'].map((day) => ({ name: 'ada', day, added_of_day: 1, issues: 0 })),
};

describe('addition of a counter to the list', { skip: isOnCluster }, () => {
  it('counts stored contributions for the repository, people and days', async () => {
    await using opened = await openTestDatabase();
    await storeComments(opened.database, await prepare(opened.database));
    assert.deepEqual(await read(opened.database), expected);
  });

  it('follows changes and deletions of contributions', async () => {
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    const id = await prepare(opened.database);
    await storeComments(opened.database, id);
    const [{ account_id: ada } = assert.fail()] = await connection.selectFrom('contributions').selectAll().execute();
    const withdrawn = makeContribution({
      kind: 'issue_comment',
      externalId: '3',
      author: ada,
      createdAt: new Date('2026-05-03T12:00:00Z'),
    });
    await storeContributions(connection, id, [withdrawn], { counters });
    await removeContributions(connection, id, sql`c.external_id = '1'`, counters);
    assert.deepEqual(await read(opened.database), {
      repositories: [{ added_of_day: 2, added_of_person: 0, issues: 0 }],
      people: [{ name: 'ada', added_of_day: 2, added_of_person: 0, issues: 0 }],
      days: expected.days.slice(1),
    });
  });

  it('is followed by the recount, which finds nothing to repair after that', async () => {
    await using opened = await openTestDatabase();
    const { connection, pool } = opened.database;
    const id = await prepare(opened.database);
    await storeComments(opened.database, id);
    const recount = (): Promise<number> =>
      connection.transaction().execute((transaction) => recountRepository(transaction, id, counters));
    assert.equal(await recount(), 0);
    await pool.query('update repository_totals set added_of_day = 7, added_of_person = 0');
    await pool.query('delete from contribution_days');
    await pool.query('update contributor_totals set added_of_day = added_of_day + 1');
    assert.equal(await recount(), 1 + 3 + 2);
    assert.deepEqual(await read(opened.database), expected);
    assert.equal(await recount(), 0);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { saveActors } from '../../../src/accounts/actor-store.ts';
import {
  findDueChecks,
  findDueLeaders,
  markChecked,
  markDeleted,
} from '../../../src/accounts/visibility/check-store.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { reuseTestDatabase } from '../../reused-database.ts';

const hourMs = 3_600_000;
const start = Date.parse('2026-11-01T00:00:00Z');
const at = (hours: number): Date => new Date(start + hours * hourMs);

/** Stores 40 people, the first with the most contributions, in one list of contributors and in the totals. */
async function openList() {
  const opened = await reuseTestDatabase();
  const { connection, pool } = opened.database;
  const actors = Array.from({ length: 40 }, (_, index) => ({
    externalId: String(index + 1),
    handle: '',
    type: 'user' as const,
    name: `person-${index + 1}`,
    displayName: '',
    avatarUrl: '',
  }));
  const ids = await inTransaction(connection, (transaction) =>
    saveActors(transaction, 'github', actors, { mentionedAt: at(0), newId: uuidv7 }),
  );
  const toId = (number: number): string => ids.get(String(number)) ?? assert.fail();
  const all = actors.map((_, index) => toId(index + 1));
  const owner = uuidv7();
  await pool.query(
    `insert into rankings (account_id, includes_private, excluded, built_at) values ($1, false, '{}', now())`,
    [owner],
  );
  await pool.query(
    `insert into ranks (ranking_id, account_id, contributions, name_key, is_counted, since_version)
     select k.id, p.id, 100 - p.place, '', true, 1 from rankings k, unnest($2::uuid[]) with ordinality as p (id, place)
     where k.account_id = $1`,
    [owner, all],
  );
  await pool.query(
    `insert into contributor_totals (repository_id, account_id, commits, issues, pull_requests, reviews, discussions)
     select $1, id, 1, 0, 0, 0, 0 from unnest($2::uuid[]) as p (id)`,
    [uuidv7(), all],
  );
  return {
    connection,
    idOf: toId,
    all,
    leadersAt: async (hours: number, limit = 100): Promise<string[]> => {
      const before = at(hours - 0.75);
      return (await findDueLeaders(connection, 'github', { before, limit, run: 0 })).map(({ name }) => name);
    },
    othersAt: async (hours: number, limit = 100): Promise<string[]> => {
      const due = { on: 'lists', before: at(hours - 23), deletedBefore: at(hours - 7 * 24), limit } as const;
      return (await findDueChecks(connection, 'github', due)).map(({ name }) => name);
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

const names = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => `person-${first + index}`).toSorted();

describe('checks whether hosts still show accounts', () => {
  it('are due for people of first pages after an hour, and for others in lists after a day', async () => {
    await using list = await openList();
    assert.deepEqual((await list.leadersAt(0)).toSorted(), names(1, 30));
    assert.deepEqual((await list.othersAt(0)).toSorted(), names(1, 40));
    await markChecked(list.connection, list.all, at(0));
    assert.deepEqual(await list.leadersAt(0.5), []);
    assert.deepEqual((await list.leadersAt(1)).toSorted(), names(1, 30));
    assert.deepEqual(await list.othersAt(20), []);
    assert.deepEqual((await list.othersAt(24)).toSorted(), names(1, 40));
  });

  it('are due for the accounts that waited longest first', async () => {
    await using list = await openList();
    await markChecked(list.connection, list.all, at(2));
    await markChecked(list.connection, [list.idOf(7), list.idOf(39)], at(1));
    assert.deepEqual(await list.leadersAt(26, 1), ['person-7']);
    assert.deepEqual((await list.othersAt(26, 2)).toSorted(), ['person-39', 'person-7']);
  });

  it('are due for deleted accounts after a week', async () => {
    await using list = await openList();
    await markChecked(list.connection, list.all, at(0));
    await markDeleted(list.connection, list.idOf(3), at(0));
    assert.equal((await list.leadersAt(24)).includes('person-3'), false);
    assert.equal((await list.othersAt(24)).includes('person-3'), false);
    assert.equal((await list.othersAt(7 * 24 + 1)).includes('person-3'), true);
  });
});

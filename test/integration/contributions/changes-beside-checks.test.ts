import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { removeCommits, saveAllCommits } from '../../../src/contributions/items/commit-store.ts';
import { needLanguages } from '../../../src/contributions/items/detail-store.ts';
import { saveResolved } from '../../../src/contributions/items/identity-store.ts';
import { saveCommitLanguages } from '../../../src/contributions/languages/store.ts';
import { differ, findNextDays } from '../../../src/contributions/totals/compare-totals-store.ts';
import { countDay } from '../../../src/contributions/totals/count-day-store.ts';
import { beginDay } from '../../../src/contributions/totals/large-day-store.ts';
import { endRecount, recountNextDays } from '../../../src/contributions/totals/recount-commits-store.ts';
import {
  type CountedDay,
  compareChecked,
  endChecked,
  findChecked,
  moveChecked,
} from '../../../src/contributions/totals/running-check-store.ts';
import { areCommitsCounted, countNewCommits, uncountCommits } from '../../../src/contributions/totals/total-store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { recountCommits } from '../../../src/sync/histories/read-history.ts';
import { recountCommitsOnDay } from '../../../src/sync/totals/recount-large-day.ts';
import { isThorough } from '../../depth.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { storeRepository } from './counted-repository.ts';
import { applyChange, changes, repositories, startWorld } from './random-changes.ts';

/** Asserts that each sum was compared often. A sample of few histories may lose all of them early. */
function assertCompared(compared: Compared, names: readonly string[]): void {
  const isEnough = !isThorough || names.every((name) => (compared[name] ?? 0) >= 10);
  assert.ok(isEnough, JSON.stringify(compared));
}

/** The sums that were compared while a check was under way. */
type Compared = Record<string, number>;

/** Days that were counted as large ones before a change, by repository. */
type CountedDays = Map<string, CountedDay & { from: string; until: string }>;

/**
 * Compares what a check has counted, and moves it by one day, or ends it. It counts each other day as a large one, whose
 * sums it stores after the next change.
 */
async function step(
  { connection, pool }: Database,
  id: string,
  change: string,
  { compared, counted }: { compared: Compared; counted: CountedDays },
): Promise<void> {
  // The job checks no erased repository.
  if ((await pool.query('select from repositories where id = $1', [id])).rowCount === 0) return;
  const from = await findChecked(connection, id);
  assert.deepEqual(await compareChecked(connection, id, from), [], `${change}, checked until ${from}`);
  const { rows } = await pool.query<Record<string, string | null>>(
    `select (select nullif(sum(value::bigint), 0)::text from jsonb_each_text(checked_counts)) as items,
       checked_commits as commits, checked_people as people, checked_languages as languages
     from repository_totals where repository_id = $1`,
    [id],
  );
  for (const [name, sum] of Object.entries(rows[0] ?? {})) {
    if (sum !== null && sum !== '0') compared[name] = (compared[name] ?? 0) + 1;
  }
  const days = await findNextDays(connection, id, from, 0);
  const { until } = days;
  const before = counted.get(id);
  counted.delete(id);
  if (before !== undefined) {
    const isMoved = await inTransaction(connection, (to) => moveChecked(to, id, before, before));
    const result = isMoved ? 'moved' : 'changed';
    compared[result] = (compared[result] ?? 0) + 1;
  } else if (until === null) {
    if (from !== null) await endChecked(connection, id, from);
  } else if (days.isLarge && from !== null) {
    const count = await inTransaction(connection, (to) => beginDay(to, id, from));
    if (count === null) return;
    const { signal } = new AbortController();
    const { sums, isRight } = await countDay(connection, { repositoryId: id, days, signal }, true);
    const areDifferent = (await differ(connection, id, days)) || (await differ(connection, id, { languages: days }));
    // Commits that wait to be counted are a difference of small days alone.
    const waiting = await pool.query('select from uncounted_commits where repository_id = $1 limit 1', [id]);
    if (waiting.rowCount === 0) assert.equal(isRight, !areDifferent, `${change}, ${from}`);
    counted.set(id, { from, until, count, sums });
  } else await inTransaction(connection, (to) => moveChecked(to, id, { from, until }));
}

/** A change of the commits of a repository: which one of them, and which one of the people. */
type CommitChange = (connection: Connection, id: string, at: { commit: number; person: number }) => Promise<unknown>;

async function findOids(connection: Connection, id: string, commit: number): Promise<string[]> {
  const { rows } = await sql<{ oid: string }>`
    select encode(oid, 'hex') as oid from commits where repository_id = ${id} order by oid offset ${commit} limit 2`.execute(
    connection,
  );
  return rows.map(({ oid }) => oid);
}

/** The rows of a part of a recount: fewer than some days have, or those of several days. */
function listRows(commit: number): number {
  return commit % 2 === 0 ? 2 : 20;
}

const commitChanges: Readonly<Record<string, CommitChange>> = {
  'commits are stored': async (connection, repositoryId, { commit, person }) => {
    async function* batches() {
      const at = new Date(Date.now() - commit * 86_400_000);
      const oid = `${commit}`.padStart(39, 'a');
      const emails = [`p${person + 1}@x.org`, 'p7@x.org'];
      yield ['b', 'c'].map((end) => ({ oid: `${oid}${end}`, authoredAt: at, committedAt: at, emails }));
    }
    const isCounted = await areCommitsCounted(connection, repositoryId);
    await saveAllCommits(connection, batches(), { provider: 'github', repositoryId, scanNumber: 1, isCounted });
  },
  'commits are counted': (connection, id) =>
    inTransaction(connection, async (to) => (await areCommitsCounted(to, id)) && countNewCommits(to, id)),
  'commits are removed': async (connection, id, { commit }) => {
    const oids = await findOids(connection, id, commit);
    await inTransaction(connection, async (to) => {
      if (await areCommitsCounted(to, id)) await uncountCommits(to, id, oids);
      await removeCommits(to, id, oids);
    });
  },
  'the account of an address is found': async (connection, _id, { commit, person }) => {
    const { rows } = await sql<{ address: number; found: string }>`
      select i.id as address, a.id as found from identities i, accounts a
      where i.email = ${`p${(commit % 20) + 1}@x.org`} and a.external_id = ${`p${person + 1}`}`.execute(connection);
    const { address, found } = rows[0] ?? assert.fail();
    await inTransaction(connection, (to) => saveResolved(to, [{ id: address, accountId: found }], new Date()));
  },
  'some days are counted again': async (connection, repositoryId, { commit }) => {
    if (await areCommitsCounted(connection, repositoryId)) return;
    const rows = listRows(commit);
    const days = await inTransaction(connection, (to) => recountNextDays(to, repositoryId, rows));
    const { signal } = new AbortController();
    if (days !== 'more' && days !== 'done') await recountCommitsOnDay(connection, { repositoryId, days, signal }, rows);
  },
  'all commits are counted again': async (connection, repositoryId, { commit }) => {
    const { signal } = new AbortController();
    await recountCommits(connection, { repositoryId, rows: listRows(commit), signal });
    await inTransaction(connection, (to) => endRecount(to, repositoryId));
  },
  'languages are read': async (connection, id, { commit, person }) => {
    const oids = await findOids(connection, id, commit);
    const requested = oids.map((key) => ({ detail: 'commit_languages' as const, key, revision: 0 }));
    const found = new Map(oids.map((oid) => [oid, new Map([['Ada', person + 1]])]));
    await inTransaction(connection, (to) => saveCommitLanguages(to, id, requested, found));
  },
};

const commitChange = fc.record({
  name: fc.constantFrom(...Object.keys(commitChanges)),
  at: fc.record({ commit: fc.nat({ max: 60 }), person: fc.nat({ max: 4 }) }),
});

describe('checkTotals beside changes', () => {
  it('finds no difference after any changes of items, people, repositories and owners between its parts', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const compared: Compared = {};
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(changes, fc.boolean()), { minLength: 30, maxLength: 40 }), async (history) => {
        await startWorld(database.connection);
        const counted: CountedDays = new Map();
        for (const id of repositories)
          await inTransaction(database.connection, (transaction) => recountRepository(transaction, id));
        for (const [change, isKilled] of history) {
          await applyChange(database.connection, change, isKilled);
          for (const id of repositories) await step(database, id, change.name, { compared, counted });
        }
      }),
      { numRuns: isThorough ? 60 : 1 },
    );
    assertCompared(compared, ['items', 'people', 'moved', 'changed']);
  });

  it('finds no difference after any changes of commits, their accounts and languages between its parts', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection } = database;
    const id = await storeRepository(database, 120);
    await inTransaction(connection, (transaction) => needLanguages(transaction, id));
    const compared: Compared = {};
    const counted: CountedDays = new Map();
    await fc.assert(
      fc.asyncProperty(fc.array(commitChange, { minLength: 20, maxLength: 40 }), async (history) => {
        for (const { name, at } of history) {
          await commitChanges[name]?.(connection, id, at);
          await step(database, id, name, { compared, counted });
        }
        await commitChanges['all commits are counted again']?.(connection, id, { commit: 1, person: 0 });
      }),
      // Each history begins with what the last one has left, so that smaller ones cannot be searched for.
      { numRuns: isThorough ? 60 : 4, endOnFailure: true },
    );
    assertCompared(compared, ['items', 'commits', 'people', 'languages', 'moved', 'changed']);
  });
});

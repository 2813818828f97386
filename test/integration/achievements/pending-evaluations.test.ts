import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { removeUnseenCommits, saveAllCommits } from '../../../src/contributions/items/commit-store.ts';
import { adoptOrphans } from '../../../src/contributions/items/contribution-store.ts';
import { saveChangedFiles, saveCommitFiles, saveLineCounts } from '../../../src/contributions/items/detail-store.ts';
import type { Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { type Contribution, type ContributionDetails, noDetails } from '../../../src/model/contribution.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import {
  addRepository,
  makeContribution,
  removeContributions,
  storeContributions,
} from '../contributions/stored-repository.ts';

const otherPerson = '00000000-0000-7000-8000-000000000007';
const detailed = (facts: Partial<ContributionDetails>): Partial<Contribution> => ({
  details: { ...noDetails, ...facts },
});

/** Other states of a stored discussion, by the column that differs. */
const otherStates: Readonly<Record<string, Partial<Contribution>>> = {
  parent_external_id: { parentExternalId: '7' },
  account_id: { author: otherPerson },
  answered_by: { answeredBy: otherPerson },
  answered: { answered: true },
  created_at: { createdAt: new Date('2007-07-07T07:07:07Z') },
  updated_at: { updatedAt: new Date('2027-07-07T07:07:07Z') },
  closed_at: { closedAt: new Date('2007-07-07T07:07:07Z') },
  merged_at: { mergedAt: new Date('2007-07-07T07:07:07Z') },
  number: detailed({ number: 7 }),
  title: { heading: { number: 7, title: 'Another title' } },
  merged_by: detailed({ mergedBy: otherPerson }),
  resolved_by: detailed({ resolvedBy: otherPerson }),
  answered_at: detailed({ answeredAt: new Date('2007-07-07T07:07:07Z') }),
  assignees: detailed({ assignees: [otherPerson] }),
  reviewers: detailed({ reviewers: [otherPerson] }),
  emojis: detailed({ reactions: [{ emoji: 'HEART', reactor: null }] }),
  reactors: detailed({ reactions: [{ emoji: 'HEART', reactor: otherPerson }] }),
  comments: detailed({ comments: 7 }),
  additions: detailed({ additions: 7 }),
  deletions: detailed({ deletions: 7 }),
  changed_files: detailed({ changedFiles: 7 }),
  commits: detailed({ commits: 7 }),
  upvotes: detailed({ upvotes: 7 }),
  labels: detailed({ labels: ['7'] }),
  reason: detailed({ reason: '7' }),
  state: detailed({ state: 'dismissed' }),
};

/** Columns that name people whom no achievement is about by them. */
const ignoredColumns: ReadonlySet<string> = new Set(['reactors', 'merged_by']);

/** Stores a repository with achievements, Ada and another person. */
async function prepare({ connection, pool }: Database) {
  const id = await addRepository(connection);
  await pool.query(`insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
    values ('${otherPerson}', 'github', '2', '2', 'user', 'bob', now(), now(), now())`);
  await pool.query(
    "insert into achievement_files (repository_id, path, text, reports, read_at) values ($1, 'p', '', '[]', now())",
    [id],
  );
  const { rows } = await pool.query<{ id: string }>("select id from accounts where name = 'ada'");
  const ada = rows[0]?.id ?? assert.fail();
  return { id, ada };
}

/** Returns the names of the people who wait to be evaluated for a kind, and forgets them. */
async function takePending({ pool }: Database, kind: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `with taken as (delete from pending_evaluations where kind = $1 returning account_id)
     select distinct name from taken join accounts on id = account_id order by name`,
    [kind],
  );
  return rows.map(({ name }) => name);
}

/** Returns the columns of a table, without its key. */
async function findColumns({ pool }: Database, table: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select column_name as name from information_schema.columns where table_schema = 'public' and table_name = $1
       and column_name not in ('repository_id', 'kind', 'external_id', 'oid') order by name`,
    [table],
  );
  return rows.map(({ name }) => name);
}

describe('evaluation after a change', () => {
  it('evaluates those whom a contribution named before and after a change of any column, except for columns of scans', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection } = database;
    const { id, ada } = await prepare(database);
    const evaluated: string[] = [];
    for (const [column, value] of Object.entries(otherStates)) {
      const discussion = makeContribution({ kind: 'discussion', externalId: column, author: ada });
      await storeContributions(connection, id, [discussion]);
      assert.deepEqual(await takePending(database, 'discussion'), ['ada']);
      await storeContributions(connection, id, [{ ...discussion, ...value }]);
      const people = await takePending(database, 'discussion');
      if (JSON.stringify(value).includes(otherPerson) && !ignoredColumns.has(column))
        assert.deepEqual(people, ['ada', 'bob']);
      if (people.includes('ada')) evaluated.push(column);
    }
    const pull = makeContribution({ kind: 'pull_request', author: ada, details: { ...noDetails, number: 7 } });
    await storeContributions(connection, id, [pull]);
    await takePending(database, 'pull_request');
    for (const expected of [['ada'], []]) {
      await inTransaction(connection, (transaction) =>
        saveChangedFiles(transaction, id, [], new Map([['7', ['a.ts']]])),
      );
      assert.deepEqual(await takePending(database, 'pull_request'), expected);
    }
    await removeContributions(connection, id, sql`c.kind = 'pull_request'`);
    assert.deepEqual(await takePending(database, 'pull_request'), ['ada']);
    const silent = new Set(['seen_at', 'stored_at', 'updated_at']);
    const columns = await findColumns(database, 'contributions');
    assert.deepEqual(
      [...evaluated, 'files'].toSorted(),
      columns.filter((column) => !silent.has(column)),
    );
  });

  it('evaluates those who commented on an issue whose labels change', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { id, ada } = await prepare(database);
    const labelled = (...labels: string[]) =>
      makeContribution({ author: ada, externalId: '7', details: { ...noDetails, number: 7, labels } });
    const comment = makeContribution({
      kind: 'issue_comment',
      author: otherPerson,
      details: { ...noDetails, number: 7 },
    });
    await storeContributions(database.connection, id, [comment]);
    await storeContributions(database.connection, id, [labelled('bug')]);
    await takePending(database, 'issue_comment');
    await inTransaction(database.connection, (transaction) => adoptOrphans(transaction, id));
    assert.deepEqual(await takePending(database, 'issue_comment'), ['bob']);
    for (const [label, expected] of [
      ['bug', []],
      ['help', ['bob']],
    ] as const) {
      await storeContributions(database.connection, id, [labelled(label)]);
      assert.deepEqual(await takePending(database, 'issue_comment'), expected);
    }
  });

  it('evaluates those who commented on an issue with labels that is stored after its comments, and when it is removed', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { id, ada } = await prepare(database);
    const comment = makeContribution({ kind: 'issue_comment', author: otherPerson, parentExternalId: '7' });
    await storeContributions(database.connection, id, [comment]);
    await takePending(database, 'issue_comment');
    const issue = makeContribution({ author: ada, externalId: '7', details: { ...noDetails, labels: ['spam'] } });
    await storeContributions(database.connection, id, [issue]);
    assert.deepEqual(await takePending(database, 'issue_comment'), ['bob']);
    await removeContributions(database.connection, id, sql`c.kind = 'issue'`);
    assert.deepEqual(await takePending(database, 'issue_comment'), ['bob']);
  });

  it('evaluates those whom a commit named before and after a change of any column, except for columns of scans', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection, pool } = database;
    const { id } = await prepare(database);
    await pool.query("insert into identities (provider, email, account_id) select 'github', name, id from accounts");
    const oid = '01'.repeat(20);
    let scanNumber = 0;
    const scan = async (...emails: string[]): Promise<string[]> => {
      const at = new Date('2026-05-01T12:00:00Z');
      const batches = (async function* () {
        yield [{ oid, authoredAt: at, committedAt: at, emails }];
      })();
      scanNumber += 1;
      await saveAllCommits(connection, batches, { provider: 'github', repositoryId: id, scanNumber, isCounted: false });
      return takePending(database, 'commit');
    };
    assert.deepEqual(await scan('ada'), ['ada']);
    assert.deepEqual(await scan('ada'), []);
    assert.deepEqual(await scan('bob'), ['ada', 'bob']);
    const lines = { additions: 7, deletions: 0, changedFiles: 1 };
    for (const expected of [['bob'], []]) {
      await inTransaction(connection, (transaction) => saveLineCounts(transaction, id, [], new Map([[oid, lines]])));
      assert.deepEqual(await takePending(database, 'commit'), expected);
      await inTransaction(connection, (transaction) =>
        saveCommitFiles(transaction, id, [], new Map([[oid, ['a.ts']]])),
      );
      assert.deepEqual(await takePending(database, 'commit'), expected);
    }
    await removeUnseenCommits(connection, id, scanNumber + 1);
    assert.deepEqual(await takePending(database, 'commit'), ['bob']);
    // A commit never changes its times.
    const tried = ['additions', 'authored_at', 'changed_files', 'committed_at', 'deletions', 'files', 'identity_ids'];
    // Conditions name neither subjects nor the help of programs, nor languages.
    const without = ['assisted', 'languages', 'scan_number', 'stored_at', 'subject'];
    assert.deepEqual(await findColumns(database, 'commits'), [...tried, ...without].toSorted());
  });

  it('announces awards after a change of the default branch, because their icons may be on it', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const id = await addRepository(connection);
    await pool.query(
      `with added as (
       insert into achievements (id, repository_id, name, icon, description, is_current)
       values (gen_random_uuid(), $1, 'A', 'a.png', '', true) returning id)
     insert into awards (id, achievement_id, account_id, repository_name, awarded_at, created_at)
     select gen_random_uuid(), added.id, a.id, 'engine', now(), now() from added, accounts a`,
      [id],
    );
    await pool.query("update repositories set description = 'same'");
    await pool.query("update repositories set default_branch = 'trunk'");
    const { rows: announced } = await pool.query('select distinct kind, key::uuid as id from announcements');
    const { rows } = await pool.query<{ id: string }>(`select 'account' as kind, id from accounts`);
    assert.deepEqual(announced, rows);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { buildRepository, type CommitDescription } from '../../../simulators/git/build-repository.ts';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { removeCommits, saveAllCommits } from '../../../src/contributions/items/commit-store.ts';
import { changeNeeds, needLanguages } from '../../../src/contributions/items/detail-store.ts';
import {
  findFewLanguages,
  findLanguageRepositories,
  findLanguages,
} from '../../../src/contributions/languages/store.ts';
import { uncountCommits } from '../../../src/contributions/totals/total-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { HistoryCache } from '../../../src/hosts/history/history-cache.ts';
import { countLanguages } from '../../../src/sync/histories/read-history.ts';
import { fillCommitFiles } from '../../../src/sync/streams/fill-commit-files.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { startRemote } from '../history/remote.ts';
import { addRepository } from './stored-repository.ts';

/** Returns a commit of the address `a@x.org`, or of another one. */
const change = (day: string, paths: string[], parents: number[], email = 'a@x.org'): CommitDescription => ({
  parents,
  author: { name: 'A', email },
  authoredAt: new Date(`${day}T12:00:00Z`),
  committedAt: new Date(`${day}T12:00:00Z`),
  changes: new Map(paths.map((path) => [path, `${day}${path}`])),
});

const lifetime = { since: null, until: null };

/** Prepares a repository with stored commits, whose account has the address `a@x.org`, and reads their languages. */
async function prepare(commits: CommitDescription[]) {
  const ending = new AsyncDisposableStack();
  const directory = ending.use(await makeTemporaryDirectory());
  const oids = await buildRepository(directory.pathOf('r.git'), { commits, branch: 'main' });
  const remote = ending.use(await startRemote(directory.pathOf('r.git')));
  const { connection } = ending.use(await reuseTestDatabase()).database;
  const repositoryId = await addRepository(connection);
  const records = commits.map(({ author, authoredAt }, index) => ({
    oid: oids[index] ?? '',
    authoredAt,
    committedAt: authoredAt,
    emails: [author.email],
  }));
  const options = { provider: 'github', repositoryId, scanNumber: 1, isCounted: false };
  await saveAllCommits(connection, yieldBatch(records), options);
  const { rows } = await sql<{ id: string }>`select id from accounts`.execute(connection);
  const accountId = rows[0]?.id ?? '';
  await sql`update identities set account_id = ${accountId} where email = 'a@x.org'`.execute(connection);
  await inTransaction(connection, (transaction) => recountRepository(transaction, repositoryId));
  const limits = { maxCopyBytes: 1e8, maxTotalBytes: 1e9, fetchTimeoutMs: 60_000, now: () => new Date() };
  const histories = new HistoryCache({ ...limits, directory: directory.pathOf('copies') });
  const query = { accountId, isOwner: false, withPrivate: false };
  return {
    connection,
    repositoryId,
    accountId,
    oids,
    query,
    read: () =>
      fillCommitFiles(
        { connection, histories },
        {
          repositoryId,
          signal: new AbortController().signal,
          findRemote: async () => ({ url: `${remote.url}/a.git`, authorization: undefined }),
        },
      ),
    languages: (days: { since: string | null; until: string | null } = lifetime, changed = {}) =>
      readStoredLanguages(connection, { ...query, ...changed }, days),
    recount: () => inTransaction(connection, (transaction) => recountRepository(transaction, repositoryId)),
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}

async function* yieldBatch<Item>(items: Item[]): AsyncGenerator<Item[]> {
  yield items;
}

async function readStoredLanguages(
  connection: Connection,
  query: { accountId: string; isOwner: boolean; withPrivate: boolean },
  days: { since: string | null; until: string | null },
): Promise<Record<string, number>> {
  const found = await findLanguages(connection, query, days);
  if (days === lifetime && !query.isOwner && !query.withPrivate)
    assert.deepEqual((await findFewLanguages(connection, query.accountId)) ?? found, found);
  return Object.fromEntries(found.map(({ language, files }) => [language, files]));
}

describe('counting of languages', () => {
  it('sums changed files by person and day, without merges and vendored files', async () => {
    await using prepared = await prepare([
      change('2026-01-01', ['a.ts', 'b.ts', 'vendor/c.go', 'README.md'], []),
      change('2026-01-02', ['d.go', 'a.ts'], [0]),
      change('2026-01-02', ['x.py'], [0], 'other@x.org'),
      change('2026-01-03', ['d.go', 'a.ts', 'x.py'], [1, 2]),
    ]);
    const { connection, repositoryId, query, read, languages } = prepared;
    await read();
    assert.deepEqual(await languages(), {}, 'nothing is read before it is needed');
    await inTransaction(connection, (transaction) => needLanguages(transaction, repositoryId));
    const [pending] = await findLanguageRepositories(connection, query, 9);
    assert.deepEqual([pending?.isNeeded, pending?.isPending], [true, true]);
    await read();
    assert.deepEqual(await languages(), { TypeScript: 3, Go: 1 });
    assert.deepEqual(await languages({ since: '2026-01-02', until: null }), { Go: 1, TypeScript: 1 });
    assert.deepEqual(await languages({ since: null, until: '2026-01-02' }), { TypeScript: 2 });
    const [done] = await findLanguageRepositories(connection, query, 9);
    assert.deepEqual([done?.isNeeded, done?.isPending], [true, false]);
    // An owner's languages are those of all its repositories' commits.
    assert.deepEqual(await languages(lifetime, { isOwner: true }), { TypeScript: 3, Go: 1, Python: 1 });
  });

  it('equals a recount after commits were read again, removed, and given to another person', async () => {
    await using prepared = await prepare([
      change('2026-01-01', ['a.ts'], []),
      change('2026-01-02', ['b.go'], [0]),
      change('2026-01-03', ['x.py'], [1], 'other@x.org'),
    ]);
    const { connection, repositoryId, accountId, oids, read, languages, recount } = prepared;
    await inTransaction(connection, (transaction) => needLanguages(transaction, repositoryId));
    await read();
    // A file of achievements that comes and goes changes nothing.
    await inTransaction(connection, (transaction) => changeNeeds(transaction, repositoryId, ['commit_files']));
    await read();
    await inTransaction(connection, (transaction) => changeNeeds(transaction, repositoryId, []));
    await sql`
      insert into pending_details (repository_id, detail, key) select ${repositoryId}, 'commit_languages', encode(oid, 'hex')
      from commits`.execute(connection);
    await read();
    assert.equal(await recount(), 0);
    await sql`update identities set account_id = ${accountId} where email = 'other@x.org'`.execute(connection);
    assert.deepEqual(await languages(), { Go: 1, Python: 1, TypeScript: 1 });
    await recount();
    await inTransaction(connection, async (transaction) => {
      await uncountCommits(transaction, repositoryId, [oids[1] ?? '']);
      await removeCommits(transaction, repositoryId, [oids[1] ?? '']);
    });
    assert.deepEqual(await languages(), { Python: 1, TypeScript: 1 });
    assert.equal(await recount(), 0);
    await sql`update language_days set files = 9 where language = 'Python'`.execute(connection);
    await sql`delete from language_days where language = 'TypeScript'`.execute(connection);
    // The sums of days, and those over all days, which no longer agreed with them: of an address, and of all.
    assert.equal(await recount(), 8);
    assert.deepEqual(await languages(), { Python: 1, TypeScript: 1 });
    await sql`update language_sums set files = 9 where language = 'Python'`.execute(connection);
    await sql`delete from language_sums where language = 'TypeScript'`.execute(connection);
    assert.equal(await recount(), 4);
    assert.deepEqual(await languages(), { Python: 1, TypeScript: 1 });
    assert.equal(await recount(), 0);
  });

  it('leaves out deleted repositories, forks, and private ones except for those who may see them', async () => {
    await using prepared = await prepare([change('2026-01-01', ['a.ts'], [])]);
    const { connection, repositoryId, accountId, read, languages } = prepared;
    await sql`update repositories set is_private = true`.execute(connection);
    const isNeeded = async (): Promise<boolean> => {
      const { rows } = await sql<{ is: boolean }>`
        select 'commit_languages' = any(needs) as is from repositories where id = ${repositoryId}`.execute(connection);
      return rows[0]?.is ?? false;
    };
    await countLanguages({ connection }, { accountId, withPrivate: false });
    assert.equal(await isNeeded(), false);
    await countLanguages({ connection }, { accountId, withPrivate: true });
    assert.equal(await isNeeded(), true);
    const { rows: jobs } = await sql<{ key: string }>`
      select key from graphile_worker.jobs where task_identifier = 'collect_repository'`.execute(connection);
    assert.deepEqual(
      jobs.map(({ key }) => key),
      [`collect_repository ${accountId}/engine with private`],
    );
    await read();
    assert.deepEqual(await languages(), {});
    assert.deepEqual(await languages(lifetime, { withPrivate: true }), { TypeScript: 1 });
    await sql`update repositories set deleted_at = now()`.execute(connection);
    assert.deepEqual(await languages(lifetime, { withPrivate: true }), {});
    await sql`update repositories set deleted_at = null, is_private = false, is_fork = true`.execute(connection);
    assert.deepEqual(await languages(), {}, 'commits in forks count for nobody');
    assert.deepEqual(await languages(lifetime, { isOwner: true }), { TypeScript: 1 });
  });

  it('leaves many sums to a statement of their own, also where no repository is public', async () => {
    await using prepared = await prepare([change('2026-01-01', ['a.ts'], [])]);
    const { connection, accountId } = prepared;
    const addSums = (first: number, last: number) =>
      sql`
        insert into language_sums (repository_id, identity_id, language, files)
        select r.id, i.id, 'Language ' || n, n
        from generate_series(${first}::integer, ${last}::integer) n, repositories r, identities i
        where i.email = 'a@x.org'`.execute(connection);
    assert.deepEqual(await findFewLanguages(connection, accountId), []);
    await addSums(1, 2000);
    const few = await findFewLanguages(connection, accountId);
    assert.deepEqual([few?.length, few?.[0]], [1000, { language: 'Language 2000', files: 2000 }]);
    await addSums(2001, 2001);
    assert.equal(await findFewLanguages(connection, accountId), undefined);
    await sql`update repositories set is_private = true`.execute(connection);
    assert.equal(await findFewLanguages(connection, accountId), undefined);
  });
});

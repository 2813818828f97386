import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { buildRepository, type CommitDescription, moveRef } from '../../../simulators/git/build-repository.ts';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { changeNeeds, findPendingDetails, needLanguages } from '../../../src/contributions/items/detail-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { HistoryCache } from '../../../src/hosts/history/history-cache.ts';
import type { Call } from '../../../src/hosts/interface/provider.ts';
import type { Detail } from '../../../src/model/contribution.ts';
import { AppError } from '../../../src/model/errors.ts';
import { findKnownUntil } from '../../../src/recognition/achievements/awards/work-store.ts';
import { fillCommitFiles } from '../../../src/sync/streams/fill-commit-files.ts';
import { sampled } from '../../depth.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { addRepository } from '../contributions/stored-repository.ts';
import { type RemoteHost, startRemote } from '../history/remote.ts';

const main = 'refs/heads/main';
const change = (path: string, ...parents: number[]): CommitDescription => ({
  parents,
  author: { name: 'A', email: 'a@x.org' },
  authoredAt: new Date(1e12),
  committedAt: new Date(1e12),
  changes: new Map([[path, 'x']]),
});

/** Prepares a database that lacks the paths of some commits, and the host that has them. */
async function prepare(commits: CommitDescription[]) {
  const ending = new AsyncDisposableStack();
  const directory = ending.use(await makeTemporaryDirectory());
  const git = directory.pathOf('r.git');
  const oids = await buildRepository(git, { commits, branch: 'main' });
  const remote = ending.use(await startRemote(git));
  const { connection } = ending.use(await reuseTestDatabase()).database;
  const repositoryId = await addRepository(connection);
  await storeCommits(connection, repositoryId, oids);
  await sql`
    insert into streams (repository_id, name, covers, completed_at, known_until)
    values (${repositoryId}, 'commits', '{commit}', now(), now())`.execute(connection);
  const limits = { maxCopyBytes: 1e8, maxTotalBytes: 1e9, fetchTimeoutMs: 60_000, now: () => new Date() };
  return {
    git,
    oids,
    remote,
    connection,
    repositoryId,
    /** @param node has copies of its own. */
    fill: (node = 'one', signal = new AbortController().signal, onSkipped?: Call['onSkipped']) =>
      fillCommitFiles(
        { connection, histories: new HistoryCache({ ...limits, directory: directory.pathOf(node) }) },
        {
          repositoryId,
          signal,
          onSkipped,
          findRemote: async () => ({ url: `${remote.url}/a.git`, authorization: undefined }),
        },
      ),
    stored: () => storedFiles(connection, repositoryId),
    pending: async () =>
      (await findPendingDetails(connection, repositoryId, 'commit_files', { limit: 1e6 })).map(({ key }) => key),
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}

async function storeCommits(connection: Connection, repositoryId: string, oids: readonly string[]): Promise<void> {
  await sql`
    insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
    select ${repositoryId}, decode(oid, 'hex'), now(), now(), 1, '{}' from unnest(${[...oids]}::text[]) as oid`.execute(
    connection,
  );
}

async function storedFiles(connection: Connection, repositoryId: string): Promise<Map<string, string[] | null>> {
  const { rows } = await sql<{ oid: string; files: string[] | null }>`
    select encode(oid, 'hex') as oid, files from commits where repository_id = ${repositoryId}`.execute(connection);
  return new Map(rows.map(({ oid, files }) => [oid, files]));
}

function changeNeedsFor(connection: Connection, repositoryId: string, needs: readonly Detail[]): Promise<void> {
  return inTransaction(connection, (transaction) => changeNeeds(transaction, repositoryId, needs));
}

describe('paths of commits', () => {
  it('reports commits of which paths are left out, for files and for languages', async () => {
    const files = Array.from({ length: 3001 }, (_, index) => [`src/${index}.ts`, 'x'] as const);
    await using prepared = await prepare([{ ...change('a.ts'), changes: new Map(files) }, change('b.ts', 0)]);
    const { connection, repositoryId, fill } = prepared;
    const skipped: object[] = [];
    const signal = new AbortController().signal;
    await changeNeedsFor(connection, repositoryId, ['commit_files']);
    await inTransaction(connection, (transaction) => needLanguages(transaction, repositoryId));
    await fill('one', signal, (part) => void skipped.push(part));
    const part = { kind: 'commit', reason: 'unreadable', explanation: '', isStored: true, isCounted: true };
    assert.deepEqual(skipped, [
      { ...part, path: 'files' },
      { ...part, path: 'languages' },
    ]);
    await fill('one', signal, () => assert.fail('they are read once'));
  });

  it('fetches paths only when they are needed, and evaluates no commit before its paths are stored', async () => {
    await using prepared = await prepare([change('a.ts'), change('b.ts', 0)]);
    const { connection, repositoryId, remote, oids, fill, stored } = prepared;
    const isEvaluated = async (): Promise<boolean> => (await findKnownUntil(connection, repositoryId)).has('commit');
    await fill();
    assert.deepEqual(remote.requests, []);
    assert.equal(await isEvaluated(), true);
    await changeNeedsFor(connection, repositoryId, ['commit_files']);
    assert.equal(await isEvaluated(), false);
    await fill();
    assert.deepEqual(
      await stored(),
      new Map([
        [oids[0], ['a.ts']],
        [oids[1], ['b.ts']],
      ]),
    );
    assert.equal(await isEvaluated(), true);
    const requestCount = remote.requests.length;
    await fill('two');
    assert.equal(remote.requests.length, requestCount);
  });

  it('leaves commits behind a force push without paths, on every node, until they are deleted or restored', async () => {
    await using prepared = await prepare([change('a.ts'), change('b.ts', 0), change('c.ts', 1)]);
    const { connection, repositoryId, git, oids, fill, stored, pending } = prepared;
    const [first = '', second = '', third = ''] = oids;
    await changeNeedsFor(connection, repositoryId, ['commit_files']);
    await moveRef(git, main, first);
    await fill();
    assert.deepEqual(await pending(), [second, third].toSorted());
    assert.deepEqual((await stored()).get(first), ['a.ts']);
    await moveRef(git, main, second);
    await fill('two');
    assert.deepEqual(await pending(), [third]);
    await sql`delete from commits where oid = decode(${third}, 'hex')`.execute(connection);
    await moveRef(git, main, null);
    await fill('two');
    assert.deepEqual(await pending(), []);
    assert.deepEqual(
      await stored(),
      new Map([
        [first, ['a.ts']],
        [second, ['b.ts']],
      ]),
    );
  });

  it('stores the same data after a read that is interrupted at any request or while it is stored', async () => {
    const paths = Array.from({ length: 1100 }, (_, index) => `src/${index}.ts`);
    await using prepared = await prepare(paths.map((path, index) => change(path, ...(index === 0 ? [] : [index - 1]))));
    const { connection, repositoryId, remote, oids, fill, stored, pending } = prepared;
    await changeNeedsFor(connection, repositoryId, ['commit_files']);
    const requests = await countRequests(remote, () => fill('counted'));
    const expected = new Map(oids.map((oid, index) => [oid, [paths[index] ?? '']]));
    assert.deepEqual(await stored(), expected);
    const assertConsistent = async (): Promise<void> => {
      const left = new Set(await pending());
      for (const [oid, files] of await stored()) assert.equal(files === null, left.has(oid));
    };
    for (const at of sampled(
      Array.from({ length: requests }, (_, index) => index + 1),
      20,
    )) {
      await forgetFiles(connection, repositoryId);
      let seen = 0;
      remote.intercept = (request, response, next) => {
        seen += 1;
        if (seen === at) response.destroy();
        else return next(request, response);
      };
      // The HTTP client of git may repeat a request by itself.
      await fill(`node ${at}`).catch((error: unknown) => assert.ok(error instanceof AppError));
      await assertConsistent();
      await fill(`node ${at}`);
      assert.deepEqual(await stored(), expected);
    }
    await forgetFiles(connection, repositoryId);
    const stopping = new AbortController();
    const filling = fill('counted', stopping.signal);
    // Commits become pending in parts, so that fewer of them are pending also before the first paths are stored.
    const isAnyStored = async (): Promise<boolean> => [...(await stored()).values()].some((files) => files !== null);
    while (!(await isAnyStored())) await new Promise((resolve) => setImmediate(resolve));
    stopping.abort(new Error('enough'));
    await filling.catch(() => {});
    await assertConsistent();
    await fill('counted');
    assert.deepEqual(await stored(), expected);
  });
});

async function countRequests(remote: RemoteHost, work: () => Promise<void>): Promise<number> {
  const before = remote.requests.length;
  await work();
  return remote.requests.length - before;
}

async function forgetFiles(connection: Connection, repositoryId: string): Promise<void> {
  await sql`update commits set files = null`.execute(connection);
  await changeNeedsFor(connection, repositoryId, []);
  await changeNeedsFor(connection, repositoryId, ['commit_files']);
}

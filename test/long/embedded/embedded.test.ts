import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { closeSync } from 'node:fs';
import { chmod, chown, lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { findPostmaster } from '../../../src/database/embedded/cluster.ts';
import { canConnect, openEmbedded } from '../../../src/database/embedded/embedded.ts';
import { Lease } from '../../../src/database/embedded/keeper.ts';
import { isThorough, sampled } from '../../depth.ts';
import { processesIn, waitUntilEmpty } from './cluster-processes.ts';
import { startWriting, storedNumbers, writerProgram } from './writing.ts';

const isRoot = process.getuid?.() === 0;
const options = (dataDir: string): { dataDir: string; log: () => void } => ({ dataDir, log: () => {} });

const numbersTo = (end: number): number[] => Array.from({ length: end }, (_, number) => number);

async function openAndRelease(dataDir: string): Promise<void> {
  const server = await openEmbedded(options(dataDir));
  await server.release();
}

/** Returns every entry below a directory, with its mode. */
async function modesBelow(directory: string): Promise<{ path: string; mode: number }[]> {
  const entries = await readdir(directory, { recursive: true });
  return Promise.all(
    ['.', ...entries].map(async (path) => ({ path, mode: (await lstat(join(directory, path))).mode & 0o777 })),
  );
}

describe('the embedded PostgreSQL server', () => {
  const stack = new AsyncDisposableStack();
  let initialized = '';
  before(async () => {
    initialized = stack.use(await makeTemporaryDirectory()).pathOf('data');
    await openAndRelease(initialized);
    await waitUntilEmpty(initialized);
  });
  after(() => stack.disposeAsync());

  /** Creates a data directory with a database, which takes half a second of processor time without the copy. */
  function createDatabase(dataDir: string): string {
    const { status } = spawnSync('cp', ['-a', initialized, dataDir]);
    assert.equal(status, 0);
    return dataDir;
  }

  it('hides the data from other users, opens no TCP port, and leaves no process after a graceful stop', async () => {
    await using directory = await makeTemporaryDirectory();
    const dataDir = directory.pathOf('data');
    const server = await openEmbedded(options(dataDir));
    const running = await processesIn(dataDir);
    assert.ok(running.length > 1);
    assert.deepEqual(
      (await modesBelow(dataDir)).filter(({ mode }) => (mode & 0o007) !== 0),
      [],
    );
    const client = new Client(server.connection);
    await client.connect();
    const { rows } = await client.query(
      'select name, setting from pg_settings where name = any($1) order by name collate "C"',
      [['listen_addresses', 'fsync', 'synchronous_commit', 'full_page_writes', 'server_encoding', 'TimeZone']],
    );
    assert.deepEqual(
      rows.map(({ name, setting }) => `${name}=${setting}`),
      [
        'TimeZone=UTC',
        'fsync=on',
        'full_page_writes=on',
        'listen_addresses=',
        'server_encoding=UTF8',
        'synchronous_commit=on',
      ],
    );
    await client.end();
    if (isRoot) {
      for (const pid of running) assert.notEqual((await lstat(`/proc/${pid}`)).uid, 0);
    }
    await server.release();
    await waitUntilEmpty(dataDir);
  });

  it('keeps acknowledged rows after any kill, starts again without help, and leaves no server running', async () => {
    await using directory = await makeTemporaryDirectory();
    const dataDir = createDatabase(directory.pathOf('data'));
    const acknowledged: number[] = [];
    for (const kill of sampled(numbersTo(20), 7)) {
      const writing = startWriting(dataDir);
      await writing.until(1 + kill * 3);
      writing.child.kill('SIGKILL');
      await writing.ended;
      acknowledged.push(...writing.acknowledged);
      // Every other time, the next start meets a server that is still stopping.
      if (kill % 2 === 0) await waitUntilEmpty(dataDir);
    }
    const stored = await storedNumbers(dataDir);
    assert.deepEqual(
      acknowledged.filter((number) => !stored.has(number)),
      [],
    );
    await waitUntilEmpty(dataDir);
  });

  it('repairs a kill at any moment of the first start and of later ones with the next start', async () => {
    await using directory = await makeTemporaryDirectory();
    for (const kill of sampled(numbersTo(12), 7)) {
      const dataDir = directory.pathOf(`data-${kill % 2}`);
      const writing = startWriting(dataDir, { onlyOpen: true });
      await writing.until('opening');
      await Promise.race([wait(kill * 60), writing.ended]);
      writing.child.kill('SIGKILL');
      // The process was killed, or had ended before; it must not fail because of damage by an earlier kill.
      assert.ok(['SIGKILL', 0].includes(await writing.ended));
    }
    for (const dataDir of [directory.pathOf('data-0'), directory.pathOf('data-1')]) {
      const writing = startWriting(dataDir);
      await writing.until(3);
      writing.child.kill('SIGTERM');
      assert.equal(await writing.ended, 0);
      await waitUntilEmpty(dataDir);
      assert.deepEqual(
        (await readdir(dataDir)).filter((name) => name !== 'postgres'),
        [],
      );
    }
  });

  it('shares one server among several processes, in any order of starts and ends', async () => {
    await using directory = await makeTemporaryDirectory();
    const dataDir = directory.pathOf('data');
    for (let round = 0; round < (isThorough ? 3 : 1); round += 1) {
      const writings = Array.from({ length: isThorough ? 5 : 3 }, () => startWriting(dataDir));
      await Promise.all(writings.map((writing) => writing.until(3)));
      const [first, second, ...others] = writings;
      first?.child.kill('SIGTERM');
      second?.child.kill('SIGKILL');
      assert.equal(await first?.ended, 0);
      await second?.ended;
      const before = others.map(({ acknowledged }) => acknowledged.length);
      await Promise.all(others.map((writing, index) => writing.until((before[index] ?? 0) + 20)));
      for (const { child } of others) child.kill('SIGTERM');
      for (const { ended } of others) assert.equal(await ended, 0);
      await waitUntilEmpty(dataDir);
    }
  });

  it('returns no server that stops when it is opened while the last user leaves', async () => {
    await using directory = await makeTemporaryDirectory();
    const dataDir = createDatabase(directory.pathOf('data'));
    let last = await openEmbedded(options(dataDir));
    for (const round of sampled(numbersTo(15), 5)) {
      const released = last.release();
      await wait(round);
      last = await openEmbedded(options(dataDir));
      await released;
      const client = new Client(last.connection);
      await client.connect();
      await wait(20);
      await client.query('select 1');
      await client.end();
    }
    await last.release();
    await waitUntilEmpty(dataDir);
  });

  it('opens the pipe of the keeper after the process released its server', async () => {
    await using directory = await makeTemporaryDirectory();
    const lease = await Lease.take(directory.path, { uid: 0, gid: 0, name: '', isOther: false });
    lease.release();
    closeSync(lease.openForKeeper());
  });

  it('keeps a server that another process has just joined when a process leaves', async () => {
    await using directory = await makeTemporaryDirectory();
    const dataDir = createDatabase(directory.pathOf('data'));
    const first = await openEmbedded(options(dataDir));
    // The keeper must not notice anything before the next process has joined.
    const shells = await shellsIn(dataDir);
    for (const id of shells) process.kill(id, 'SIGSTOP');
    const released = first.release();
    const joining = openEmbedded(options(dataDir));
    await wait(300);
    for (const id of shells) process.kill(id, 'SIGCONT');
    const second = await joining;
    await released;
    const client = new Client(second.connection);
    await client.connect();
    await client.query('select 1');
    await client.end();
    await second.release();
    await waitUntilEmpty(dataDir);
  });

  it('replaces a server that lost its keeper, and starts one again that was killed', async () => {
    await using directory = await makeTemporaryDirectory();
    const dataDir = createDatabase(directory.pathOf('data'));
    const clusterDir = join(dataDir, 'postgres');
    const lines: string[] = [];
    const server = await openEmbedded({ dataDir, log: (line) => lines.push(line) });
    const pid = findPostmaster(clusterDir) ?? 0;
    process.kill(pid, 'SIGKILL');
    while (findPostmaster(clusterDir) === pid || !(await canConnect(server.connection))) await wait(50);
    assert.ok(lines.some((line) => /started again/.test(line)));

    for (const id of await shellsIn(dataDir)) process.kill(id, 'SIGKILL');
    const orphan = findPostmaster(clusterDir);
    await openAndRelease(dataDir);
    assert.notEqual(orphan, undefined);
    await server.release();
    await waitUntilEmpty(dataDir);
  });

  it('starts despite a lock file with an id that another process has now', async () => {
    await using directory = await makeTemporaryDirectory();
    const dataDir = createDatabase(directory.pathOf('data'));
    const lock = join(dataDir, 'postgres', 'postmaster.pid');
    await writeFile(lock, `${process.pid}\n/proc/self/cwd\n1700000000\n5432\n.\n\n  5432001 0\nready\n`, {
      mode: 0o600,
    });
    const { uid, gid } = await lstat(join(dataDir, 'postgres'));
    await chown(lock, uid, gid);
    await writeFile(join(dataDir, 'postgres', '.s.PGSQL.5432.lock'), `${process.pid}\n`, { mode: 0o600 });
    await chown(join(dataDir, 'postgres', '.s.PGSQL.5432.lock'), uid, gid);
    await openAndRelease(dataDir);
  });

  it('starts despite a lock of the socket with an id that another process has now', async () => {
    await using directory = await makeTemporaryDirectory();
    const dataDir = createDatabase(directory.pathOf('data'));
    const { uid, gid } = await lstat(join(dataDir, 'postgres'));
    const lock = join(dataDir, 'postgres', '.s.PGSQL.5432.lock');
    // A server that was killed leaves this file; the other lock may name a process that has ended.
    const unrelated = spawn('sleep', ['60'], { stdio: 'ignore', ...(isRoot && { uid, gid }) });
    try {
      await writeFile(lock, `${unrelated.pid}\n/proc/self/cwd\n1700000000\n5432\n.\n`, { mode: 0o600 });
      await chown(lock, uid, gid);
      await openAndRelease(dataDir);
    } finally {
      unrelated.kill('SIGKILL');
    }
  });

  it('supports a path that is too long for a socket', async () => {
    await using directory = await makeTemporaryDirectory();
    const dataDir = join(directory.path, 'd'.repeat(100), 'e'.repeat(100));
    const server = await openEmbedded(options(dataDir));
    assert.ok(server.connection.host.length < 100);
    assert.ok(await canConnect(server.connection));
    await server.release();
    await waitUntilEmpty(dataDir);
  });

  it('opens a database of its own for another user, and refuses those of others in one line', async (t) => {
    const otherUser = { uid: 65534, gid: 65534 };
    const canRun = isRoot && spawnSync('test', ['-r', writerProgram], otherUser).status === 0;
    if (!canRun) {
      t.skip('needs root, and programs that others may read');
      return;
    }
    await using directory = await makeTemporaryDirectory();
    await chmod(directory.path, 0o755);
    await mkdir(directory.pathOf('own'));
    await chown(directory.pathOf('own'), otherUser.uid, otherUser.gid);
    const writing = startWriting(directory.pathOf('own'), otherUser);
    await writing.until(2);
    writing.child.kill('SIGTERM');
    assert.equal(await writing.ended, 0);

    // Root joins with the rights of the owner, not with its own.
    await openAndRelease(directory.pathOf('own'));
    assert.equal((await lstat(directory.pathOf('own/postgres/server.log'))).uid, otherUser.uid);
    await waitUntilEmpty(directory.pathOf('own'));

    await rm(directory.pathOf('own/postgres/server.log'));
    await chown(directory.pathOf('own/postgres'), 0, 0);
    await assert.rejects(
      openEmbedded(options(directory.pathOf('own'))),
      /belongs to root, as whom PostgreSQL does not run/,
    );
  });
});

/** Returns the ids of the keeper and of its subshell that counts users. */
async function shellsIn(dataDir: string): Promise<number[]> {
  const ids = await processesIn(dataDir);
  const commands = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return ids.filter((_, index) => commands[index]?.startsWith('/bin/sh'));
}

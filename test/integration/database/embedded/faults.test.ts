import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chown, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../../simulators/git/temporary-directory.ts';
import { findPostmaster } from '../../../../src/database/embedded/cluster.ts';
import { canConnect, openEmbedded } from '../../../../src/database/embedded/embedded.ts';
import { explainOutput } from '../../../../src/database/embedded/failure.ts';
import { mountSmallDisk, useInodes } from '../../../small-disk.ts';
import { until } from '../../../time.ts';

const noMount = 'mounting is not permitted here';
const isRoot = process.getuid?.() === 0;
const options = (dataDir: string): { dataDir: string; log: () => void } => ({ dataDir, log: () => {} });

async function openAndRelease(dataDir: string): Promise<void> {
  const server = await openEmbedded(options(dataDir));
  await server.release();
}

const rejects = (dataDir: string, message: RegExp): Promise<void> =>
  assert.rejects(openEmbedded(options(dataDir)), (error: Error) => {
    assert.match(error.message, message);
    assert.ok(!error.message.includes('\n'));
    return true;
  });

describe('faults of the embedded PostgreSQL server', () => {
  it('reports a fault that prevents the start in one line', async () => {
    await using directory = await makeTemporaryDirectory();
    await writeFile(directory.pathOf('file'), '');
    await rejects(directory.pathOf('file'), /DATA_DIR: .*file is, or lies below, a file/);
    await rejects(directory.pathOf('file/below'), /DATA_DIR: .* a file/);

    await mkdir(directory.pathOf('other/postgres'), { recursive: true });
    await writeFile(directory.pathOf('other/postgres/notes.txt'), 'mine');
    if (isRoot) await chown(directory.pathOf('other/postgres'), 65534, 65534);
    await rejects(directory.pathOf('other'), /not empty and holds no database/);

    await openAndRelease(directory.pathOf('old'));
    await writeFile(directory.pathOf('old/postgres/PG_VERSION'), '14\n');
    await rejects(directory.pathOf('old'), /is of PostgreSQL 14 and this release brings 18: export it/);
  });

  it('reports an error of the PostgreSQL programs in one line with the remedy', () => {
    const cases: [string, RegExp][] = [
      ['initdb: error: could not write: No space left on device', /disk of .* is full/],
      [
        'FATAL:  could not resize shared memory segment "/PostgreSQL.1" to 1048576 bytes: No space left on device',
        /^The shared memory in \/dev\/shm is full/,
      ],
      ['postgres: could not create: Read-only file system', /is read-only/],
      ['/lib/libc.so.6: version `GLIBC_2.34` not found', /cannot run on this system: set DATABASE_URL/],
      [
        '2026-01-01 LOG:  starting\n2026-01-01 FATAL:  data directory has wrong ownership\n',
        /FATAL: {2}data directory has wrong ownership/,
      ],
      ['', /it gave no reason/],
    ];
    for (const [output, message] of cases) assert.match(explainOutput(output, '/data').message, message);
  });

  it('reports a full disk in one line, and leaves nothing behind', async (t) => {
    await using directory = await makeTemporaryDirectory();
    using disk = mountSmallDisk(directory.pathOf('disk'), 'size=12m');
    if (disk === undefined) return t.skip(noMount);
    await rejects(join(disk.path, 'data'), /^DATA_DIR: the disk of \S+ is full; free some space/);
    assert.deepEqual(await readdir(join(disk.path, 'data')), []);
  });

  it('reports a disk without inodes, for a new database and for a stored one', async (t) => {
    await using directory = await makeTemporaryDirectory();
    using disk = mountSmallDisk(directory.pathOf('disk'), 'nr_inodes=200');
    using large = mountSmallDisk(directory.pathOf('large'), 'nr_inodes=2000');
    if (disk === undefined || large === undefined) return t.skip(noMount);
    const reason = /^DATA_DIR: the disk of \S+ has no free inodes; delete files there/;
    await rejects(join(disk.path, 'data'), reason);
    await openAndRelease(join(large.path, 'data'));
    useInodes(large.path);
    await rejects(join(large.path, 'data'), reason);
  });

  it('names the full disk of a stored database, whose log can say nothing any more', async (t) => {
    await using directory = await makeTemporaryDirectory();
    using disk = mountSmallDisk(directory.pathOf('disk'), 'size=120m');
    if (disk === undefined) return t.skip(noMount);
    await openAndRelease(join(disk.path, 'data'));
    disk.fill();
    await rejects(join(disk.path, 'data'), /^DATA_DIR: the disk of \S+ is full/);
  });

  it('starts again as soon as there is space, where the server ended on a full disk', async (t) => {
    await using directory = await makeTemporaryDirectory();
    using disk = mountSmallDisk(directory.pathOf('disk'), 'size=120m');
    if (disk === undefined) return t.skip(noMount);
    const dataDir = disk.pathOf('data');
    const lines: string[] = [];
    const server = await openEmbedded({ dataDir, log: (line) => void lines.push(line) });
    disk.fill();
    process.kill(findPostmaster(join(dataDir, 'postgres')) ?? 0, 'SIGKILL');
    const failure = /DATA_DIR: the disk of \S+ is full/;
    await until(async () => lines.find((line) => failure.test(line)), 'the log names the disk');
    await rm(disk.pathOf('filling'));
    await until(async () => (await canConnect(server.connection)) || undefined, 'the server runs again');
    await server.release();
  });

  it('starts where /dev/shm is full', async (t) => {
    const script = `
      import { openEmbedded } from ${JSON.stringify(import.meta.resolve('../../../../src/database/embedded/embedded.ts'))};
      const server = await openEmbedded({ dataDir: process.argv[1], log: () => {} });
      await server.release();
      console.log('it ran');`;
    const command =
      'mount -t tmpfs -o size=4k tmpfs /dev/shm && dd if=/dev/zero of=/dev/shm/full bs=4k 2>/dev/null; "$@"';
    const dataDir = await mkdtemp('/tmp/plaudit-shm-');
    const args = ['-c', command, 'sh', process.execPath, '--input-type=module', '-e', script, dataDir];
    const environment = { ...process.env, TMPDIR: '/tmp' };
    const { stdout, stderr, status } = spawnSync('unshare', ['-m', 'sh', ...args], { env: environment });
    await rm(dataDir, { recursive: true });
    if (!isRoot || /unshare|permi|denied/.test(String(stderr))) return t.skip(noMount);
    assert.deepEqual([String(stdout), status], ['it ran\n', 0], String(stderr));
  });
});

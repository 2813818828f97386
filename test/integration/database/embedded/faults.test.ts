import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../../simulators/git/temporary-directory.ts';
import { openEmbedded } from '../../../../src/database/embedded/embedded.ts';
import { explainOutput } from '../../../../src/database/embedded/failure.ts';

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
    const disk = directory.pathOf('disk');
    await mkdir(disk);
    if (!mountSmallDisk(disk)) {
      t.skip('mounting is not permitted here');
      return;
    }
    try {
      await rejects(join(disk, 'data'), /the disk of .* is full; free some space/);
      assert.deepEqual(await readdir(join(disk, 'data')), []);
    } finally {
      spawnSync('umount', [disk]);
    }
  });
});

/** Mounts a small disk where the operating system permits it. @returns false where it does not. */
function mountSmallDisk(directory: string): boolean {
  return isRoot && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', directory]).status === 0;
}

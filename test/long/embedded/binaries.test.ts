import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { chmod, cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { v4 as uuidv4 } from 'uuid';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { findBinaries } from '../../../src/database/embedded/binaries.ts';
import { chooseServerUser } from '../../../src/database/embedded/server-user.ts';

const skip = process.geteuid?.() !== 0 && 'only root runs the server as another user';

describe('the packaged PostgreSQL', { skip }, () => {
  it('is copied for the user of the server when it was installed for its owner alone', async () => {
    await using directory = await makeTemporaryDirectory();
    const user = await chooseServerUser(directory.path, directory.pathOf('none'));
    const root = directory.pathOf('package');
    const installed = await findBinaries({ ...user, isOther: false }, directory.path);
    await cp(dirname(dirname(dirname(installed.postgres))), root, { recursive: true, verbatimSymlinks: true });
    const description = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    // A version of its own has a copy of its own.
    const version = `${description.version}-${uuidv4()}`;
    await writeFile(join(root, 'package.json'), JSON.stringify({ ...description, version }));
    await chmod(directory.path, 0o755);
    await closeToOthers(root);

    const { postgres } = await findBinaries(user, directory.path, root);
    const copy = dirname(dirname(dirname(postgres)));
    try {
      assert.notEqual(copy, root);
      const { uid, gid } = user;
      const { stdout } = await promisify(execFile)(postgres, ['--version'], { uid, gid });
      assert.match(stdout, /^postgres \(PostgreSQL\)/);
    } finally {
      await rm(copy, { recursive: true });
    }
  });
});

describe('the start of the service on a platform without packaged programs', () => {
  it('fails with an error that names DATABASE_URL', async () => {
    await using directory = await makeTemporaryDirectory();
    const pretend = "data:text/javascript,Object.defineProperty(process, 'arch', { value: 'mips' })";
    const { status, stderr } = spawnSync(process.execPath, ['--import', pretend, 'bin/plaudit.js', 'serve'], {
      env: { DATA_DIR: directory.pathOf('data') },
      encoding: 'utf8',
    });
    assert.equal(status, 1);
    assert.match(
      stderr,
      /^plaudit: No PostgreSQL is packaged for linux-mips.*set DATABASE_URL to a PostgreSQL 15 or later\n$/,
    );
  });
});

/** Removes the rights of others, as an installation under umask 077 does. */
async function closeToOthers(root: string): Promise<void> {
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    await chmod(path, (await stat(path)).mode & 0o700);
  }
}

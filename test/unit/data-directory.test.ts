import assert from 'node:assert/strict';
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { prepareDataDirectory } from '../../src/database/embedded/data-directory.ts';

const isRoot = process.geteuid?.() === 0;
const toMode = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);

/** Returns the paths below a directory that other users may read, write or enter. */
function openPaths(directory: string): string[] {
  return ['.', ...(readdirSync(directory, { recursive: true }) as string[])].filter((path) => {
    const stats = lstatSync(join(directory, path));
    return !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0;
  });
}

describe('preparation of DATA_DIR', () => {
  it('creates it for its user alone', async () => {
    await using directory = await makeTemporaryDirectory();
    prepareDataDirectory(directory.pathOf('a/data'));
    assert.deepEqual(
      [toMode(directory.pathOf('a/data')), toMode(directory.pathOf('a/data/histories'))],
      ['700', '700'],
    );
  });

  it('makes it private with all histories when it was open to other users', async () => {
    await using directory = await makeTemporaryDirectory();
    const data = directory.pathOf('data');
    const outside = directory.pathOf('outside');
    mkdirSync(join(data, 'histories/7.git/objects'), { recursive: true });
    writeFileSync(outside, '');
    writeFileSync(join(data, 'histories/7.git/config'), '');
    writeFileSync(join(data, 'histories/7.git/objects/pack'), '');
    symlinkSync(outside, join(data, 'histories/7.git/link'));
    for (const path of ['', 'histories', 'histories/7.git', 'histories/7.git/objects']) {
      chmodSync(join(data, path), 0o755);
    }
    for (const path of ['histories/7.git/config', 'histories/7.git/objects/pack']) chmodSync(join(data, path), 0o644);
    chmodSync(outside, 0o644);
    prepareDataDirectory(data);
    assert.deepEqual(openPaths(data), []);
    assert.deepEqual(
      ['', 'histories/7.git/objects', 'histories/7.git/config'].map((path) => toMode(join(data, path))),
      ['700', '700', '600'],
    );
    assert.equal(toMode(outside), '644');
  });

  it('refuses it in one line when another user owns it, or all users share it', async (t) => {
    await using directory = await makeTemporaryDirectory();
    mkdirSync(directory.pathOf('shared'));
    chmodSync(directory.pathOf('shared'), 0o1777);
    assert.throws(
      () => prepareDataDirectory(directory.pathOf('shared')),
      /^AppError: DATA_DIR: .*shared is shared by all users/,
    );
    assert.equal(toMode(directory.pathOf('shared')), '777');
    if (!isRoot) {
      t.skip('changing owners needs root');
      return;
    }
    mkdirSync(directory.pathOf('theirs/histories'), { recursive: true });
    chownSync(directory.pathOf('theirs/histories'), 65534, 65534);
    const refused = /^AppError: DATA_DIR: \S+ belongs to user \d+; run this as that user, or name another directory$/;
    assert.throws(() => prepareDataDirectory(directory.pathOf('theirs')), refused);
    chmodSync(directory.path, 0o755);
    mkdirSync(directory.pathOf('roots/histories'), { recursive: true });
    process.seteuid?.(65534);
    try {
      assert.throws(() => prepareDataDirectory(directory.pathOf('roots')), refused);
    } finally {
      process.seteuid?.(0);
    }
  });
});

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';

const cwd = fileURLToPath(new URL('../../', import.meta.url));
const script = join(cwd, 'scripts/release-files.ts');
const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
const run = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { cwd, encoding: 'utf8' });

describe('files of a release', () => {
  it('are made for the tag of the version alone', () => {
    assert.equal(run('check', `v${manifest.version}`).status, 0);
    for (const tag of ['v0.0.1', manifest.version, 'latest']) {
      const { status, stderr } = run('check', tag);
      assert.equal(status, 1);
      assert.match(stderr, new RegExp(`the tag is ${tag}`));
    }
    assert.equal(run('pin', 'folder', 'plaudit:latest').status, 2);
  });

  it('name the image by its digest, list the packages, and have checksums', async () => {
    await using directory = await makeTemporaryDirectory();
    const folder = directory.pathOf('release');
    assert.equal(run('write', folder).status, 0);
    assert.equal(run('pin', folder, `ghcr.io/owner/plaudit@${digest}`).status, 0);
    const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
    const compose = parse(read('compose.yaml')) as { services: { plaudit: Record<string, unknown> } };
    assert.equal(compose.services.plaudit['image'], `ghcr.io/owner/plaudit@${digest}`);
    assert.ok(!('build' in compose.services.plaudit));
    const archive = `plaudit-${manifest.version}-deploy.tar.gz`;
    execFileSync('tar', ['-xzf', join(folder, archive), '-C', directory.path]);
    const base = parse(readFileSync(join(directory.path, 'deploy/kubernetes/kustomization.yaml'), 'utf8')) as object;
    assert.deepEqual('images' in base && base.images, [{ name: 'plaudit', newName: 'ghcr.io/owner/plaudit', digest }]);
    const { components } = JSON.parse(read(`plaudit-${manifest.version}.cdx.json`)) as {
      components: { group?: string; name: string }[];
    };
    const names = new Set(components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`)));
    assert.deepEqual(
      Object.keys(manifest.dependencies).filter((name) => !names.has(name)),
      [],
    );
    assert.ok(!names.has('@biomejs/biome'));
    const sums = read('SHA256SUMS')
      .trim()
      .split('\n')
      .map((line) => line.split('  '));
    assert.deepEqual(
      sums.map(([, file = '']) => file).toSorted(),
      readdirSync(folder)
        .filter((file) => file !== 'SHA256SUMS')
        .toSorted(),
    );
    for (const [sum, file = ''] of sums)
      assert.equal(
        createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex'),
        sum,
        file,
      );
    assert.match(read('NOTES.md'), /^## 1\./);
  });
});

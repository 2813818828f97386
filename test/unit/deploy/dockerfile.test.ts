import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import manifest from '../../../package.json' with { type: 'json' };
import { dockerfile, read } from './files.ts';

const instructions = dockerfile();
const texts = (name: string): string[] =>
  instructions.filter((instruction) => instruction.name === name).map(({ text }) => text);
/** The instructions of the last stage, which becomes the image. */
const image = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));

/** Returns the files that the service loads, beginning with its program: imported modules, and files beside them. */
function loadedFiles(): Set<string> {
  const loaded = new Set<string>();
  const visit = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    if (!/\.[jt]s$/.test(file)) return;
    const code = readFileSync(file, 'utf8');
    const named = code.matchAll(
      /(?:from|import)\s*\(?\s*'(\.[^']+)'|new URL\(\s*['`](\.[^'`]+)['`],\s*import\.meta\.url/g,
    );
    for (const [, imported, beside = imported] of named) {
      const path = relative('.', join(dirname(file), beside ?? ''));
      if (existsSync(path)) visit(path);
    }
  };
  for (const file of ['bin/plaudit.js', 'src/main.ts']) visit(file);
  return loaded;
}

describe('the container image', () => {
  it('contains every file that the service loads', () => {
    const copied = image
      .filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from'))
      .flatMap(({ text }) => text.split(' ').slice(0, -1));
    const files = [...loadedFiles()];
    assert.ok(files.length > 300 && files.includes('package.json') && files.includes('sample/sample.ndjson.gz'));
    // The stage before makes `dist` of `src`.
    const isCopied = (file: string): boolean =>
      ['src', ...copied].some((path) => file === path || file.startsWith(`${path}/`));
    assert.deepEqual(
      files.filter((file) => !isCopied(file)),
      [],
    );
  });

  it('gets nothing but these files, so that no secret or history can be in it', () => {
    const [all, ...allowed] = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const copied = texts('COPY')
      .filter((text) => !text.startsWith('--from'))
      .flatMap((text) => text.split(' ').slice(0, -1));
    assert.equal(all, '*');
    assert.deepEqual(new Set(allowed), new Set(copied.map((path) => `!${path}`)));
    for (const path of copied) assert.ok(existsSync(path), path);
  });

  it('leaves out no package that the service installs', () => {
    const removed = [
      ...texts('RUN')
        .join('\n')
        .matchAll(/node_modules\/(\S+)/g),
    ].map(([, name = '']) => name);
    const needed = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies };
    assert.ok(removed.length > 0);
    assert.deepEqual(
      removed.filter((name) => name in needed),
      [],
    );
  });

  it('is based on the major version of Node that the service needs, never on the latest', () => {
    const needed = /\d+/.exec(manifest.engines.node)?.[0];
    const bases = texts('FROM').map((text) => text.split(' ')[0] ?? '');
    assert.deepEqual([...new Set(bases)], [`node:${needed}-trixie-slim`]);
  });

  it('runs as a numbered user without rights', () => {
    const users = image.filter(({ name }) => name === 'USER').map(({ text }) => text);
    assert.deepEqual(users, ['1000:1000']);
    assert.equal(
      image.findLastIndex(({ name }) => name === 'RUN') < image.findIndex(({ name }) => name === 'USER'),
      true,
    );
  });

  it('reports its health, starts without a shell, and leaves no package lists', () => {
    assert.match(image.find(({ name }) => name === 'HEALTHCHECK')?.text ?? '', /CMD \[.*\/healthz/);
    for (const name of ['ENTRYPOINT', 'CMD']) {
      assert.ok(Array.isArray(JSON.parse(image.find((instruction) => instruction.name === name)?.text ?? '')), name);
    }
    for (const text of texts('RUN').filter((text) => text.includes('apt-get install'))) {
      assert.match(
        text,
        /apt-get update && apt-get install --yes --no-install-recommends .*rm -rf .*\/var\/lib\/apt\/lists/,
      );
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { problemsOfLock } from '../../../scripts/lock-rules.ts';

const manifest = { allowScripts: { '@a/native': true } };
const integrity = 'sha512-AAAA';

describe('check of the lock file', () => {
  it('accepts packages with a hash, links into the project, and install scripts that the manifest names', () => {
    const packages = {
      '': { name: 'plaudit' },
      'test/servers': { name: '@a/servers' },
      'node_modules/@a/servers': { resolved: 'test/servers', link: true },
      'node_modules/plain': { integrity, resolved: 'https://registry.npmjs.org/plain/-/plain-1.0.0.tgz' },
      'node_modules/alias': { name: '@a/native', integrity, hasInstallScript: true },
    };
    assert.deepEqual(problemsOfLock({ packages }, manifest), []);
  });

  it('accepts a program for development on another platform without a hash, because npm may find none', () => {
    const forOtherPlatform = { dev: true, optional: true, os: ['darwin'], cpu: ['arm64'] };
    const musl = { dev: true, optional: true, os: ['linux'], cpu: ['x64'], libc: ['musl'] };
    const packages = {
      'node_modules/darwin': forOtherPlatform,
      'node_modules/musl': musl,
      'node_modules/served': { ...forOtherPlatform, dev: false },
      'node_modules/linux': { ...forOtherPlatform, os: 'linux', cpu: 'x64' },
    };
    assert.deepEqual(problemsOfLock({ packages }, manifest), [
      'node_modules/served has no sha512 hash',
      'node_modules/linux has no sha512 hash',
    ]);
  });

  it('rejects a package without a hash, with an old hash, from elsewhere, or with another install script', () => {
    const packages = {
      'node_modules/bare': {},
      'node_modules/old': { integrity: 'sha1-AAAA' },
      'node_modules/x/node_modules/git': { integrity, resolved: 'git+ssh://git@github.com/a/git.git#1' },
      'node_modules/node': { integrity, hasInstallScript: true },
    };
    assert.deepEqual(problemsOfLock({ packages }, manifest), [
      'node_modules/bare has no sha512 hash',
      'node_modules/old has no sha512 hash',
      'node_modules/x/node_modules/git comes from git+ssh://git@github.com/a/git.git#1',
      'node_modules/node has an install script that allowScripts in package.json does not name',
    ]);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isRelease } from '../last-release.ts';

describe('release with which the upgrade test compares', () => {
  it('is none before 1.0, and no pre-release', () => {
    const versions = ['0.3.0', '0.10.0', '1.0.0-rc.1', '1.0.0', '1.2.13', '12.0.0', '2.0.0-beta', '1.0'];
    assert.deepEqual(versions.filter(isRelease), ['1.0.0', '1.2.13', '12.0.0']);
  });
});

import { describe, it } from 'node:test';

/** Tests for `runner.test.ts`, of which only the last one runs. */

describe('suites that do not run', { skip: 'it needs another machine' }, () => {
  it('has a test', () => {});
});
describe('suites that run', () => {
  it('has a test that does not run', { skip: 'it takes too long' }, () => {});
  it('has a test that runs', { skip: false }, () => {});
});

import { describe, it } from 'node:test';

/** Tests and suites for `runner.test.ts`, which do not run. */

describe('suites that do not run', { skip: 'it needs another machine' }, () => {
  it('has a test', () => {});
});
describe('suites that run', () => {
  it('has a test that does not run', { skip: 'it takes too long' }, () => {});
  it('has a test without a reason', { skip: true }, () => {});
  it('has a test that runs', { skip: false }, () => {});
});

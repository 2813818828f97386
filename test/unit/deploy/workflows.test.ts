import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkWorkflow } from '../../../scripts/workflow-rules.ts';

const sound = (change: (text: string) => string = (text) => text): string =>
  change(`
on: { push: { branches: [main] } }
permissions: { contents: read }
jobs:
  tests:
    runs-on: ubuntu-24.04
    timeout-minutes: 10
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1
      - run: .ci/run
`);

describe('rules of workflows', () => {
  it('permit pinned actions, a limit in time and the right to read', () => {
    assert.deepEqual(checkWorkflow(sound()), []);
  });

  for (const [name, change, problem] of [
    ['an action by its tag', (text: string) => text.replace(/@[0-9a-f]+/, '@v7'), /pinned/],
    ['an action by a short id', (text: string) => text.replace(/@[0-9a-f]+/, '@3d3c42e5'), /pinned/],
    [
      'the right to write in all jobs',
      (text: string) => text.replace('contents: read', 'contents: write'),
      /permissions/,
    ],
    ['rights by default', (text: string) => text.replace(/^permissions.*\n/m, ''), /permissions/],
    ['secrets for changes of strangers', (text: string) => text.replace('push:', 'pull_request_target:'), /strangers/],
    ['a job without a limit in time', (text: string) => text.replace(/ +timeout.*\n/, ''), /timeout-minutes/],
  ] as const) {
    it(`refuse ${name}`, () => {
      const problems = checkWorkflow(sound(change));
      assert.equal(problems.length, 1);
      assert.match(problems.join(), problem);
    });
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTarget } from '../../src/commands/target.ts';

test('a command is about an account, one below another, or a repository', () => {
  assert.deepEqual(readTarget('github/ada'), { provider: 'github', name: 'ada', repository: undefined });
  assert.deepEqual(readTarget('gitlab/engines%2Flooms'), {
    provider: 'gitlab',
    name: 'engines/looms',
    repository: undefined,
  });
  assert.deepEqual(readTarget('gitlab/engines%2flooms/punch.cards'), {
    provider: 'gitlab',
    name: 'engines/looms',
    repository: 'punch.cards',
  });
  for (const target of [undefined, '', 'github', 'github/', '/ada', 'github/ada/', 'a/b/c/d', 'gitlab/%zz']) {
    assert.equal(readTarget(target), undefined, target);
  }
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readRepositoryTarget, readTarget } from '../../../src/app/commands/target.ts';

describe('targets of commands', () => {
  it('reads an account, a subgroup, or a repository as a target', () => {
    assert.deepEqual(readTarget('github/ada'), { provider: 'github', name: 'ada', repository: undefined });
    for (const target of ['gitlab/engines:looms', 'gitlab/engines%2Flooms', 'gitlab/engines%3Alooms'])
      assert.deepEqual(readTarget(target), { provider: 'gitlab', name: 'engines/looms', repository: undefined });
    assert.equal(readTarget('gitlab/a:b:c/punch.cards')?.name, 'a/b/c');
    assert.deepEqual(readTarget('gitlab/engines%2flooms/punch.cards'), {
      provider: 'gitlab',
      name: 'engines/looms',
      repository: 'punch.cards',
    });
    for (const target of [undefined, '', 'github', 'github/', '/ada', 'github/ada/', 'a/b/c/d', 'gitlab/%zz']) {
      assert.equal(readTarget(target), undefined, target);
    }
  });

  it('reads a repository with its host, and uses GitHub without one', () => {
    assert.equal(read('gitea/acme/handbook'), 'gitea acme handbook');
    assert.equal(read('gitlab/engines/looms/punch.cards'), 'gitlab engines/looms punch.cards');
    assert.equal(read('gitlab/engines%2Flooms/punch.cards'), 'gitlab engines/looms punch.cards');
    assert.equal(read('gitlab/engines:looms/punch.cards'), 'gitlab engines/looms punch.cards');
    assert.equal(read('torvalds/linux'), 'github torvalds linux');
    for (const target of [
      '',
      'linux',
      '/linux',
      'torvalds/',
      'gitea//handbook',
      '/acme/handbook',
      'gitea/%zz/handbook',
    ]) {
      assert.equal(read(target), undefined, target);
    }
  });
});

function read(target: string): string | undefined {
  const found = readRepositoryTarget(target);
  return found && `${found.provider} ${found.name} ${found.repository}`;
}

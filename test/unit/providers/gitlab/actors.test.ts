import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toActor } from '../../../../src/providers/gitlab/actors.ts';

const user = { id: 7, username: 'ada', name: 'Ada', avatar_url: null };

describe('recognition of deleted accounts of GitLab', () => {
  it('recognizes the ghost of deleted accounts, also when a name of it is unreadable', () => {
    for (const username of ['ghost', 'ghost1', 'g\ufffdhost']) {
      assert.equal(toActor({ ...user, username, name: 'Ghost User' }), null);
    }
    assert.equal(toActor({ ...user, username: 'ghost', name: 'G\ufffdhost User' }), null);
  });

  it('returns people whose name or user name resembles the ghost', () => {
    assert.equal(toActor({ ...user, username: 'ghost', name: 'Gwen Host' })?.name, 'ghost');
    assert.equal(toActor({ ...user, username: 'writer', name: 'Ghost User' })?.name, 'writer');
  });
});

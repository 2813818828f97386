import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readBoardsFile } from '../../../src/recognition/boards/file/read-file.ts';
import { followsPeople } from '../../../src/recognition/boards/ranking/rank-board.ts';

function follows(rule: object): boolean {
  const fields = { name: 'Board', slug: 'board', repositories: ['acme/app'], points: [{ points: 1, ...rule }] };
  const file = JSON.stringify({ version: 1, boards: [{ board: fields }] });
  const {
    boards: [board],
    reports,
  } = readBoardsFile(Buffer.from(file), { provider: 'github' });
  assert.ok(board, JSON.stringify(reports));
  return followsPeople(board);
}

describe('followsPeople', () => {
  it('is false for a board with a condition about other people', () => {
    assert.equal(follows({ action: 'commit' }), true);
    assert.equal(follows({ action: 'issue', condition: "labels in ['bug'] & (closed = true | comments > 2)" }), true);
    assert.equal(follows({ action: 'pull_request', condition: 'first = true & merged = true' }), true);
    assert.equal(follows({ action: 'pull_request', condition: "count(actor in ['ada']) > 2" }), true);
    for (const rule of [
      { action: 'pull_request', condition: 'first_in_organization = true' },
      { actor: 'reviewer', action: 'pull_request', condition: 'merged = true & first = true' },
      { action: 'issue', condition: "closed = true | reactors in ['ada']" },
      { action: 'issue', condition: "count(reactors in ['ada']) >= 3" },
    ])
      assert.equal(follows(rule), false, rule.condition);
  });
});

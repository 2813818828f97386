import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toState } from '../../../../src/hosts/gitlab/items.ts';
import type { NotePayload } from '../../../../src/hosts/gitlab/payloads.ts';

/** Returns notes of people about one merge request: `1 approved` is by the person 1, and `"` begins a comment. */
function listNotes(...texts: readonly string[]): NotePayload[] {
  return texts.map((text, index) => {
    const body = text.slice(2).replaceAll('"', '');
    return {
      id: index + 1,
      body,
      author: { id: Number(text[0]), username: `person-${text[0]}`, name: '', avatar_url: null },
      system: !text.includes('"'),
      created_at: '2026-01-01T00:00:00Z',
      updated_at: null,
    };
  });
}

const approved = 'approved this merge request';
const withdrawn = 'unapproved this merge request';

function listStates(...texts: readonly string[]): (string | null)[] {
  const notes = listNotes(...texts);
  return notes.map((note) => toState(note, notes));
}

describe('states of reviews at GitLab', () => {
  it('are dismissed where the same person takes the approval back', () => {
    assert.deepEqual(listStates(`1 ${approved}`, `1 ${withdrawn}`), ['dismissed', null]);
    assert.deepEqual(listStates(`1 ${approved}`, `2 ${withdrawn}`), ['approved', null]);
    assert.deepEqual(listStates(`1 ${approved}`, `1 "${withdrawn}"`), ['approved', null]);
  });

  it('belong to each of several approvals', () => {
    assert.deepEqual(listStates(`1 ${approved}`, `1 ${withdrawn}`, `1 ${approved}`), ['dismissed', null, 'approved']);
    assert.deepEqual(listStates(`1 ${approved}`, `1 ${approved}`, `1 ${withdrawn}`), ['approved', 'dismissed', null]);
    assert.deepEqual(listStates('1 requested changes', `1 ${withdrawn}`), ['changes_requested', null]);
  });
});

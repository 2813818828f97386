import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listProblems } from '../../../scripts/commit-rules.ts';

const body = 'Inserts waited up to 1.1 s for a listing that locked the row.';

describe('the rules for commit messages', () => {
  it('accept a conventional subject with a body', () => {
    for (const subject of [
      'fix(sync): use FOR NO KEY UPDATE so that listing does not block inserts',
      'feat(http)!: remove the second version',
      'build: add p-queue',
      `docs: ${'x'.repeat(94)}`,
    ]) {
      assert.deepEqual(listProblems(`${subject}\n\n${body}\n`), [], subject);
    }
  });

  it('reject a subject without a type, with an unknown one, with a capital letter, or of more than 100 characters', () => {
    for (const subject of [
      'use a lock',
      'wip: use a lock',
      'fix(Sync): use a lock',
      'fix: Use a lock',
      'fix:use a lock',
    ]) {
      assert.match(listProblems(`${subject}\n\n${body}`).join(), /^begin the subject with type\(scope\)/, subject);
    }
    assert.deepEqual(listProblems(`docs: ${'x'.repeat(95)}\n\n${body}`), [
      'shorten the subject from 101 to at most 100 characters',
    ]);
  });

  it('reject a message without a body, or with names of people alone', () => {
    const missing = 'say in a body why the change is made';
    for (const rest of [
      '',
      '\n\n',
      '\n\nSigned-off-by: Ada <ada@example.org>\nCo-authored-by: Bob <bob@example.org>',
    ]) {
      assert.deepEqual(listProblems(`fix: use a lock${rest}`), [missing], rest);
    }
    assert.deepEqual(listProblems(`fix: use a lock\n${body}\n${body}`), ['leave the second line empty']);
  });

  it('reject the words that the glossary replaces, except in code and quotations', () => {
    assert.deepEqual(listProblems(`fix: ask again\n\n${body}`), ['“ask”: request, fetch, look up']);
    assert.deepEqual(listProblems(`fix: fetch again\n\nNobody told the host. ${body}`).length, 2);
    assert.deepEqual(listProblems(`fix: fetch again\n\nRenames \`ask\` and "nobody". ${body}`), []);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileWith, reported } from './reported.ts';

const faulty = "{ actor: author, action: commit, condition: 'creatd_at > 2026-01-01' }";

/** Returns the faults of an achievement with these lines and a faulty condition, without the one of the condition. */
function besides(lines: string[]): string[] {
  const faults = reported(fileWith(faulty, lines.map((line) => `      ${line}\n`).join('')));
  const others = faults.filter((fault) => !fault.includes('creatd_at'));
  assert.equal(others.length, faults.length - 1, faults.join('\n'));
  return others.map((fault) => fault.split(';')[0] ?? '');
}

describe('faults of an achievement beside another one', () => {
  it('include those of its date, its icon and its type, with their places', () => {
    assert.deepEqual(besides(['type: once', 'metadata: { date: 2026-02-30 }', 'icon: no image']), [
      '6:25 error: that month has 28 days, there is no day 30',
      '7:13 warning: no image is not an image, and the achievement has none',
    ]);
    // A description that is a list is an error of the shape, after which no part of the achievement can be used.
    const shape = 'description: [a]';
    const ofShape = (lines: string[]): string[] =>
      besides([...lines, shape]).filter((fault) => !fault.includes('description'));
    assert.deepEqual(ofShape(['type: once', 'metadata: { date: 2026-02-30 }', 'icon: no image']), [
      '6:25 error: that month has 28 days, there is no day 30',
      '7:13 warning: no image is not an image, and the achievement has none',
    ]);
    assert.deepEqual(ofShape(['type: once']), ['5:13 error: the date of the evaluation is missing']);
    assert.deepEqual(ofShape(['metadata: { date: 2026-02-03 }']), [
      '5:25 warning: this date has no effect: the achievement can be earned at any time',
    ]);
    assert.deepEqual(ofShape(['type: onse', 'metadata: { date: 2026-02-30 }']), [
      '5:13 error: type cannot be onse',
      '6:25 error: that month has 28 days, there is no day 30',
    ]);
    assert.deepEqual(ofShape(['type: onse']), ['5:13 error: type cannot be onse']);
    assert.deepEqual(ofShape(['type: once', 'metadata: { date: [] }']), ['6:25 error: date has a list']);
  });

  it('include those of a condition whose actor does not fit its action', () => {
    const pair = faulty.replace('author', 'reviewer');
    assert.deepEqual(
      reported(fileWith(pair)).map((fault) => fault.split(';')[0]),
      ['6:47 error: reviewers has no commit', '6:67 error: creatd_at is not a field of commit'],
    );
  });
});

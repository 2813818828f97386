import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { checkCondition, type Surroundings } from '../../../../src/recognition/rules/conditions/check.ts';
import { parseCondition } from '../../../../src/recognition/rules/conditions/parser.ts';
import { actions } from '../../../../src/recognition/rules/conditions/vocabulary.ts';
import { anyCharacter } from '../../../any-character.ts';
import { isThorough } from '../../../depth.ts';
import { printCondition } from './print.ts';
import { randomCondition } from './random-condition.ts';

/** Returns a value without its places in the text. */
function withoutSpans(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => (key === 'start' || key === 'end' ? undefined : inner)),
  );
}

function printed(text: string): string {
  const { condition, fault } = parseCondition(text);
  return condition === undefined ? fault.message : printCondition(condition);
}

describe('the parser of conditions', () => {
  it('parses a printed condition to the same condition', () => {
    fc.assert(
      fc.property(randomCondition, (condition) => {
        const text = printCondition(condition);
        fc.pre(text.length <= 2000);
        const again = parseCondition(text);
        assert.ok(again.condition, `${text}: ${again.fault?.message}`);
        assert.deepEqual(withoutSpans(again.condition), withoutSpans(condition));
      }),
      { numRuns: isThorough ? 3000 : 200 },
    );
  });

  it('ignores white space between any two pieces', () => {
    const spaces = fc.constantFrom('', ' ', '\n', '\r\n\t ', '\u00a0');
    const pieces = [
      'count',
      '(',
      'merged',
      '=',
      'true',
      '&',
      'labels',
      ' in ',
      '!',
      '{',
      "'good first issue'",
      ',',
      'bug',
      '}',
      ')',
      '>=',
      '5',
      '|',
      '(',
      'created_at',
      '<=',
      '2024-01-19',
      ' ',
      '20:00',
      ')',
    ];
    fc.assert(
      fc.property(fc.array(spaces, { minLength: pieces.length, maxLength: pieces.length }), (between) => {
        const text = pieces.map((piece, index) => `${between[index]}${piece}`).join('');
        assert.equal(
          printed(text),
          "count(merged = true & labels in !{'good first issue', bug}) >= 5 | created_at <= 2024-01-19 20:00",
        );
      }),
    );
  });

  it('binds "&" tighter than "|", and keeps parentheses where they matter', () => {
    const cases: [string, string][] = [
      ['a = 1 | b = 2 & c = 3', 'a = 1 | b = 2 & c = 3'],
      ['(a = 1 | b = 2) & c = 3', '(a = 1 | b = 2) & c = 3'],
      ['a = 1 | (b = 2 & c = 3)', 'a = 1 | b = 2 & c = 3'],
      ['(((a = 1)))', 'a = 1'],
      ['(a = 1 & b = 2) & c = 3', '(a = 1 & b = 2) & c = 3'],
      ['rank(1) & sum(commits, prs) & merged = true', 'rank(1) sum(commits, prs) & merged = true'],
      ['COUNT () >= 4', 'count() >= 4'],
      [`reactors in ["o'neil", 'a "b" c']`, `reactors in ["o'neil", 'a "b" c']`],
    ];
    for (const [text, expected] of cases) assert.equal(printed(text), expected);
  });

  it('returns a condition or errors for any text, with the faults inside the text', () => {
    const words = "count age sum rank labels in merged true 5 99999999999 01-19-2024 2024-13-45 08:00 AND 'bug' 👍";
    const symbols = '( ) [ ] { } ! = == >= < & && | , \' " ‘ \n \0 \ud800';
    const pieces = fc.constantFrom(...words.split(' '), ...symbols.split(' '));
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(' ')),
    );
    const surroundings: fc.Arbitrary<Surroundings> = fc.record({
      action: fc.constantFrom(...actions),
      pointActions: fc.constantFrom([], ['prs', 'commits']),
      isPointAction: fc.boolean(),
    });
    fc.assert(
      fc.property(text, surroundings, (text, surroundings) => {
        const { condition, faults } = checkCondition(text, surroundings);
        const errors = faults.filter(({ severity }) => severity === 'error');
        assert.equal(condition === undefined, errors.length > 0);
        for (const { start, end, message } of faults) {
          assert.ok(0 <= start && start <= end && end <= text.length, `${start} to ${end} of ${text.length}`);
          assert.ok(message.length > 0);
        }
      }),
      { numRuns: isThorough ? 5000 : 200 },
    );
  });

  it('rejects long and deeply nested conditions', () => {
    const surroundings: Surroundings = { action: 'issue', pointActions: [], isPointAction: false };
    const toFault = (text: string): string => checkCondition(text, surroundings).faults[0]?.message ?? '';
    assert.equal(toFault(`${'('.repeat(20)}comments = 1${')'.repeat(20)}`), '');
    assert.match(toFault(`${'('.repeat(21)}comments = 1${')'.repeat(21)}`), /too many parentheses/);
    assert.match(toFault('('.repeat(2000)), /too many parentheses/);
    assert.match(toFault(`count(${'('.repeat(20)}comments = 1${')'.repeat(21)} > 1`), /too many parentheses/);
    const longest = `labels in ['${'x'.repeat(1986)}']`;
    assert.equal(longest.length, 2000);
    assert.equal(toFault(longest), '');
    assert.match(toFault(`${longest} `), /has 2001 characters/);
    assert.match(toFault("'".repeat(2_000_000)), /has 2000000 characters/);
  });
});

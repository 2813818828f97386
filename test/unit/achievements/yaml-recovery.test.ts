import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readText, reported } from './reported.ts';

const star = '{ actor: author, action: star, condition: starred = true }';

/** Returns a part that begins after some spaces. */
function part(name: string, spaces: number): string {
  return `${' '.repeat(spaces)}- achievement:\n      name: ${name}\n      triggers: [ { trigger: ${star} } ]\n`;
}

describe('recovery of an achievements file that is no YAML in places', () => {
  it('leaves out a part with wrong indentation, and reads the others', () => {
    const wrong = part('Wrong', 2).replace('      triggers', '        triggers');
    const file = `achievements:\n${part('One', 2)}${wrong}${part('Two', 2)}`;
    assert.deepEqual(
      readText(file).config.achievements.map(({ name }) => name),
      ['One', 'Two'],
    );
    assert.match(
      reported(file)[0] ?? '',
      /^6:\d+ error: the next line is indented further than this one, which has a value already; expected the same number/,
    );
    assert.equal(reported(file).length, 1);
  });

  it('reports parts that begin further in or out than most, with the number of spaces, and reads the others', () => {
    const fault = (line: number, found: string, usual: string): string =>
      `${line} error: this achievement begins after ${found}, and others of the list after ${Number.parseInt(usual, 10)}; ` +
      `expected ${usual} before "- achievement:", and its keys deeper than that`;
    for (const [columns, names, faults] of [
      [
        [2, 2, 2, 4, 4],
        ['0', '1', '2'],
        [fault(11, '4 spaces', '2 spaces'), fault(14, '4 spaces', '2 spaces')],
      ],
      [[0, 0, 1], ['0', '1'], [fault(8, '1 space', '0 spaces')]],
      [[4, 2, 2], ['1', '2'], [fault(2, '4 spaces', '2 spaces')]],
    ] as [number[], string[], string[]][]) {
      const file = `achievements:\n${columns.map((spaces, index) => part(String(index), spaces)).join('')}`;
      assert.deepEqual(
        readText(file).config.achievements.map(({ name }) => name),
        names,
      );
      assert.deepEqual(
        reported(file).map((report) => report.replace(/^(\d+):\d+/, '$1')),
        faults,
      );
    }
  });

  it('leaves out few parts of a large file, because each time it is parsed whole', () => {
    const broken = part('Wrong', 2).replace('      triggers', '        triggers');
    const large = `#${'x'.repeat(200_000)}\n`;
    const read = (start: string, count: number): number =>
      readText(`${start}achievements:\n${broken.repeat(count)}${part('One', 2)}`).config.achievements.length;
    assert.deepEqual([read('', 10), read(large, 3), read(large, 10)], [1, 1, 0]);
  });

  it('names a part that begins in the middle of a line', () => {
    const expected = ['error: a new part of a list begins in the middle of a line; expected a line of its own for it'];
    const ofLines = part('Two', 2).replace(/triggers: .*/, 'icon: hero.png');
    for (const two of [part('Two', 2), ofLines]) {
      const file = `achievements:\n${part('One', 2)}${two.trimEnd()}  ${part('Three', 0)}`;
      assert.deepEqual(
        reported(file).map((report) => report.replace(/^\d+:\d+ /, '')),
        expected,
      );
    }
  });

  it('reports thousands of misplaced parts in linear time', () => {
    const file = `achievements:\n${Array.from({ length: 4000 }, (_, index) => `${' '.repeat(index % 2)}- achievement:\n`).join('')}`;
    assert.ok(reported(file).length > 0);
  });

  it('reports a value with deeper lines below it once, at its place', () => {
    assert.deepEqual(reported('achievements: none yet\n  - x\n  name: a\n    icon: b\n      triggers: c\n'), [
      '1:15 error: the next line is indented further than this one, which has a value already; ' +
        'expected the same number of spaces before both, or nothing behind the colon',
    ]);
  });

  it('reports faults of a part that stands without achievement together with that', () => {
    assert.deepEqual(reported('achievements:\n  - name: Bare\n    trigger: { type: star }\n'), [
      '2:5 error: name stands without achievement; expected "achievement:" in the line before, and its keys indented below it',
      '3:5 error: trigger is not a key of achievement, and has no effect; expected name, icon, description, type, metadata or triggers; did you mean triggers?',
    ]);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readConfigFile } from '../../../src/recognition/achievements/config-file.ts';
import { formatReport } from '../../../src/recognition/rules/file/report.ts';
import { maxFileBytes } from '../../../src/recognition/rules/file/yaml-tree.ts';
import { isThorough } from '../../depth.ts';
import { corpusFile, fileWith, readText, reported } from './reported.ts';

const star = '{ actor: author, action: star, condition: starred = true }';

/**
 * The size of a hostile file, and the share of the largest one that it is: a tenth has more faults than are reported. A
 * thorough run takes the largest.
 */
const share = isThorough ? 1 : 0.1;
const size = Math.floor(share * maxFileBytes);

const full = (unit: string): string => unit.repeat(Math.floor(size / Buffer.byteLength(unit)));
const numbered = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');
const many = (count: number): number => Math.ceil(share * count);
const hostile: Record<string, string> = {
  'a line of one letter': `achievements: ${'x'.repeat(size - 14)}`,
  'a list of commas': full(','),
  brackets: full('['),
  braces: full('{'),
  dashes: full('- '),
  'question marks': full('? '),
  colons: full(': '),
  quotes: full("'"),
  'double quotes': full('"'),
  escapes: `achievements: "${'\\n'.repeat(100_000)}"`,
  tabs: full('\t'),
  documents: full('---\n'),
  directives: full('%a\n'),
  tags: full('!a '),
  'anchors on anchors': full('&a '),
  aliases: `a: &a [1]\nachievements:\n${'- *a\n'.repeat(many(40_000))}`,
  'aliases of aliases': `a0: &a0 [x]\n${numbered(many(4000), (index) => `a${index + 1}: &a${index + 1} [${`*a${index}, `.repeat(5)}]`)}\nachievements: *a${many(4000)}`,
  'merges of merges': `a0: &a0 {k0: 1}\n${numbered(many(3000), (index) => `a${index + 1}: &a${index + 1} {<<: *a${index}, k${index + 1}: 1}`)}`,
  'one key many times': full('a: 1\n'),
  'many keys': numbered(many(20_000), (index) => `key${index}: 1`),
  'deep indentation': numbered(700, (index) => `${' '.repeat(index)}a:`),
  'deep lists': `achievements:\n${numbered(700, (index) => `${' '.repeat(index)}-`)}`,
  'achievements without end': `achievements:\n${`  - achievement: { name: a, triggers: [ { trigger: ${star} } ] }\n`.repeat(many(2500))}`,
  'triggers without end': fileWith(star) + `        - trigger: ${star}\n`.repeat(many(3000)),
  'a condition without end': fileWith(`{ actor: author, action: star, condition: "${'('.repeat(many(250_000))}" }`),
  'conditions of two thousand brackets': `achievements:\n${`  - achievement: { name: a, triggers: [ { trigger: { actor: author, action: star, condition: "${'('.repeat(2000)}" } } ] }\n`.repeat(many(120))}`,
  'parts with a bracket too much': `achievements:\n${'  - achievement: { name: a }\n    triggers: ]\n'.repeat(many(6000))}`,
  'conditions of many wrong fields': fileWith(
    `{ actor: author, action: star, condition: "${'stared = true & '.repeat(110)}starred = true" }`,
  ),
  'line breaks': full('\n'),
  'carriage returns': full('\r'),
};

const achievement = (index: number): string =>
  `  - achievement: { name: A${index}, triggers: [ { trigger: ${star} } ] }`;

describe('hostile achievements files', () => {
  it('rejects text that is not YAML, and reports the place', () => {
    const cases: [string, string][] = [
      ['achievements:\n\t- achievement: {}\n', '2:1 error: a tab indents this line; expected spaces'],
      ['a: b: c\n', '1:4 error: a second ": " in one line; expected quotes around a text that has ": " inside'],
      [
        'achievements:\n  - achievement:\n      name: a\n     type: once\n',
        '4:1 error: this line is not indented like its neighbours',
      ],
      [
        'achievements: [ {',
        '1:18 error: something that was opened before is not closed; expected a closing quote, bracket or brace, or a comma',
      ],
      [
        'name: "open\n',
        '2:1 error: something that was opened before is not closed; expected a closing quote, bracket or brace, or a comma',
      ],
      [
        'achievements: *nobody\n',
        '1:15 error: *nobody stands for nothing; expected &nobody before it, or quotes around a text that begins with *',
      ],
      ['achievements: []\0', '1:17 error: the character U+0000 cannot stand in YAML; expected text in UTF-8'],
      ['achievements: []\u001b[31m', '1:17 error: the character U+001B cannot stand in YAML; expected text in UTF-8'],
      [
        'achievements: []\n---\nachievements: []\n',
        '2:1 error: a second document begins here; expected one document a file',
      ],
      [
        'achievements: []\nachievements: []\n',
        '2:1 error: the key achievements is here twice, and this one has no effect; expected each key once, with all its contents below it',
      ],
      [
        'achievements: []\nAchievements: []\n',
        '2:1 error: the key achievements is here twice, and this one has no effect; expected each key once, with all its contents below it',
      ],
      ['achievements: []\n? [a]\n: b\n', '2:3 error: this key is not a word; expected a word, then a colon'],
      [
        'achievements: &a [ *a ]\n',
        '1:20 error: *a stands for a value that contains it; expected an anchor that is complete',
      ],
    ];
    for (const [file, expected] of cases) {
      assert.ok(reported(file)[0]?.startsWith(expected), `${JSON.stringify(file)}: ${reported(file)[0]}`);
    }
    assert.match(reported(Buffer.from([0x61, 0xff, 0x0a]))[0] ?? '', /^1:2 error: these bytes are not UTF-8/);
    assert.match(reported(Buffer.from('\ufeffachievements: []\n', 'utf16le'))[0] ?? '', /not UTF-8|U\+0000/);
    assert.deepEqual(reported(`\ufeff${fileWith(star)}`), []);
  });

  it('names a control character that an escape writes, at its part, and keeps the other parts', () => {
    for (const [escape, code] of [
      [String.raw`\0`, 'U+0000'],
      [String.raw`\u0000`, 'U+0000'],
      [String.raw`\a`, 'U+0007'],
      [String.raw`\x7f`, 'U+007F'],
      [String.raw`\ud800`, 'U+D800'],
    ] as const) {
      const condition = `{ actor: author, action: issue, condition: "labels in ['a${escape}b']" }`;
      const fault = `contains the character ${code}; expected text of visible characters`;
      assert.deepEqual(reported(fileWith(condition)), [`6:63 error: condition ${fault}`]);
      assert.deepEqual(reported(fileWith(star, `      description: "a${escape}"\n`)), [
        `5:20 error: description ${fault}`,
      ]);
    }
    assert.deepEqual(reported(fileWith(star, '      description: "a\\tb\\nc"\n')), []);
  });

  it('follows anchors, aliases and merge keys', () => {
    const file = `achievements:
  - achievement: &first
      name: First
      icon: &icon https://example.org/a.png
      triggers: &triggers
        - trigger: &trigger { actor: author, action: star, condition: starred = true }
  - achievement: { name: Second, icon: *icon, triggers: *triggers }
  - achievement: { <<: *first, name: Third }
  - achievement: { name: Fourth, triggers: [ { trigger: { <<: [*trigger], action: commit, condition: count() >= 1 } } ] }
  - achievement: { name: Fifth, triggers: [ { trigger: { <<: text } } ] }
`;
    const { config } = readText(file);
    assert.deepEqual(
      config.achievements.map(({ name, icon, triggers }) => `${name} ${icon} ${triggers[0]?.[0]?.action}`),
      [
        'First https://example.org/a.png star',
        'Second https://example.org/a.png star',
        'Third https://example.org/a.png star',
        'Fourth  commit',
      ],
    );
    assert.ok(reported(file).includes('10:62 error: << is followed by something else; expected an alias of a mapping'));
  });

  for (const [title, file] of Object.entries(hostile)) {
    it(`limits the number and length of reports on a hostile file: ${title}`, () => {
      const { config, reports, text } = readText(file.slice(0, maxFileBytes));
      assert.ok(reports.some(({ severity }) => severity === 'error'));
      assert.ok(reports.length <= 201, `${reports.length} reports`);
      assert.ok(config.achievements.length <= 200);
      for (const report of reports) assert.ok(formatReport('f', text, report).length < 2000);
    });
  }

  it('reads the largest allowed file, and rejects a larger one', () => {
    const largest = `${fileWith(star)}#`.padEnd(maxFileBytes, '#');
    assert.deepEqual(reported(largest), []);
    assert.deepEqual(reported(`${largest}#`), [
      `1:1 error: the file has ${maxFileBytes + 1} bytes; expected at most ${maxFileBytes}`,
    ]);
  });

  it('reads two hundred achievements, and reports a longer list', () => {
    const file = `achievements:\n${numbered(201, achievement)}\n`;
    assert.equal(readText(file).config.achievements.length, 200);
    assert.deepEqual(reported(file), ['202:5 error: the list achievements has 201 parts; expected at most 200']);
  });

  it('refuses aliases that make a file many times longer, once', () => {
    const long = `a: &a ${'x'.repeat(50_000)}\nachievements:\n`;
    const part = '  - achievement: { name: *a }\n';
    const aliased = (text: string): string[] => reported(text).filter((report) => report.includes('aliases make'));
    assert.deepEqual(aliased(long + part.repeat(12)), [
      '12:26 error: aliases make the file too long; expected at most 524288 characters with aliases written out',
    ]);
    assert.deepEqual(aliased(long + part.repeat(9)), []);
  });

  it('reads a file without an exception after any cut or insertion', () => {
    const files = ['VauntDev__example', 'daytonaio__content', 'VauntDev__tqla'].map((name) => corpusFile(name));
    const pieces = fc.constantFrom(
      '\0',
      '\t',
      '\r',
      '- ',
      ': ',
      '"',
      "'",
      '&a ',
      '*a',
      '<<: ',
      '{',
      ']',
      '|\n',
      '#',
      '\n\n',
      '\ud83d',
      '0',
      '!',
      '%',
      '? ',
    );
    const edit = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      length: fc.nat({ max: 40 }),
      piece: pieces,
    });
    fc.assert(
      fc.property(fc.constantFrom(...files), fc.array(edit, { minLength: 1, maxLength: 5 }), (file, edits) => {
        let text = file.toString();
        for (const { at, length, piece } of edits) {
          const start = Math.floor(at * text.length);
          text = text.slice(0, start) + piece + text.slice(start + length);
        }
        const { reports, text: read } = readConfigFile(Buffer.from(text));
        for (const report of reports) assert.ok(formatReport('f', read, report).includes(report.severity));
      }),
      { numRuns: isThorough ? 1000 : 60 },
    );
  });
});

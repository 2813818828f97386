import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfigFile } from '../../../src/recognition/achievements/config-file.ts';
import { readBoardsFile } from '../../../src/recognition/boards/file/read-file.ts';
import { describeReport } from '../../../src/recognition/rules/file/report.ts';
import { fileWith } from './reported.ts';

const achievement = (text: string): string => `achievements:\n${text}`;
const good = '  - achievement:\n      name: A\n      description: B\n';

function messages(text: string): string[] {
  return readConfigFile(new TextEncoder().encode(text)).reports.map(describeReport);
}

describe('faults in lines with characters that their author does not see', () => {
  for (const [title, character, name] of [
    ['a no-break space', '\u00a0', 'U+00A0, a no-break space'],
    ['a zero-width space', '\u200b', 'U+200B, a zero-width space'],
    ['a byte order mark', '\ufeff', 'U+FEFF, a byte order mark'],
    ['a quotation mark', '\u201c', 'U+201C'],
    ['a wide colon', '\uff1a', 'U+FF1A'],
    ['a wide space', '\u3000', 'U+3000, a wide space'],
    ['a mark of direction', '\u200e', 'U+200E'],
  ] as const) {
    it(`name ${title} in a key`, () => {
      const found = messages(achievement(good.replace('description', `${character}description`)));
      assert.ok(
        found.some((message) => message.includes(`has ${name})`)),
        found.join('\n'),
      );
    });
  }

  it('name a no-break space in the indentation and after a colon', () => {
    for (const broken of [
      good.replace('      description', '\u00a0\u00a0    description'),
      good.replace('name: A', 'name:\u00a0A'),
      good.replace('  - ', '  -\u00a0'),
    ]) {
      const found = messages(achievement(broken));
      assert.ok(
        found.some((message) => message.includes('U+00A0, a no-break space')),
        found.join('\n'),
      );
    }
  });

  it('name it in a file of boards', () => {
    const text = 'boards:\n  - board:\n      \u00a0name: Sprint\n';
    const found = readBoardsFile(Buffer.from(text), { provider: 'github' }).reports.map(describeReport);
    assert.ok(
      found.some((message) => message.includes('U+00A0')),
      found.join('\n'),
    );
  });

  it('say nothing about a text that has such a character without a fault', () => {
    assert.deepEqual(
      messages(fileWith('{ actor: author, action: star, condition: starred = true }', '      description: A\u00a0B\n')),
      [],
    );
  });
});

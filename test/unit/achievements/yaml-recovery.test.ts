import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readText, reported } from './reported.ts';

const star = '{ actor: author, action: star, condition: starred = true }';

describe('recovery of an achievements file that is no YAML in places', () => {
  it('leaves out a part with wrong indentation, and reads the others', () => {
    const part = (name: string, indentation = '  '): string =>
      `${indentation}- achievement:\n      name: ${name}\n      triggers: [ { trigger: ${star} } ]\n`;
    for (const wrong of [part('Wrong', ' '), part('Wrong').replace('      triggers', '        triggers')]) {
      const file = `achievements:\n${part('One')}${wrong}${part('Two')}`;
      assert.deepEqual(
        readText(file).config.achievements.map(({ name }) => name),
        ['One', 'Two'],
      );
      assert.match(reported(file)[0] ?? '', /^[56]:\d+ error: this line is not indented like its neighbours/);
      assert.equal(reported(file).length, 1);
    }
  });
});

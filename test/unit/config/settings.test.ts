import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commands, formatUsage } from '../../../src/app/commands/index.ts';
import { settings } from '../../../src/app/config/settings.ts';

describe('the table of settings', () => {
  it('has each name once, and describes every setting in a sentence', () => {
    const names = settings.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    for (const { name, description } of settings) assert.match(description, /^[A-Z].*\.$/, name);
  });

  it('is listed by plaudit serve --help, with the files of secrets', () => {
    const help = formatUsage('serve', commands['serve'] ?? assert.fail());
    for (const { name, isSecret, description } of settings) {
      const line = help.split('\n').find((line) => line.trim().startsWith(`${name} `)) ?? assert.fail(name);
      assert.ok(line.includes(description.replaceAll('`', '')), line);
      assert.equal(line.includes(`${name}_FILE`), isSecret, line);
    }
    assert.match(help, /TOKEN_TTL_S .*\(default: 3600; 60 to 86400\)$/m);
    assert.match(help, /WORKERS .*\(default: cores, up to 4; 1 to 16\)$/m);
  });

  it('has bounds that are those of the accepted values', () => {
    const bounded = settings.filter(({ range }) => range !== undefined);
    assert.ok(bounded.length > 8);
    for (const setting of bounded) {
      const { name, range } = setting;
      assert.ok(range !== undefined && range.max > range.min, name);
      for (const value of [range.min, range.max]) setting.parse(String(value));
      assert.throws(
        () => setting.parse(String(range.max + 1)),
        new RegExp(`${name} must be .*${range.min} to ${range.max}`),
      );
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commands, misuse, unknownCommand } from '../../../src/app/commands/index.ts';

describe('report of a misused command', () => {
  it('names the closest command or option, and the number of arguments', () => {
    for (const [args, message] of [
      [['serv'], /no command serv; did you mean serve\?/],
      [['serve', 'a', 'b'], /serve takes no argument; 2 were given/],
      [['doctor', '--jsn'], /doctor has no option --jsn; did you mean --json\?/],
      [['export', '--force', 'a'], /export has no option --force; it takes none/],
      [['achievements', 'check', '--explian', 'a'], /achievements has no option --explian; did you mean --explain\?/],
      [['boards', 'preview', '--wrong', 'a'], /boards has no option --wrong; it has --host, --json/],
      [['import-awards', '--acount', 'github/ada', 'a'], /has no option --acount; did you mean --account\?/],
    ] as const) {
      const [name, ...rest] = args;
      const command = commands[name];
      assert.match(command === undefined ? unknownCommand(name) : (misuse(name, command, rest) ?? ''), message);
    }
  });
});

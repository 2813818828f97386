import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';

interface Ended {
  status: number;
  out: string;
  err: string;
}

/** Runs command lines one after another in one other process, whose output is theirs alone. */
function run(...commandLines: string[][]): Ended[] {
  const program = `
    import { main } from '${new URL('../../../src/main.ts', import.meta.url).href}';
    const ends = [];
    const { stdout, stderr } = process;
    const print = stdout.write.bind(stdout);
    for (const args of ${JSON.stringify(commandLines)}) {
      const end = { out: '', err: '' };
      stdout.write = (text) => { end.out += text; return true; };
      stderr.write = (text) => { end.err += text; return true; };
      ends.push({ status: await main(args), ...end });
    }
    print(JSON.stringify(ends));
    process.exit();`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  assert.equal(stderr, '');
  return JSON.parse(stdout) as Ended[];
}

describe('parsing of command lines', () => {
  const [unknownCommand, withoutArguments, misspelled, help, version, usage, nameless] = run(
    ['nonsense'],
    [],
    ['serve', '--hlp'],
    ['export', '--help'],
    ['--version'],
    ['--help'],
    ['sync', 'nobody'],
  );

  it('prints the usage for a wrong command, and exits with 2', () => {
    for (const ended of [unknownCommand, withoutArguments]) {
      assert.equal(ended?.status, 2);
      assert.match(ended.err, /^plaudit COMMAND/);
    }
    assert.deepEqual([misspelled?.status, misspelled?.out], [2, '']);
  });

  it('prints its help, that of one command, and its version', () => {
    assert.deepEqual([help?.status, help?.out.startsWith('  plaudit export FILE')], [0, true]);
    assert.match(version?.out ?? '', /^\d+\.\d+\.\d+\n$/);
    assert.match(usage?.out ?? '', /sync PROVIDER\/NAME/);
  });

  it('exits with 1 and one line where a command needs another argument', () => {
    assert.equal(nameless?.status, 1);
    assert.match(nameless.err, /^plaudit: sync needs PROVIDER\/NAME/);
  });
});

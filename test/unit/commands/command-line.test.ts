import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { hostKinds } from '../../../src/hosts/config/host-settings.ts';

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
    // Each command line adds its own listeners, of which a process has one set in production.
    for (const emitter of [process, stdout, stderr]) emitter.setMaxListeners(0);
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

/** Runs groups of command lines as `run` does: starting the process takes longer than all of them. */
function runGroups<Name extends string>(groups: Record<Name, string[][]>): Record<Name, Ended[]> {
  const ended = run(...Object.values<string[][]>(groups).flat());
  const take = ([name, { length }]: [string, string[][]]): [string, Ended[]] => [name, ended.splice(0, length)];
  return Object.fromEntries(Object.entries<string[][]>(groups).map(take)) as Record<Name, Ended[]>;
}

describe('parsing of command lines', () => {
  const misuses = [
    ['migrate', '--partitions'],
    ['migrate', '--partitions', 'many'],
    ['migrate', 'now'],
    ['achievements', 'chek', 'file'],
    ['boards', 'previw', 'file'],
    ['sync', 'nobody'],
    ['boards', 'check', '--host', 'nowhere', 'file'],
  ];
  const needy = [
    ['sync'],
    ['install'],
    ['uninstall'],
    ['achievements'],
    ['achievements', 'check'],
    ['achievements', 'preview'],
    ['boards'],
    ['boards', 'check'],
    ['boards', 'preview'],
    ['card'],
    ['completion'],
    ['backup'],
    ['restore'],
    ['export'],
    ['import'],
    ['import-awards'],
  ];
  const faulty = [
    ['restore', '/nonexistent/file'],
    ['import', '/nonexistent/file'],
    ['achievements', 'check', '/nonexistent/file'],
    ['boards', 'check', '/'],
  ];
  const { forms, misused, withoutArgument, failures } = runGroups({
    forms: [
      ['nonsense'],
      [],
      ['serve', '--wrong'],
      ['doctor', '--verbose'],
      ['export', '--help'],
      ['--version'],
      ['--help'],
    ],
    misused: misuses,
    withoutArgument: needy,
    failures: faulty,
  });
  const [unknownCommand, withoutArguments, misspelled, verbose, help, version, usage] = forms;

  it('prints one line for an unknown command, and the usage without a command, and exits with 2', () => {
    const message = 'there is no command nonsense; plaudit --help lists those that there are';
    assert.deepEqual(unknownCommand, { status: 2, out: '', err: `plaudit: ${message}\n` });
    assert.equal(withoutArguments?.status, 2);
    assert.match(withoutArguments.err, /^plaudit COMMAND/);
  });

  it('prints the form of the command and the reason for a wrong option, and exits with 2', () => {
    assert.deepEqual(misspelled, {
      status: 2,
      out: '',
      err: '  plaudit serve\n      runs the service, as npm start does\nplaudit: serve has no option --wrong; it takes none\n',
    });
    assert.deepEqual([verbose?.status, verbose?.out], [2, '']);
    assert.match(verbose?.err ?? '', /doctor has no option --verbose; it has --json/);
  });

  it('prints its help, that of one command, and its version', () => {
    assert.deepEqual([help?.status, help?.out.startsWith('  plaudit export FILE')], [0, true]);
    assert.match(version?.out ?? '', /^\d+\.\d+\.\d+(-[\w.]+)?\n$/);
    assert.match(usage?.out ?? '', /sync PROVIDER\/NAME/);
  });

  it('names the argument that is missing or wrong in one line, and exits with 2', () => {
    assert.deepEqual(
      misused.map(({ status, err }) => [status, err]),
      [
        'migrate takes --partitions N, with a number from 1 to 256, or --citus',
        'migrate takes --partitions N, with a number from 1 to 256, or --citus',
        'migrate takes --partitions N, with a number from 1 to 256, or --citus',
        'achievements needs check FILE..., or preview FILE PROVIDER/OWNER/REPOSITORY; did you mean check?',
        'boards needs check FILE..., or preview FILE PROVIDER/OWNER; did you mean preview?',
        'sync needs PROVIDER/NAME or PROVIDER/NAME/REPOSITORY, like github/torvalds',
        `nowhere is not a kind of host; those that are: ${hostKinds.join(', ')}`,
      ].map((message) => [2, `plaudit: ${message}\n`]),
    );
  });

  it('exits with 2 for every command whose argument is missing', () => {
    assert.deepEqual(
      withoutArgument.map(({ status, err }, index) => [needy[index]?.join(' '), status, err.split('\n').length]),
      needy.map((words) => [words.join(' '), 2, 2]),
    );
  });

  it('names the file at fault in one line, and exits with 1', () => {
    assert.deepEqual(
      failures.map(({ status, err }) => [status, err]),
      [
        '/nonexistent/file: there is no such file or directory',
        '/nonexistent/file: there is no such file or directory',
        '/nonexistent/file: there is no such file or directory',
        '/: this is a directory',
      ].map((message) => [1, `plaudit: ${message}\n`]),
    );
  });
});

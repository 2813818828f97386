import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import type { Io } from '../../../src/app/commands/io.ts';
import { achievements } from '../../../src/app/commands/rule-files.ts';
import { hostKinds, hostKindsInWords } from '../../../src/hosts/config/host-settings.ts';
import { AppError } from '../../../src/model/errors.ts';
import { program, programEnvironment } from '../../program.ts';
import { fileWith } from '../achievements/reported.ts';

const faultless = fileWith('{ actor: author, action: star, condition: starred = true }');
const faulty = fileWith('{ actor: author, action: star, condition: stared = true }');

interface Outcome {
  code: number | null;
  out: string;
  err: string;
}

/** Runs the command as `main` does, in this process. */
async function check(args: string[], input = ''): Promise<Outcome> {
  let [out, err] = ['', ''];
  const io: Io = {
    environment: {},
    input: Readable.from([Buffer.from(input)]),
    print: (line) => void (out += `${line}\n`),
    warn: () => assert.fail(),
    isTerminal: false,
    signal: AbortSignal.timeout(60_000),
  };
  let code = 0;
  await achievements(io, ['check', ...args]).catch((error: unknown) => {
    assert.ok(error instanceof AppError);
    [code, err] = [1, `plaudit: ${error.message}\n`];
  });
  return { code, out, err };
}

/** Runs the program with the faulty file as its standard input, and without any setting. */
async function checkAsPerson(): Promise<Outcome> {
  const { NODE_COMPILE_CACHE } = programEnvironment();
  const options = { stdio: 'pipe', env: { NODE_COMPILE_CACHE } } as const;
  const child = spawn(process.execPath, [program, 'achievements', 'check', '-'], options);
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  child.stdin.on('error', () => {});
  child.stdin.end(faulty);
  const [code] = await once(child, 'close');
  return { code: code as number | null, out, err };
}

describe('plaudit achievements check', () => {
  it('exits with 0 for a file without a fault, and with 1 for an error, marked under its line', async () => {
    await using directory = await makeTemporaryDirectory();
    await writeFile(directory.pathOf('whole.yaml'), faultless);
    await writeFile(directory.pathOf('faulty.yaml'), faulty);
    assert.deepEqual(await check([directory.pathOf('whole.yaml')]), {
      code: 0,
      out: `${directory.pathOf('whole.yaml')}: 1 achievement, no fault\n`,
      err: '',
    });
    const { code, out, err } = await check([directory.pathOf('faulty.yaml'), directory.pathOf('whole.yaml')]);
    assert.equal(code, 1);
    assert.equal(err, 'plaudit: 1 error and 0 warnings\n');
    assert.deepEqual(out.split('\n'), [
      `${directory.pathOf('faulty.yaml')}:6:62: error: stared is not a field of star; expected starred, created_at or actor; did you mean starred?`,
      '          - trigger: { actor: author, action: star, condition: stared = true }',
      `  ${' '.repeat(61)}${'^'.repeat(6)}`,
      `${directory.pathOf('whole.yaml')}: 1 achievement, no fault`,
      '',
    ]);
  });

  it('reads standard input, and exits with 1, as a program without any setting', async () => {
    const ran = await checkAsPerson();
    assert.deepEqual(ran, await check(['-'], faulty));
    assert.deepEqual([ran.code, ran.err], [1, 'plaudit: 1 error and 0 warnings\n']);
  });

  it('reads standard input up to the size limit, and prints JSON for programs', async () => {
    const { code, out } = await check(['-', '--json'], faulty);
    assert.equal(code, 1);
    assert.deepEqual(JSON.parse(out), [
      {
        file: '-',
        severity: 'error',
        line: 6,
        column: 62,
        endLine: 6,
        endColumn: 68,
        message: 'stared is not a field of star',
        expected: 'starred, created_at or actor',
        suggestion: 'starred',
      },
    ]);
    assert.equal((await check(['--json', '-'], faultless)).out, '[]\n');
    assert.match((await check(['-'], '#'.repeat(1_000_000))).out, /the file has 262145 bytes; expected at most 262144/);
  });

  it('reports an unreadable file or a wrong argument in one line', async () => {
    for (const [args, expected] of [
      [[], /achievements check needs FILE\.\.\./],
      [
        ['--host', 'sourceforge', '/'],
        new RegExp(`sourceforge is not a kind of host; those that are: ${hostKinds.join(', ')}`),
      ],
      [['a.yaml', '--host'], new RegExp(`--host ${hostKindsInWords}`)],
      [['/nonexistent.yaml'], /^plaudit: \/nonexistent\.yaml: there is no such file or directory\n$/],
      [['/'], /^plaudit: \/: this is a directory\n$/],
    ] as [string[], RegExp][]) {
      const { code, err } = await check(args);
      assert.equal(code, 1);
      assert.match(err, expected);
    }
  });

  it('warns of data that the host does not report, at its place, without changing the exit status', async () => {
    await using directory = await makeTemporaryDirectory();
    const warnings = async (trigger: string, host: string): Promise<string[]> => {
      await writeFile(directory.pathOf('file.yaml'), fileWith(trigger));
      const { code, out } = await check([directory.pathOf('file.yaml'), '--host', host]);
      assert.equal(code, 0);
      const lines = out.split('\n').filter((line) => line.includes(' warning: '));
      return lines.map((line) => line.replace(/^.*file\.yaml:/, ''));
    };
    const star = '{ actor: author, action: star, condition: starred = true }';
    assert.deepEqual(await warnings(star, 'gitea'), [
      '6:45: warning: Gitea and Forgejo do not report the times of stars: this trigger never holds there',
    ]);
    assert.deepEqual(await warnings(star, 'gitlab'), []);
    const [limited, ...more] = await warnings(star, 'github');
    assert.match(
      limited ?? '',
      /^6:45: warning: GitHub shows who starred .* count only the stars that a webhook reports$/,
    );
    assert.deepEqual(more, []);
    const closed =
      '{ actor: resolved_by, action: issue, condition: "count(reason = COMPLETED) >= 1 & labels in [bug]" }';
    for (const [host, name] of [
      ['forgejo', 'Gitea and Forgejo do'],
      ['gitlab', 'GitLab does'],
    ] as const) {
      assert.deepEqual(await warnings(closed, host), [
        `6:75: warning: ${name} not report why an issue was closed: reason is not known there`,
      ]);
    }
    assert.deepEqual(await warnings(closed, 'github'), []);
    const talk = '{ actor: author, action: discussion, condition: "answered = true & upvotes > 3" }';
    for (const [host, count] of Object.entries({ gitea: 1, gitlab: 1, github: 0 })) {
      assert.equal((await warnings(talk, host)).length, count, host);
    }
    const large = '{ actor: author, action: pull_request, condition: "additions > 10 & commits > 1" }';
    assert.deepEqual(await warnings(large, 'gitea'), [
      '6:71: warning: Gitea up to 1.22 and older Forgejo do not report how large a pull request is',
      '6:88: warning: Gitea and Forgejo do not report how many commits a pull request has: commits is not known there',
    ]);
  });
});

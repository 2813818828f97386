import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { init } from '../../../src/app/commands/init/init.ts';
import { UsageError } from '../../../src/app/commands/io.ts';
import { achievements, boards } from '../../../src/app/commands/rule-files.ts';
import { hostKinds } from '../../../src/hosts/config/host-settings.ts';
import { isKnownFormat } from '../../../src/views/cards/images/encode.ts';
import { program, programEnvironment } from '../../program.ts';
import { runCommand } from '../../run-command.ts';

const run = promisify(execFile);
const git = (args: string[]): Promise<unknown> => run('git', args);

type Folder = Awaited<ReturnType<typeof makeTemporaryDirectory>>;

/** Makes a folder with a repository of git, and with a folder below it. */
async function makeRepository(origin?: string): Promise<Folder> {
  const folder = await makeTemporaryDirectory();
  await git(['init', '--quiet', folder.path]);
  if (origin !== undefined) await git(['-C', folder.path, 'remote', 'add', 'origin', origin]);
  await mkdir(folder.pathOf('deep/below'), { recursive: true });
  return folder;
}

/** Runs a command as `npm run` does when it was typed in a folder. */
const runIn = (folder: string, command: typeof init, ...args: string[]): Promise<string[]> =>
  runCommand(command, args, { INIT_CWD: folder });

async function listFiles(folder: Folder): Promise<string[]> {
  const files = await readdir(folder.path, { recursive: true, withFileTypes: true });
  const paths = files.flatMap((file) => (file.isFile() ? [`${file.parentPath}/${file.name}`] : []));
  return paths.map((path) => path.slice(folder.path.length + 1)).filter((path) => !path.startsWith('.git/'));
}

describe('plaudit init', () => {
  it('writes achievements and a board without a fault at any host', async () => {
    await using folder = await makeRepository('git@github.com:acme/tools.git');
    const below = folder.pathOf('deep/below');
    await runIn(below, init);
    for (const host of hostKinds) {
      assert.deepEqual(await runIn(below, achievements, 'check', '--host', host), [
        '../../.plaudit/config.yaml: 5 achievements, no fault',
      ]);
      assert.deepEqual(await runIn(below, boards, 'check', '--host', host), [
        '../../.plaudit/boards.yaml: 1 board, no fault',
      ]);
    }
    assert.match(await readFile(folder.pathOf('.plaudit/boards.yaml'), 'utf8'), /repositories: \["acme\/tools"\]/);
  });

  it('writes an icon for each achievement', async () => {
    await using folder = await makeRepository('git@github.com:acme/tools.git');
    await runIn(folder.path, init);
    const config = await readFile(folder.pathOf('.plaudit/config.yaml'), 'utf8');
    const icons = [...config.matchAll(/icon: (.*)/g)].map(([, path = '']) => path);
    assert.equal(icons.length, 5);
    for (const icon of icons) assert.ok(isKnownFormat(await readFile(folder.pathOf(icon))), icon);
  });

  it('changes nothing that exists, and names the files that it left', async () => {
    await using folder = await makeRepository('https://github.com/acme/tools');
    await mkdir(folder.pathOf('.vaunt'));
    await mkdir(folder.pathOf('.plaudit'));
    await writeFile(folder.pathOf('.vaunt/config.yaml'), 'old');
    await writeFile(folder.pathOf('.plaudit/boards.yml'), 'old');
    const lines = await runIn(folder.path, init);
    assert.ok(lines.includes('.vaunt/config.yaml exists, and stays as it is'), lines.join('\n'));
    assert.ok(lines.includes('.plaudit/boards.yml exists, and stays as it is'), lines.join('\n'));
    const files = await listFiles(folder);
    assert.deepEqual(files.filter((file) => /^\.(?:vaunt|plaudit)\//.test(file)).toSorted(), [
      '.plaudit/boards.yml',
      '.vaunt/config.yaml',
    ]);
    for (const file of ['.vaunt/config.yaml', '.plaudit/boards.yml']) {
      assert.equal(await readFile(folder.pathOf(file), 'utf8'), 'old');
    }
  });

  it('finds the repository by any remote, or takes its address, and names the missing argument', async () => {
    await using folder = await makeRepository();
    await assert.rejects(
      runIn(folder.path, init),
      (error) => error instanceof UsageError && /no remote/.test(error.message),
    );
    await git(['-C', folder.path, 'remote', 'add', 'backup', '/srv/backup.git']);
    await git(['-C', folder.path, 'remote', 'add', 'upstream', 'ssh://git@git.example.org:2222/acme/tools.git']);
    await assert.rejects(runIn(folder.path, init), /needs --host .* because git\.example\.org may run any of them/);
    assert.deepEqual(await listFiles(folder), []);
    const [found] = await runIn(folder.path, init, '--host', 'forgejo');
    assert.equal(found, 'acme/tools at git.example.org');
    await rm(folder.pathOf('.plaudit'), { recursive: true });
    const [given] = await runIn(folder.path, init, 'https://gitlab.example.org/group/below/tools.git');
    assert.equal(given, 'group/below/tools at gitlab.example.org');
    assert.match(await readFile(folder.pathOf('.plaudit/boards.yaml'), 'utf8'), /"group\/below\/tools"/);
    for (const wrong of [['acme'], ['--host', 'cvs'], ['https://github.com/a/b', 'c']]) {
      await assert.rejects(runIn(folder.path, init, ...wrong), UsageError);
    }
  });
});

describe('files of the present repository', () => {
  it('are checked by the program in the folder in which it runs, and a missing one is named', async () => {
    await using folder = await makeRepository('https://github.com/acme/tools');
    await runIn(folder.path, init);
    const runProgram = (...args: string[]): string => {
      const options = { cwd: folder.pathOf('deep'), env: programEnvironment(), encoding: 'utf8' } as const;
      const { stdout, stderr } = spawnSync(process.execPath, [program, ...args], options);
      return stdout + stderr;
    };
    assert.equal(runProgram('achievements', 'check'), '../.plaudit/config.yaml: 5 achievements, no fault\n');
    assert.equal(
      runProgram('boards', 'check', '../.plaudit/boards.yaml'),
      '../.plaudit/boards.yaml: 1 board, no fault\n',
    );
    await rm(folder.pathOf('.plaudit'), { recursive: true });
    assert.match(
      runProgram('boards', 'check'),
      /; there is no \.plaudit\/boards\.yaml in this folder or one above it\n$/,
    );
  });
});

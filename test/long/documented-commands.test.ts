import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { isThorough } from '../depth.ts';

const top = fileURLToPath(new URL('../../', import.meta.url));
const { PATH = '', HOME = '' } = process.env;
const environment = {
  PATH,
  HOME,
  PORT: '0',
  METRICS_PORT: '0',
  WORKERS: '1',
  GITHUB_URL: 'http://127.0.0.1:9',
  GITHUB_API_URL: 'http://127.0.0.1:9',
};

/** The lines of code blocks of the README, in their order. */
const commands = readFileSync(join(top, 'README.md'), 'utf8')
  .split('\n')
  .filter((line) => /^ {4,}[\w$]/.test(line))
  .map((line) => line.trim());

/** Commands that CI runs itself, and one that reads from another service. */
const testedElsewhere = ['npm ci && npm test', 'curl -s "https://api.vaunt.dev'];

/** Returns the block of YAML of a document that begins with a text. */
function toExample(document: string): string {
  const [, yaml = ''] = /```yaml\n(version: .*?)```/s.exec(readFileSync(join(top, document), 'utf8')) ?? [];
  return yaml;
}

/** Makes a folder that looks like a checkout with installed packages, and holds what a reader would have written. */
function prepare(folder: string): void {
  for (const name of ['bin', 'src', 'sample', 'docs', 'node_modules', 'package.json', 'action', 'client']) {
    symlinkSync(join(top, name), join(folder, name));
  }
  mkdirSync(join(folder, '.plaudit'));
  writeFileSync(join(folder, '.plaudit/config.yaml'), toExample('docs/achievements.md'));
  writeFileSync(join(folder, '.plaudit/boards.yaml'), toExample('docs/boards.md'));
  writeFileSync(join(folder, 'awards.json'), '{"meta_data": {"count": 0}, "data": []}');
}

/** Starts a service by a command, and ends it as soon as it listens. */
async function start(command: string, cwd: string): Promise<void> {
  const child: ChildProcess = spawn('sh', ['-c', `exec ${command}`], {
    cwd,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = once(child, 'exit');
  let output = '';
  for await (const chunk of child.stdout ?? []) {
    output += String(chunk);
    if (output.includes('Plaudit listens on')) break;
  }
  assert.match(output, /Plaudit listens on http/, command);
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
  await ended;
}

/** Commands of documents that this test does not run, by their beginnings, each with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'npm pack': 'does not pack the links of the folder; installed-package.test.ts runs it',
  'npx --package': 'fetches packages from a registry; installed-package.test.ts runs the packed package',
  'npx plaudit ': 'fetches a package that the reader has published',
  'curl ': 'requests a service; documented-requests.test.ts runs it',
  'DATABASE_URL=': 'is a setting in a file',
  'DATABASE_DIRECT_URL=': 'is a setting in a file',
  'docker ': 'needs Docker',
  'kubectl ': 'needs a cluster',
  'useradd ': 'changes the machine',
  'git clone ': "clones from the reader's own address",
  'cd /opt/plaudit': 'installs packages from a registry',
  'systemctl ': 'needs systemd',
  'systemd-run ': 'needs systemd',
  pg_basebackup: 'needs the client programs of PostgreSQL 18',
  'pg_dump ': 'needs the client programs of PostgreSQL 18',
  'npm run -s plaudit -- COMMAND': 'stands for the commands in the table',
  'plaudit COMMAND': 'stands for the commands in the table',
};

/** Programs with which a text in a line is a command. */
const programs = 'plaudit|npm|npx|node|git|curl|openssl|docker|kubectl|systemctl|pg_\\w+';
const inline = new RegExp(`\`((?:[A-Z_]+=\\S+ )*(?:${programs}) [^\`]+)\``, 'g');

/** Returns the commands of a document in their order: the lines of its indented blocks, and texts in its lines. */
function listCommands(document: string): string[] {
  const lines = readFileSync(join(top, document), 'utf8').replaceAll(/\\\n/g, ' ').split('\n');
  const found = lines.flatMap((line) => {
    if (/^ {4,}[\w$]/.test(line)) return [line.trim()];
    return /^ {4,}/.test(line) ? [] : [...line.matchAll(inline)].map(([, command = '']) => command);
  });
  return [...new Set(found)];
}

/** Returns the commands of the table in docs/commands.md, without optional arguments. */
function commandsOfTable(): string[] {
  const rows = readFileSync(join(top, 'docs/commands.md'), 'utf8').split('\n');
  return rows.flatMap((row) => {
    const [, cell = ''] = /^\| (`.*?`) \| /.exec(row) ?? [];
    return [...cell.matchAll(/`([^`]+)`/g)].map(([, command = '']) => `plaudit ${command.replace(/ ?\[.*\]/, '')}`);
  });
}

/** The arguments that a reader writes in place of those in the documents. */
const places: readonly (readonly [RegExp, string])[] = [
  [/\b(backup|restore) FILE/, '$1 monday.backup'],
  [/\b(export|import) FILE/, '$1 monday.ndjson.gz'],
  [/\bcard PATH FILE/, 'card /v1/github/entities/sample-ada/contributions card.svg'],
  [/\bplaudit init$/, 'plaudit init https://github.com/acme/tools'],
  [/\bcompletion SHELL/, 'completion bash'],
  [/github\/NAME FILE/, 'github/sample-ada awards.json'],
  [/github\/NAME/, 'github/sample-ada'],
  [/ghp_\.\.\./, 'ghp_0123456789'],
  [/_TOKEN=\.\.\./, '_TOKEN=0123456789'],
  [/https:\/\/(?:gitlab\.com|git\.example\.org)/, 'http://127.0.0.1:9'],
  [/^cat > (\S+).*/, 'echo ghp_0123456789 > $1'],
];

/** Commands that are named without their arguments. */
const needArguments = /^plaudit (?:install|uninstall|backup|restore|export|import|achievements \w+|boards \w+)$/;
/** Commands that fill a new database of this machine. */
const fillsNew = /(?<!ssh \S+ )plaudit (?:restore|import|sample)\b(?!-)/;
/** Commands that fail without a host, or report that there is none; one of them needs a clone from a host. */
const needsHost = /plaudit (?:doctor|sync|import-awards|github-app-url|card-workflow)\b/;

/** Makes a folder of programs: `plaudit`, and an `ssh` that runs its command on this machine, with data of its own. */
function makePrograms(folder: string): void {
  mkdirSync(folder);
  const scripts = {
    plaudit: `exec ${process.execPath} ${join(top, 'bin/plaudit.js')} "$@"`,
    ssh: 'shift; DATA_DIR=$(mktemp -d --tmpdir="$PWD") exec sh -c "$*"',
  };
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
}

/**
 * Runs a command as a reader does, with the files of the system in a folder.
 * @returns a sentence about its failure; undefined when it succeeded.
 */
function runAsReader(command: string, folder: string): string | undefined {
  const isNew = fillsNew.test(command);
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['--norc', '-euo', 'pipefail', '-c', command.replaceAll('/etc/', 'etc/')],
    {
      cwd: folder,
      env: {
        ...environment,
        PATH: `${join(folder, 'programs')}:${PATH}`,
        ...(isNew && { DATA_DIR: mkdtempSync(join(folder, 'new-')) }),
      },
      encoding: 'utf8',
    },
  );
  const isExpected = status === 0 || (status === 1 && needsHost.test(command));
  const isFine = isExpected && !/\n\s+at /.test(stderr);
  return isFine ? undefined : `${command}: ${status} ${stdout.slice(0, 300)}${stderr.slice(-1000)}`;
}

describe('the commands of the README', () => {
  const skip = !isThorough && 'it starts the service three times; npm run verify runs it';

  it('work as they are written', { skip }, async () => {
    await using directory = await makeTemporaryDirectory();
    prepare(directory.path);
    const ran: string[] = [];
    for (const command of commands) {
      if (testedElsewhere.some((beginning) => command.startsWith(beginning)) || command.startsWith('![')) continue;
      // The packages are installed.
      const run = command.replace('npm ci && ', '').replace('ghp_...', 'ghp_0123456789');
      if (/npm (?:start|run demo)$/.test(run)) await start(run.replace(/^(\w+=)/, 'env $1'), directory.path);
      else {
        const { status, stdout, stderr } = spawnSync('sh', ['-c', run.replace('github/NAME', 'github/sample-ada')], {
          cwd: directory.path,
          env: environment,
          encoding: 'utf8',
        });
        // The hosts cannot be reached here: doctor says so, and accounts that are not stored cannot be looked up.
        const isExpected = status === 0 || (status === 1 && /doctor|import-awards/.test(run));
        assert.ok(isExpected, `${run}: ${status} ${stdout}${stderr}`);
        assert.doesNotMatch(stderr, /\n\s+at /, run);
      }
      ran.push(run);
    }
    assert.ok(ran.length >= 5, ran.join('\n'));
  });
});

describe('the commands of docs/start.md, docs/commands.md and docs/operations.md', () => {
  const skip = !isThorough && 'it starts the service many times; npm run verify runs it';

  it('work as they are written', { skip }, async () => {
    await using directory = await makeTemporaryDirectory();
    const { path: folder } = directory;
    prepare(folder);
    makePrograms(join(folder, 'programs'));
    for (const name of ['README.md', 'CHANGELOG.md', 'LICENSE', 'deploy'])
      symlinkSync(join(top, name), join(folder, name));
    mkdirSync(join(folder, 'etc/systemd/system'), { recursive: true });
    // `card`, `backup` and `export` need data.
    execFileSync(join(folder, 'programs/plaudit'), ['sample'], { cwd: folder, env: environment, stdio: 'ignore' });
    const documented = ['docs/start.md', 'docs/operations.md', 'docs/commands.md'].flatMap(listCommands);
    const unused = new Set(Object.keys(exceptions));
    const ran: string[] = [];
    const failures: (string | undefined)[] = [];
    for (const written of new Set([...documented, ...commandsOfTable()])) {
      const exception = Object.keys(exceptions).find((beginning) => written.startsWith(beginning));
      if (exception !== undefined) {
        unused.delete(exception);
        continue;
      }
      const replaced = places.reduce((text, [from, to]) => text.replace(from, to), written).replace('npm ci && ', '');
      const command = needArguments.test(replaced) ? `${replaced} --help` : replaced;
      if (ran.includes(command)) continue;
      if (/(?:npm start|npm run demo|plaudit (?:serve|demo))$/.test(command)) {
        await start(command.replace(/^(\w+=)/, 'env $1').replace('plaudit', './programs/plaudit'), folder);
      } else failures.push(runAsReader(command, folder));
      ran.push(command);
    }
    assert.deepEqual(
      failures.filter((failure) => failure !== undefined),
      [],
    );
    const address = readFileSync(join(folder, 'secrets/database_url'), 'utf8');
    assert.match(address, /^postgresql:\/\/plaudit:[0-9a-f]{48}@postgres:5432\/plaudit$/m);
    assert.deepEqual([...unused], [], 'these exceptions are in no document any more');
    assert.ok(ran.length >= 30, ran.join('\n'));
  });
});

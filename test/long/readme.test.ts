import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
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
function exampleOf(document: string): string {
  const [, yaml = ''] = /```yaml\n(version: .*?)```/s.exec(readFileSync(join(top, document), 'utf8')) ?? [];
  return yaml;
}

/** Makes a folder that looks like a checkout with installed packages, and holds what a reader would have written. */
function prepare(folder: string): void {
  for (const name of ['bin', 'src', 'sample', 'docs', 'node_modules', 'package.json', 'action', 'client']) {
    symlinkSync(join(top, name), join(folder, name));
  }
  mkdirSync(join(folder, '.plaudit'));
  writeFileSync(join(folder, '.plaudit/config.yaml'), exampleOf('docs/achievements.md'));
  writeFileSync(join(folder, '.plaudit/boards.yaml'), exampleOf('docs/boards.md'));
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
    assert.ok(ran.length >= 7, ran.join('\n'));
  });
});

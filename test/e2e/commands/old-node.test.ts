import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { createTestDatabase } from '../../database.ts';
import { program, programEnvironment } from '../../program.ts';

/** Makes Node report the version of an older one; it does not affect the Node that the program starts. */
const pretend =
  "data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })";

/** Waits until a process has printed a text. @throws Error when it ends before. */
async function awaitOutput(child: ChildProcess, text: string): Promise<void> {
  let output = '';
  for await (const chunk of child.stdout ?? []) {
    output += String(chunk);
    if (output.includes(text)) return;
  }
  throw new Error(`it ended without ${text}: ${output}`);
}

describe('start of the command line on an old Node', () => {
  it('runs on the packaged Node with its arguments, exit status and signals', async () => {
    const run = (...args: string[]) =>
      spawnSync(process.execPath, ['--import', pretend, program, ...args], { encoding: 'utf8' });
    const { status, stdout } = run('--version');
    assert.equal(status, 0);
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
    assert.equal(run('nonsense').status, 2);
    await using created = await createTestDatabase();
    await using place = await makeTemporaryDirectory();
    const child = spawn(process.execPath, ['--import', pretend, program, 'serve'], {
      env: {
        ...programEnvironment(),
        PORT: '0',
        METRICS_PORT: '0',
        DATA_DIR: place.at('data'),
        DATABASE_URL: created.url,
        GITHUB_URL: 'http://127.0.0.1:9',
        GITHUB_API_URL: 'http://127.0.0.1:9',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    try {
      await awaitOutput(child, 'Plaudit listens on');
      child.kill('SIGTERM');
      assert.deepEqual(await ended, [0, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

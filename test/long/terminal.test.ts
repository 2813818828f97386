import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { startSimulator } from '../../simulators/github/simulator.ts';
import { program, programEnvironment } from '../program.ts';

describe('plaudit demo without a reader of its output', () => {
  it('stops, and deletes its data', async () => {
    await using directory = await makeTemporaryDirectory();
    const child = spawn(process.execPath, [program, 'demo'], {
      env: {
        ...programEnvironment(),
        PORT: '0',
        METRICS_PORT: '0',
        TMPDIR: directory.path,
        GITHUB_URL: 'http://127.0.0.1:9',
        GITHUB_API_URL: 'http://127.0.0.1:9',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    await once(child.stdout, 'data');
    child.stdout.destroy();
    assert.deepEqual(await ended, [0, null]);
    const left = readdirSync(directory.path).filter((name) => name.startsWith('plaudit-demo-'));
    assert.deepEqual(left, []);
  });
});

describe('output of plaudit serve on a terminal', () => {
  it('prints lines for people, and no JSON', async (t) => {
    if (process.platform !== 'linux' || spawnSync('script', ['--version']).status !== 0) {
      t.skip('needs the program script, which makes terminals');
      return;
    }
    await using directory = await makeTemporaryDirectory();
    await using simulator = await startSimulator();
    const command = `exec '${process.execPath}' '${program}' serve`;
    const child = spawn('script', ['-qefc', command, '/dev/null'], {
      env: {
        ...programEnvironment(),
        PORT: '0',
        METRICS_PORT: '0',
        DATA_DIR: directory.pathOf('data'),
        GITHUB_URL: simulator.url,
        GITHUB_API_URL: simulator.apiUrl,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      // The terminal turns this character into SIGINT.
      if (!out.includes('Try http') && `${out}${chunk.toString()}`.includes('Try http')) child.stdin.write('\u0003');
      out += chunk.toString();
    });
    assert.deepEqual((await ended)[0], 0);
    const lines = out
      .replaceAll('^C', '')
      .split(/[\r\n]+/)
      .filter((line) => line !== '');
    assert.match(lines[0] ?? '', /^\d\d:\d\d:\d\d preparing a new database$/);
    assert.ok(
      lines.some((line) => /^Plaudit listens on http:.* Try http:\/\/[^/]+\/ or http:/.test(line)),
      out,
    );
    assert.equal(lines.at(-1), 'Plaudit stopped.');
    assert.ok(!lines.some((line) => line.includes('{')), out);
  });
});

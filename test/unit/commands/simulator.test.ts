import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../simulators/github/main.ts', import.meta.url));

describe('the simulator as a program', () => {
  it('prints its help, and names a wrong option in one line', () => {
    const run = (...args: string[]): [number | null, string] => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
      return [status, stdout + stderr];
    };
    assert.deepEqual(run('--size', 'huge'), [2, 'simulator: --size is one of small, medium, large, busy\n']);
    const [status, help] = run('--help');
    assert.equal(status, 0);
    assert.match(help, /^npm run -s simulator -- \[--size SIZE\]/);
  });
});

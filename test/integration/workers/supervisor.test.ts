import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { Supervisor } from '../../../src/app/workers/supervisor.ts';

const restarts = { firstDelayMs: 1, mostDelayMs: 4, worksAfterMs: 60_000, maxFailures: 3 };

/** Starts a process that runs a script. */
function run(script: string): ChildProcess {
  return spawn(process.execPath, ['--eval', script], { stdio: ['ignore', 'pipe', 'ignore'] });
}

describe('supervisor of processes', () => {
  it('gives up when the processes of a place end again and again', async () => {
    const ends: string[] = [];
    const supervisor = new Supervisor({
      places: ['broken'],
      start: () => run('process.exit(3)'),
      onEnd: (name, end) => ends.push(`${name} ${end}`),
      restarts,
    });
    supervisor.begin();
    await assert.rejects(supervisor.givenUp, /ended 3 times in a row, lastly with status 3/);
    assert.deepEqual(
      ends,
      Array.from({ length: 3 }, () => 'broken with status 3'),
    );
    await supervisor.stop();
  });

  it('goes on replacing a process that works for a time before it ends', async () => {
    let starts = 0;
    const reached = Promise.withResolvers<void>();
    const supervisor = new Supervisor({
      places: ['working'],
      start: () => {
        starts += 1;
        if (starts === 6) reached.resolve();
        return run(starts < 6 ? 'process.exit(1)' : 'setInterval(() => {}, 1000)');
      },
      onEnd: () => {},
      restarts: { ...restarts, worksAfterMs: 0 },
    });
    supervisor.begin();
    await reached.promise;
    await supervisor.stop();
    assert.equal(starts, 6);
  });

  it('replaces a process that cannot be started', async () => {
    const ends: string[] = [];
    const supervisor = new Supervisor({
      places: ['missing'],
      start: () => spawn('/nonexistent/program'),
      onEnd: (_place, end) => ends.push(end),
      restarts,
    });
    supervisor.begin();
    await assert.rejects(supervisor.givenUp, /3 times in a row/);
    assert.match(ends[0] ?? '', /^because it could not be started: .*ENOENT/);
    await supervisor.stop();
  });

  it('lets all processes end, and waits for them', async () => {
    const children: ChildProcess[] = [];
    const supervisor = new Supervisor({
      places: [1, 2],
      start: () => {
        const child = run(
          'process.on("SIGTERM", () => process.exit(0)); console.log("runs"); setInterval(() => {}, 1000)',
        );
        children.push(child);
        return child;
      },
      onEnd: () => assert.fail(),
      restarts,
    });
    supervisor.begin();
    for (const { stdout } of children) if (stdout !== null) await once(stdout, 'data');
    await supervisor.stop();
    assert.deepEqual(
      children.map(({ exitCode }) => exitCode),
      [0, 0],
    );
  });
});

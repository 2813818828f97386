import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { startSimulator } from '../../simulators/github/simulator.ts';
import { toCounters } from '../../simulators/world/expected-totals.ts';
import { program, programEnvironment } from '../program.ts';
import { processesIn, waitUntilEmpty } from './embedded/cluster-processes.ts';

interface Running extends AsyncDisposable {
  /** Resolves to the first line on standard output that matches. */
  line(pattern: RegExp): Promise<string>;
  signal(name: NodeJS.Signals): void;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Resolves at the end of the process, with its exit code and its output. */
  ended: Promise<{ code: number | null; out: string; err: string }>;
}

/** Runs the command line as a person does. */
function plaudit(args: string[], environment: Record<string, string>): Running {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...programEnvironment(), PORT: '0', METRICS_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  const lines = createInterface({ input: child.stdout });
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out, err }));
  return {
    ended,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const check = (line: string): void => {
          if (pattern.test(line)) resolve(line);
        };
        for (const line of out.split('\n')) check(line);
        lines.on('line', check);
        child.once('close', () => reject(new Error(`it ended without ${pattern.source}: ${out} ${err}`)));
      }),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    signal: (name) => void child.kill(name),
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      return (await ended).code;
    },
  };
}

const listening = /"msg":"Plaudit listens on (http:\/\/127\.0\.0\.1:\d+) \((.*)\)\. Try http:\S+\/ or (\S+)"/;

describe('the command line', () => {
  it('names the address, database, quota and an example in one line of serve, and leaves no process after a stop', async () => {
    await using simulator = await startSimulator();
    await using directory = await makeTemporaryDirectory();
    const environment = {
      DATA_DIR: directory.pathOf('data'),
      GITHUB_URL: simulator.url,
      GITHUB_API_URL: simulator.apiUrl,
      GITHUB_TOKEN: simulator.tokens.public_only,
    };
    await using first = plaudit(['serve'], environment);
    const [, url = '', facts = ''] = listening.exec(await first.line(listening)) ?? [];
    assert.match(facts, /embedded PostgreSQL in .*data; github: 5000 of 5000 points left/);
    const response = await fetch(`${url}/v1/github/entities/ada-lovelace/contributions`);
    const { data } = (await response.json()) as { data: { contributions: object }[] };
    assert.deepEqual(data[0]?.contributions, toCounters(simulator.world, 'ada-lovelace'));

    // A second command runs beside the service, which goes on after it.
    const sync = await plaudit(['sync', 'github/ada-lovelace/notes'], environment).ended;
    assert.equal(sync.code, 0, sync.err);
    assert.match(sync.out, /github\/ada-lovelace\/notes is up to date; it cost [\d,]+ requests? and [\d,]+ points?/);
    assert.equal((await fetch(`${url}/readyz`)).status, 200);

    // After a kill, all data that was served is still stored.
    await first.stop('SIGKILL');
    await using second = plaudit(['serve'], { ...environment, GITHUB_API_URL: 'http://127.0.0.1:9' });
    const [, again = ''] = listening.exec(await second.line(listening)) ?? [];
    const kept = await fetch(`${again}/v1/github/entities/ada-lovelace/contributions`);
    assert.deepEqual(
      ((await kept.json()) as { data: { contributions: object }[] }).data[0]?.contributions,
      data[0]?.contributions,
    );
    // npm repeats a SIGINT, so that a second one within two seconds is the same request.
    second.signal('SIGINT');
    assert.equal(await second.stop('SIGINT'), 0);
    const lines = (await second.ended).out.trim().split('\n');
    const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    assert.equal(messages.at(-1), 'Plaudit stopped.');
    assert.equal((await stat(directory.pathOf('data/histories'))).mode & 0o777, 0o700);
    await waitUntilEmpty(directory.pathOf('data'));
    assert.deepEqual(await processesIn(directory.pathOf('data')), []);
  });

  it('ends at once with one line, and creates nothing, for a taken port, a wrong setting, or without git', async () => {
    await using directory = await makeTemporaryDirectory();
    await using taken = await startSimulator();
    const { port } = new URL(taken.url);
    await using command = plaudit(['serve'], { DATA_DIR: directory.pathOf('data'), PORT: port });
    const { code, err } = await command.ended;
    assert.deepEqual([code, err.trim().split('\n').at(-1)], [1, `plaudit: PORT: port ${port} is taken`]);
    await waitUntilEmpty(directory.path);

    const wrong = await plaudit(['serve'], {
      LOG_LEVEL: 'warn',
      DATA_DIR: directory.pathOf('unused'),
      GITHUB_TOKENS: 'secret-value',
    }).ended;
    assert.deepEqual([wrong.code, wrong.out, wrong.err.trim().split('\n').length], [1, '', 1], wrong.err);
    assert.match(wrong.err, /GITHUB_TOKENS.*GITHUB_TOKEN/);
    assert.doesNotMatch(wrong.err, /secret/);

    // The PATH of this process leads to no git.
    await using bare = plaudit(['serve'], { DATA_DIR: directory.pathOf('bare'), PATH: directory.path });
    const ended = await bare.ended;
    assert.deepEqual(
      [ended.code, ended.out, ended.err],
      [1, '', 'plaudit: Histories are read by git, and there is no git on the PATH.\n'],
    );
    await waitUntilEmpty(directory.path);
  });
});

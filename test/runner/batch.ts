import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { UndescribedResponses } from '../described/undescribed-responses.ts';
import { resultMark, type TestResult } from './reporter.ts';

/** The time for one test, with everything that it opens and closes; a long random history takes more. */
const timeoutMs = Number(process.env['TEST_TIMEOUT_MS'] ?? '300000');
const program = fileURLToPath(new URL('process.ts', import.meta.url));
/**
 * Most objects of a test live shortly: a larger space for new ones halves the time of the garbage collector, and takes
 * another third from it when it has this size from the start.
 */
const newSpaceMiB = 64;

/** A file for a process, and the environment variables that its tests need further. */
export interface Assigned {
  file: string;
  environment?: Record<string, string>;
}

/**
 * Runs test files one after another in one process, and takes each when the one before has ended. The test that ends
 * after a service sent a response which `/openapi.json` does not describe fails.
 * @param next returns the next file, which no other process gets; undefined: there is none left.
 * @param onResult is called for each test, in the order in which they end.
 * @returns the fault of the process itself, if it has one.
 */
export async function runBatch(
  next: () => Promise<Assigned | undefined>,
  environment: NodeJS.ProcessEnv,
  onResult: (result: TestResult) => void,
): Promise<string | undefined> {
  const newSpace = ['min', 'max'].map((limit) => `--${limit}-semi-space-size=${newSpaceMiB}`);
  const options = [...newSpace, `--test-timeout=${timeoutMs}`];
  using responses = new UndescribedResponses();
  const child = spawn(process.execPath, [...options, program], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...environment, NODE_OPTIONS: responses.nodeOptions(environment['NODE_OPTIONS']) },
  });
  const stop = (): void => void child.kill('SIGTERM');
  process.on('SIGINT', stop).on('SIGTERM', stop);
  let file = '';
  const assign = async (): Promise<void> => {
    const assigned = await next();
    if (!child.connected) return;
    if (assigned === undefined) child.disconnect();
    else {
      file = assigned.file;
      child.send(assigned);
    }
  };
  // Without a server for databases there is no file left: the failure of its start ends the run.
  child.on('message', () => void assign().catch(() => child.disconnect()));
  const ended = once(child, 'exit').then(([code, signal]: (number | string | null)[]) =>
    code === 0 ? undefined : `${file}: the process ended with ${signal ?? `exit code ${code}`}`,
  );
  let hasFailed = false;
  let isStuck = false;
  // The runner's own timeout does not end a test that waits while it closes something.
  const watchdog = setTimeout(() => {
    isStuck = true;
    child.kill('SIGKILL');
  }, 1.2 * timeoutMs);
  for await (const line of createInterface({ input: toOutput(child) })) {
    if (!line.startsWith(resultMark)) {
      if (line !== '') console.log(line);
      continue;
    }
    const result = withFaults(JSON.parse(line.slice(resultMark.length)) as TestResult, responses.take());
    hasFailed ||= result.outcome === 'failed';
    watchdog.refresh();
    onResult(result);
  }
  const fault = await ended;
  clearTimeout(watchdog);
  process.off('SIGINT', stop).off('SIGTERM', stop);
  if (isStuck) return `${file}: no test ended within ${(1.2 * timeoutMs) / 1000} s`;
  const faults = [...responses.take(), ...(fault === undefined || hasFailed ? [] : [fault])];
  return faults.length === 0 ? undefined : faults.join('\n');
}

function toOutput({ stdout }: ChildProcess): Readable {
  if (stdout === null) throw new Error('the output of a process is piped');
  return stdout;
}

/** Returns the result of a test during which there were faults beside its own. */
function withFaults(result: TestResult, faults: readonly string[]): TestResult {
  if (faults.length === 0) return result;
  return { ...result, outcome: 'failed', error: [...faults, result.error ?? ''].join('\n') };
}

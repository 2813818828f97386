import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { program as ofThisRelease, programEnvironment } from '../../program.ts';

/** The service as a process of its own, which can be killed. */
export interface ServiceProcess extends AsyncDisposable {
  url: string;
  /** The lines of the output, without the one with the address. */
  lines: string[];
  kill(): Promise<void>;
  /** Ends the process as a service manager does. @returns the exit status, null after a signal. */
  stop(): Promise<number | null>;
}

/**
 * @param program the program of another release; by default that of this one.
 * @param starter a program, with its arguments, that starts the service.
 * @throws Error with the output when the service ends before it listens.
 */
export async function startServiceProcess(
  environment: Record<string, string>,
  program = ofThisRelease,
  starter: readonly string[] = [],
): Promise<ServiceProcess> {
  const isThisRelease = program === ofThisRelease;
  // The responses of another release have another description, and its settings other names.
  const ofRelease = isThisRelease ? { REQUEST_CONNECTIONS: '4', JOB_CONNECTIONS: '8' } : { NODE_OPTIONS: '' };
  const defaults = { PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'warn' };
  const [file, ...args] = [...starter, process.execPath, program, 'serve'];
  const child = spawn(file, args, {
    env: { ...programEnvironment(), ...ofRelease, ...defaults, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const url = await listening(child, lines);
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
    return child.exitCode;
  };
  return {
    url,
    lines,
    kill: () => end('SIGKILL').then(() => undefined),
    stop: () => end('SIGTERM'),
    [Symbol.asyncDispose]: () => end('SIGTERM').then(() => undefined),
  };
}

/** Returns the address of the service, once it listens. */
async function listening(child: ChildProcess, lines: string[]): Promise<string> {
  if (child.stdout === null || child.stderr === null) throw new Error('the process has no output');
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  const output = createInterface({ input: child.stdout });
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the service ended: ${lines.join('\n')}`)));
    output.on('line', (line) => {
      const url = /listens on (http:\/\/[^\s,]+)/.exec(line)?.[1];
      if (url === undefined) lines.push(line);
      else resolve(url);
    });
  });
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface Ended {
  status: number | null;
  output: string;
  errors: string;
}

interface Settings {
  cwd: string;
  env?: NodeJS.ProcessEnv;
  /** True to copy standard error to the log of the run. */
  isShown?: boolean;
}

/** Runs a program to its end. When the run is cancelled, the program gets the same signal. */
export async function run(program: string, parameters: readonly string[], settings: Settings): Promise<Ended> {
  const { cwd, env = process.env, isShown = false } = settings;
  const child = spawn(program, parameters, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const cancel = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, cancel);
  try {
    if (isShown) child.stderr.on('data', (chunk: Buffer) => process.stderr.write(chunk));
    const closed = once(child, 'close');
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
    return { status: child.exitCode, output, errors };
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, cancel);
  }
}

/** Runs a program that must succeed. @returns its output, without a line break at the end. */
export async function requireRun(program: string, parameters: readonly string[], settings: Settings): Promise<string> {
  const { status, output, errors } = await run(program, parameters, settings);
  if (status === 0) return output.trimEnd();
  throw new Error(`${program} ${parameters[0] ?? ''} failed: ${errors.trim() || output.trim()}`);
}

import type { Io } from '../src/app/commands/io.ts';

/** Returns what a command needs to run in the process of the tests. It must end within a minute. */
export function inProcess(
  environment: Record<string, string>,
  output: Pick<Io, 'print' | 'warn'> = { print: () => {}, warn: () => {} },
): Io {
  return {
    environment: { PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'silent', ...environment },
    ...output,
    isTerminal: false,
    signal: AbortSignal.timeout(60_000),
  };
}

/** Runs a command as the operator does, while the service runs. @returns every line that it writes. */
export async function runCommand<Argument>(
  command: (io: Io, argument: Argument) => Promise<void>,
  argument: Argument,
  environment: Record<string, string>,
): Promise<string[]> {
  const lines: string[] = [];
  const output = {
    print: (line: string) => void lines.push(line),
    warn: (line: string) => void lines.push(`warning: ${line}`),
  };
  await command(inProcess(environment, output), argument);
  return lines;
}

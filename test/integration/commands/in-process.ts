import type { Io } from '../../../src/commands/io.ts';

/** Returns what a command needs to run in the process of the tests. */
export function inProcess(environment: Record<string, string>): Io {
  return {
    environment: { PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'silent', ...environment },
    print: () => {},
    warn: () => {},
    isTerminal: false,
    signal: AbortSignal.timeout(60_000),
  };
}

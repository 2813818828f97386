import type { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../model/errors.ts';

/** The failure of a command whose arguments do not fit it, before it does anything. The process ends with status 2. */
export class UsageError extends AppError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super('invalid_input', message, options);
  }
}

/**
 * Returns what `parse` returns.
 * @throws UsageError with the usage of a command where its arguments cannot be parsed.
 */
export function parseOrRefuse<Result>(usage: string, parse: () => Result): Result {
  try {
    return parse();
  } catch (cause) {
    throw new UsageError(usage, { cause });
  }
}

/** The environment, input and output of a command: those of the process, or replacements in a test. */
export interface Io {
  environment: Readonly<Record<string, string | undefined>>;
  /** Standard input; absent in tests that give none. */
  input?: AsyncIterable<unknown>;
  /** Standard output for bytes, as `backup -` writes them; absent in tests that read none. */
  output?: Writable;
  /** Prints a line to standard output. */
  print: (line: string) => void;
  /** Prints a line to standard error. */
  warn: (line: string) => void;
  /** True when standard error is a terminal, where `sync` draws a progress bar. */
  isTerminal: boolean;
  /** True when standard output is a terminal, where `serve` prints lines for people instead of JSON. */
  isOutputTerminal?: boolean;
  /** Aborted when the process receives a signal to end. */
  signal: AbortSignal;
}

/**
 * Runs `work`. When the quota of requests is used up, waits until the time that the provider names and runs it again.
 * @throws the other errors of `work`.
 */
export async function waitForQuota<Result>(io: Io, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'provider_rate_limited' || !error.retryAt) throw error;
      io.warn(`${error.message} Continuing at ${error.retryAt.toISOString()}`);
      await wait(Math.max(1000, error.retryAt.getTime() - Date.now()), undefined, { signal: io.signal });
    }
  }
}

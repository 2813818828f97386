import type { Writable } from 'node:stream';

/** The environment, input and output of a command: those of the process, or of a test. */
export interface Io {
  environment: Readonly<Record<string, string | undefined>>;
  /** Standard input, where there is one. */
  input?: AsyncIterable<unknown>;
  /** Standard output for bytes, where there is one. */
  output?: Writable;
  /** Prints a line to standard output. */
  print: (line: string) => void;
  /** Prints a line to standard error. */
  warn: (line: string) => void;
  /** True when standard error is a terminal. */
  isTerminal: boolean;
  /** True when standard output is a terminal, where `serve` prints lines for people instead of JSON. */
  isOutputTerminal?: boolean;
  /** Aborted when the process receives a signal to end. */
  signal: AbortSignal;
}

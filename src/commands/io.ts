/** What a command talks to: the process it runs in, or a test. */
export interface Io {
  environment: Readonly<Record<string, string | undefined>>;
  /** Standard input, where there is one. */
  input?: AsyncIterable<unknown>;
  /** For people and pipes: a line of output. */
  print: (line: string) => void;
  /** Standard error. */
  warn: (line: string) => void;
  /** Whether somebody sits at a terminal. */
  isTerminal: boolean;
  /** Aborted when the process is asked to end. */
  signal: AbortSignal;
}

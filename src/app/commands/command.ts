import type { Io } from './io.ts';

/** One command of the command line. */
export interface Command {
  /** Its arguments, one line for each form. */
  forms: readonly string[];
  description: string;
  /** Returns the lines of the help after the description. */
  details?: () => string;
  /** The names of its options, without the dashes. */
  options: readonly string[];
  /** The largest number of arguments without options. */
  maxArguments: number;
  /** Runs the command and returns the exit status of the process; undefined is 0. */
  run: (io: Io, args: readonly string[]) => Promise<number | undefined>;
}

import manifest from '../package.json' with { type: 'json' };
import { misuse, unknownCommand, usage, usageOf } from './commands/help.ts';
import { commands } from './commands/index.ts';
import type { Io } from './commands/io.ts';
import { AppError } from './errors.ts';

/** The exit status of a command that was interrupted by a signal. */
const interrupted = 130;
/** The exit status for a command line that cannot be run. */
const misused = 2;

/** Runs the command line. Returns the exit status; a failure is one line on standard error. */
export async function main(args: readonly string[]): Promise<number> {
  const [name = '', ...rest] = args;
  if (['help', '--help', '-h'].includes(name)) return say(usage());
  if (name === '--version' || name === 'version') return say(manifest.version);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    process.stderr.write(`${usage()}\n${name === '' ? '' : `plaudit: ${unknownCommand(name)}\n`}`);
    return misused;
  }
  if (rest.includes('--help') || rest.includes('-h')) return say(usageOf(name, command));
  const problem = misuse(name, command, rest);
  if (problem !== undefined) {
    process.stderr.write(`${usageOf(name, command)}\nplaudit: ${problem}\n`);
    return misused;
  }
  // A reader that closes the pipe early, as in "| head", is no fault, unless it reads a backup.
  if (name !== 'backup') {
    process.stdout.on('error', (error) => process.exit('code' in error && error.code === 'EPIPE' ? 0 : 1));
  }
  const ending = endingSignal(name === 'serve' || name === 'demo' ? 0 : interrupted);
  const io: Io = {
    environment: process.env,
    get input() {
      return process.stdin;
    },
    output: process.stdout,
    print: (line) => process.stdout.write(`${line}\n`),
    warn: (line) => process.stderr.write(`${line}\n`),
    isTerminal: process.stderr.isTTY,
    isOutputTerminal: process.stdout.isTTY,
    signal: ending,
  };
  try {
    return (await command.run(io, rest)) ?? 0;
  } catch (error) {
    if (ending.aborted) return interrupted;
    io.warn(error instanceof AppError ? `plaudit: ${error.message}` : `plaudit: ${describe(error)}`);
    return 1;
  }
}

/** Prints text for people. Returns the exit status. */
function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

const endTimeoutMs = 5000;

/** npm sends SIGINT a second time, so that a terminal's Ctrl-C arrives twice. */
const sameRequestMs = 2000;

/**
 * Returns a signal that aborts at the first request to end; a later request ends the process at once.
 * @param lateStatus the exit status when the work does not end in time.
 */
function endingSignal(lateStatus: number): AbortSignal {
  const ending = new AbortController();
  let requestedAt = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (ending.signal.aborted) {
        if (performance.now() - requestedAt > sameRequestMs) process.exit(interrupted);
        return;
      }
      requestedAt = performance.now();
      ending.abort();
      // Stored data is safe at any moment: other nodes or the next start repeat the work that did not end.
      setTimeout(() => {
        process.stderr.write('plaudit: work under way did not end in time; it is repeated later\n');
        process.exit(lateStatus);
      }, endTimeoutMs).unref();
    });
  }
  return ending.signal;
}

/** Returns the text of an unexpected error, with its stack. */
function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

import manifest from '../package.json' with { type: 'json' };
import { commands, formatForms, formatUsage, misuse, unknownCommand, usage } from './app/commands/index.ts';
import { type Io, UsageError } from './app/commands/io.ts';
import { trustAuthorities } from './app/config/authorities.ts';
import { endingSignal, interrupted } from './database/connections/ending-signal.ts';
import { describeFailure } from './model/errors.ts';
import { exitAtOnce } from './model/exit.ts';

/** The exit status for a command line that cannot be run. */
const misused = 2;

/** Runs the command line. Returns the exit status; a failure is one line on standard error. */
export async function main(args: readonly string[]): Promise<number> {
  const [name = '', ...rest] = args;
  if (['help', '--help', '-h'].includes(name)) return say(usage());
  if (name === '--version' || name === 'version') return say(manifest.version);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    process.stderr.write(name === '' ? `${usage()}\n` : `plaudit: ${unknownCommand(name)}\n`);
    return misused;
  }
  if (rest.includes('--help') || rest.includes('-h')) return say(formatUsage(name, command));
  const problem = misuse(name, command, rest);
  if (problem !== undefined) {
    process.stderr.write(`${formatForms(name, command)}\nplaudit: ${problem}\n`);
    return misused;
  }
  const isService = name === 'serve' || name === 'demo';
  const ending = endingSignal(isService ? 0 : interrupted);
  // A reader that closes the pipe early, as in "| head", is no fault, unless it reads a backup.
  if (name !== 'backup') {
    process.stdout.on('error', (error) => {
      // A service stops as at a signal, so that a demonstration deletes its data.
      if (!isService) process.exit('code' in error && error.code === 'EPIPE' ? 0 : 1);
      if (!ending.aborted) process.kill(process.pid, 'SIGTERM');
    });
  }
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
    trustAuthorities(process.env);
    const status = (await command.run(io, rest)) ?? 0;
    return ending.aborted ? exitAtOnce(status) : status;
  } catch (error) {
    if (ending.aborted) return exitAtOnce(interrupted);
    io.warn(`plaudit: ${describeFailure(error)}`);
    const status = error instanceof UsageError ? misused : 1;
    return isService ? exitAtOnce(status) : status;
  }
}

/** Prints text for people. Returns the exit status. */
function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

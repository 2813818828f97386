import { achievements } from './commands/achievements.ts';
import { exportTo, importFrom } from './commands/backup.ts';
import { card } from './commands/card.ts';
import { doctor } from './commands/doctor.ts';
import { gitHubAppUrl } from './commands/github-app.ts';
import { installByName, listInstalled, uninstallByName } from './commands/installations.ts';
import type { Io } from './commands/io.ts';
import { demo, sample } from './commands/sample.ts';
import { serve } from './commands/serve.ts';
import { sync } from './commands/sync.ts';
import { AppError } from './errors.ts';

/** Commands that take one argument at most. */
const commands: Record<string, (io: Io, argument: string | undefined) => Promise<void>> = {
  serve,
  sync,
  demo,
  sample,
  export: exportTo,
  import: importFrom,
  install: installByName,
  uninstall: uninstallByName,
  installations: listInstalled,
};
/** Commands that parse their arguments themselves. */
const commandsWithArguments: Record<string, (io: Io, args: readonly string[]) => Promise<void>> = {
  achievements,
  card,
  'github-app-url': gitHubAppUrl,
};
/** Commands whose exit status is their result. */
const commandsWithStatus: Record<string, (io: Io, args: readonly string[]) => Promise<number>> = { doctor };

const usage = `plaudit COMMAND
  serve                              run the service (what npm start does)
  demo                               run it with the sample, in a temporary directory
  doctor [--json]                    say what is wrong, and what to do about it
  sync PROVIDER/NAME[/REPOSITORY]    bring what is stored up to what the provider has
  sample                             fill a new database with the sample
  install PROVIDER/OWNER[/REPOSITORY]    keep that current, as far as the configured token reads it
  uninstall PROVIDER/OWNER[/REPOSITORY]  take that back
  installations                      list what is installed
  github-app-url [--telling] [ORGANIZATION]
                                     the address at which a GitHub App for this service is registered; --telling: also to comment
                                     on awards and to report faulty files
  card PATH FILE [PATH FILE...]      write pictures into files: PATH is an address of this service, FILE ends with .svg or .png
  export FILE                        write everything that is stored to a file
  import FILE                        fill a new database from such a file
  achievements check FILE... [--host github|gitea|forgejo|gitlab] [--json]
                                     say what is wrong with files of achievements, and what such a host does not tell; - is
                                     standard input
  achievements preview FILE PROVIDER/OWNER/REPOSITORY [--person LOGIN] [--json]
                                     say who would earn what by what is stored, and why not
Settings come from the environment; README.md lists them.`;

/** Runs the command line. Returns the exit status; a failure is one line on standard error. */
export async function main(args: readonly string[]): Promise<number> {
  const [name = '', ...rest] = args;
  if (name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  const run = findCommand(name, rest);
  if (run === undefined) {
    process.stderr.write(`${usage}\n`);
    return 2;
  }
  // A reader that closes the pipe early, as in "| head", is no fault.
  process.stdout.on('error', (error) => process.exit('code' in error && error.code === 'EPIPE' ? 0 : 1));
  const ending = endingSignal();
  const io: Io = {
    environment: process.env,
    get input() {
      return process.stdin;
    },
    print: (line) => process.stdout.write(`${line}\n`),
    warn: (line) => process.stderr.write(`${line}\n`),
    isTerminal: process.stderr.isTTY,
    signal: ending,
  };
  try {
    return await run(io);
  } catch (error) {
    if (ending.aborted) return 130;
    io.warn(error instanceof AppError ? `plaudit: ${error.message}` : `plaudit: ${describe(error)}`);
    return 1;
  }
}

/** Returns a function that runs the command and returns the exit status; undefined when there is no such command. */
function findCommand(name: string, args: readonly string[]): ((io: Io) => Promise<number>) | undefined {
  const withStatus = Object.hasOwn(commandsWithStatus, name) ? commandsWithStatus[name] : undefined;
  if (withStatus !== undefined) return (io) => withStatus(io, args);
  const withArguments = Object.hasOwn(commandsWithArguments, name) ? commandsWithArguments[name] : undefined;
  if (withArguments !== undefined) return (io) => withArguments(io, args).then(() => 0);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return command === undefined || args.length > 1 ? undefined : (io) => command(io, args[0]).then(() => 0);
}

const endTimeoutMs = 20_000;

/** Returns a signal that aborts at the first request to end; the second request ends the process at once. */
function endingSignal(): AbortSignal {
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (ending.signal.aborted) process.exit(130);
      ending.abort();
      // Stored data is safe at any moment, so there is no reason to wait for ever for a shutdown that hangs.
      setTimeout(() => {
        process.stderr.write('plaudit: it did not end in time and is stopped\n');
        process.exit(1);
      }, endTimeoutMs).unref();
    });
  }
  return ending.signal;
}

/** Returns the text of an unexpected error, with its stack. */
function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

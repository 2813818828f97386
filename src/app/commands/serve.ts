import { once } from 'node:events';
import type { ProviderConfig } from '../../hosts/config/hosts.ts';
import { createLog, type Log, linesForPeople } from '../../model/log.ts';
import { startTracing } from '../../model/tracing/start.ts';
import { type Config, readConfig } from '../config/config.ts';
import { findQuoted } from '../config/environment.ts';
import { settings } from '../config/settings.ts';
import type { AppOptions } from '../core.ts';
import { configuredHosts, describeHosts } from '../doctor/describe-hosts.ts';
import type { Io } from './io.ts';

/** `plaudit serve`: runs the service until the process receives a signal to end. */
export async function serve(io: Io): Promise<void> {
  const config = readConfig(io.environment);
  for (const name of findQuoted(settings, io.environment))
    io.warn(`plaudit: ${name} has quotation marks around its value, which are not part of it. Remove them.`);
  const examples = ['/', ...configuredHosts(config).slice(0, 1).map(formatExample)];
  await runService(config, io, { environment: io.environment, examples });
}

interface RunOptions {
  /** The environment that has the settings. */
  environment: Io['environment'];
  /** Addresses to try, below the service's own. */
  examples: readonly string[];
  /** The present time; only for one process. Default: the clock of the database. */
  now?: () => Date;
  /** Replaces parts of a provider; only for one process. */
  changeProvider?: AppOptions['changeProvider'];
}

/** Runs the service until the process receives a signal to end. */
export async function runService(config: Config, io: Io, options: RunOptions): Promise<void> {
  const output = createOutput(config, io);
  await (config.workers === 1
    ? runInThisProcess(config, io, { ...options, ...output })
    : runInProcesses(config, io, { ...options, ...output }));
  output.announce('Plaudit stopped.');
}

async function runInThisProcess(
  config: Config,
  io: Io,
  { log, announce, examples, now, changeProvider }: RunOptions & Output,
): Promise<void> {
  const endTracing = await startTracing();
  const { startService } = await import('../app.ts');
  const service = await startService(config, { log, ...(now && { now }), ...(changeProvider && { changeProvider }) });
  try {
    const hosts = await describeHosts(config, service.providers, io.signal);
    announce(startLine(service.url, service.database.description, hosts, examples));
    await untilAborted(io.signal);
  } finally {
    await service.close();
    await endTracing();
  }
}

async function runInProcesses(config: Config, io: Io, options: RunOptions & Output): Promise<void> {
  const { log, announce, onLine, environment, examples } = options;
  // The process that only starts workers does not load the service.
  const { startWorkers } = await import('../workers/primary.ts');
  await using workers = await startWorkers(config, { log, environment, onLine });
  const { url, description, ready, givenUp } = workers;
  const ended = Promise.race([untilAborted(io.signal), givenUp]);
  const hosts = await Promise.race([ready, ended]);
  if (hosts !== undefined) announce(startLine(url, description, hosts, examples));
  await ended;
}

async function untilAborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, 'abort');
}

function startLine(url: string, description: string, hosts: readonly string[], examples: readonly string[]): string {
  const tries = examples.map((path) => `${url}${path}`).join(' or ');
  return `Plaudit listens on ${url} (${description}; ${hosts.join('; ')}). Try ${tries}`;
}

interface Output {
  log: Log;
  /** Prints a line that appears at every level of the log. */
  announce: (line: string) => void;
  /** Prints a line of the log of another process. */
  onLine: (line: string) => void;
}

/** Creates the output. All lines have the same form: text on a terminal, JSON elsewhere. */
function createOutput({ logLevel }: Config, io: Io): Output {
  if (io.isOutputTerminal === true) {
    const people = linesForPeople(io.print);
    return {
      log: createLog(logLevel, people),
      announce: io.print,
      onLine: (line) => (line.startsWith('{') ? people.write(line) : io.print(line)),
    };
  }
  const announcements = createLog('info', { write: (line) => io.print(line.trimEnd()) });
  return { log: createLog(logLevel), announce: (line) => announcements.info(line), onLine: io.print };
}

/** Returns the path of an example: on github.com an existing account, elsewhere `NAME` to replace. */
function formatExample({ name, url }: ProviderConfig): string {
  return `/v1/${name}/entities/${url === 'https://github.com' ? 'torvalds' : 'NAME'}`;
}

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { startService } from '../app.ts';
import { type Config, readConfig } from '../config/config.ts';
import type { ProviderConfig } from '../config/hosts.ts';
import { summarize } from '../doctor/summarize.ts';
import { createLog, type Log, linesForPeople } from '../log.ts';
import type { Io } from './io.ts';

/** The longest wait, in ms, of the last line of the start for hosts to report the rest of their quota. */
const diagnosisTimeoutMs = 2000;

/** `plaudit serve`: runs the service until the process receives a signal to end. */
export async function serve(io: Io): Promise<void> {
  const config = readConfig(io.environment, (path) => readFileSync(path, 'utf8'));
  await runService(config, io, configuredHosts(config).slice(0, 1).map(exampleOf));
}

/**
 * Runs the service until the process receives a signal to end.
 * @param examples addresses to try, below the service's own.
 */
export async function runService(config: Config, io: Io, examples: readonly string[]): Promise<void> {
  const { log, announce } = createOutput(config, io);
  const service = await startService(config, { log });
  try {
    const hosts = await Promise.all(
      configuredHosts(config).map(async ({ name }) => {
        const signal = AbortSignal.any([io.signal, AbortSignal.timeout(diagnosisTimeoutMs)]);
        const diagnosis = await service.providers.get(name)?.diagnose?.(signal);
        return `${name}: ${diagnosis === undefined ? 'not checked' : summarize(diagnosis)}`;
      }),
    );
    const tries = examples.map((path) => `${service.url}${path}`).join(' or ');
    announce(`Plaudit listens on ${service.url} (${service.database.description}; ${hosts.join('; ')}). Try ${tries}`);
    if (!io.signal.aborted) await once(io.signal, 'abort');
  } finally {
    await service.close();
    announce('Plaudit stopped.');
  }
}

/**
 * Returns the log, and what prints the lines that appear at every level of the log. Both have the same form: lines for
 * people on a terminal, JSON for programs.
 */
function createOutput({ logLevel }: Config, io: Io): { log: Log; announce: (line: string) => void } {
  if (io.isOutputTerminal === true) return { log: createLog(logLevel, linesForPeople(io.print)), announce: io.print };
  const announcements = createLog('info', { write: (line) => io.print(line.trimEnd()) });
  return { log: createLog(logLevel), announce: (line) => announcements.info(line) };
}

/**
 * Returns the hosts that the operator configured, or github.com alone when there are none. A company's own Gitea may
 * have no way out to github.com, so that a request for the quota there would only delay the start.
 */
function configuredHosts({ providers }: Config): ProviderConfig[] {
  const configured = providers.filter(({ source }) => source !== 'default');
  return configured.length > 0 ? configured : providers;
}

/** Returns an address that works on github.com, and elsewhere one with a name to be filled in. */
function exampleOf({ name, url }: ProviderConfig): string {
  return `/v1/${name}/entities/${url === 'https://github.com' ? 'torvalds' : 'NAME'}`;
}

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { startService } from '../app.ts';
import { type Config, readConfig } from '../config.ts';
import { createLog } from '../log.ts';
import type { Io } from './io.ts';

/** How long the last line of the start waits for providers to say what is left of the budget. */
const budgetTimeoutMs = 2000;

/** `plaudit serve`: runs the service until the process is asked to end. */
export async function serve(io: Io): Promise<void> {
  const config = readConfig(io.environment, (path) => readFileSync(path, 'utf8'));
  await runService(config, io, ['/v1/github/entities/torvalds']);
}

/** @param examples addresses to try, below the service's own. */
export async function runService(config: Config, io: Io, examples: readonly string[]): Promise<void> {
  const service = await startService(config, { log: createLog(config.logLevel) });
  try {
    const budgets = await Promise.all(
      [...service.providers].map(async ([name, provider]) => {
        const { description } = await provider.budget(
          AbortSignal.any([io.signal, AbortSignal.timeout(budgetTimeoutMs)]),
        );
        return `${name}: ${description}`;
      }),
    );
    const tries = examples.map((path) => `${service.url}${path}`).join(' or ');
    io.print(
      `Plaudit listens on ${service.url} (${service.database.description}; ${budgets.join('; ')}). Try ${tries}`,
    );
    if (!io.signal.aborted) await once(io.signal, 'abort');
  } finally {
    await service.close();
  }
}

import { installByName } from '../../../src/app/commands/installations.ts';
import type { TestService } from '../service.ts';

/**
 * Installs as the operator does, while the service runs.
 * @param settings of the provider.
 */
export async function installAsOperator(
  { dataDir, databaseUrl }: TestService,
  settings: Record<string, string>,
  target: string,
): Promise<void> {
  const environment = { ...settings, DATA_DIR: dataDir, DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' };
  const io = { environment, print: () => {}, warn: () => {}, isTerminal: false, signal: AbortSignal.timeout(60_000) };
  await installByName(io, target);
}

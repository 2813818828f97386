import type { Simulator } from '../simulators/github/simulator.ts';
import { readConfig } from '../src/app/config/config.ts';
import { type Core, openCore } from '../src/app/core.ts';
import { createLog } from '../src/model/log.ts';

/** Opens the parts of a service without its server, on a simulated GitHub. */
export function openBenchCore(simulator: Simulator, dataDir: string): Promise<Core> {
  const environment = {
    DATA_DIR: dataDir,
    GITHUB_URL: simulator.url,
    GITHUB_API_URL: simulator.apiUrl,
    GITHUB_TOKEN: simulator.tokens.public_only,
  };
  return openCore(
    readConfig(environment, () => ''),
    { log: createLog('warn') },
  );
}

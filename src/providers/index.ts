import { AppError } from '../errors.ts';
import type { ProviderConfig } from '../providers-file.ts';
import { createGiteaProvider } from './gitea/provider.ts';
import { createGitHubProvider } from './github/provider.ts';
import { createGitLabProvider } from './gitlab/provider.ts';
import type { Provider } from './provider.ts';

export interface ProviderDependencies {
  connectTimeoutMs: number;
  now: () => Date;
}

/** Every kind of code host, one line each. */
const kinds: Record<string, (config: ProviderConfig, dependencies: ProviderDependencies) => Provider> = {
  github: (config, dependencies) => createGitHubProvider({ ...config, ...dependencies }),
  gitea: (config, dependencies) => createGiteaProvider({ ...config, ...dependencies }),
  gitlab: (config, dependencies) => createGitLabProvider({ ...config, ...dependencies }),
  forgejo: (config, dependencies) => createGiteaProvider({ ...config, ...dependencies }),
};

/** @throws AppError `misconfigured` for a kind that does not exist. */
export function createProviders(
  configs: readonly ProviderConfig[],
  dependencies: ProviderDependencies,
): Map<string, Provider> {
  return new Map(
    configs.map((config) => {
      const create = kinds[config.kind];
      if (create === undefined) {
        const known = Object.keys(kinds).join(', ');
        throw new AppError('misconfigured', `PROVIDERS_FILE: the kind of ${config.name} must be one of ${known}`);
      }
      return [config.name, create(config, dependencies)];
    }),
  );
}

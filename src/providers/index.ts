import { AppError } from '../errors.ts';
import type { ProviderConfig } from '../providers-file.ts';
import { createGiteaProvider } from './gitea/provider.ts';
import { untold as untoldByGitea } from './gitea/untold.ts';
import { createGitHubProvider } from './github/provider.ts';
import { untoldWith as untoldByGitHub } from './github/untold.ts';
import { createGitLabProvider } from './gitlab/provider.ts';
import { untoldWith as untoldByGitLab } from './gitlab/untold.ts';
import type { Provider } from './provider.ts';
import type { Untold } from './untold.ts';

export interface ProviderDependencies {
  connectTimeoutMs: number;
  now: () => Date;
}

interface HostKind {
  create: (options: ProviderConfig & ProviderDependencies) => Provider;
  /** Returns the data that such a host does not report, with a credential or without. */
  untold: (hasCredential: boolean) => readonly Untold[];
}

/** All kinds of code hosts. */
const kinds: Readonly<Record<string, HostKind>> = {
  github: { create: createGitHubProvider, untold: untoldByGitHub },
  gitea: { create: createGiteaProvider, untold: () => untoldByGitea },
  gitlab: { create: createGitLabProvider, untold: untoldByGitLab },
  forgejo: { create: createGiteaProvider, untold: () => untoldByGitea },
};

/**
 * Returns the data that a kind of host does not report, with a credential or without.
 * @throws AppError `invalid_input` for a kind that does not exist.
 */
export function untoldBy(kind: string, hasCredential: boolean): readonly Untold[] {
  const found = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (found !== undefined) return found.untold(hasCredential);
  throw new AppError(
    'invalid_input',
    `${kind} is not a kind of host; those that are: ${Object.keys(kinds).join(', ')}`,
  );
}

/** @throws AppError `misconfigured` for a kind that does not exist. */
export function createProviders(
  configs: readonly ProviderConfig[],
  dependencies: ProviderDependencies,
): Map<string, Provider> {
  return new Map(
    configs.map((config) => {
      const kind = Object.hasOwn(kinds, config.kind) ? kinds[config.kind] : undefined;
      if (kind === undefined) {
        const known = Object.keys(kinds).join(', ');
        throw new AppError('misconfigured', `PROVIDERS_FILE: the kind of ${config.name} must be one of ${known}`);
      }
      return [config.name, kind.create({ ...config, ...dependencies })];
    }),
  );
}

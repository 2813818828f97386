import { AppError } from '../model/errors.ts';
import { type HostKind, hostKinds } from './config/host-settings.ts';
import type { ProviderConfig } from './config/hosts.ts';
import { createGiteaProvider, unreported as unreportedByGitea } from './gitea/provider.ts';
import { createGitHubProvider, unreportedWith as unreportedByGitHub } from './github/provider.ts';
import { createGitLabProvider, unreportedWith as unreportedByGitLab } from './gitlab/provider.ts';
import type { Provider, UnreportedKind } from './interface/provider.ts';
import type { OnExchange } from './transport/http-transport.ts';

export interface ProviderDependencies {
  connectTimeoutMs: number;
  now: () => Date;
  /** Returns the receiver of a provider's exchanges with its host. */
  observe?: ((provider: string) => OnExchange) | undefined;
}

interface Implementation {
  create: (options: ProviderConfig & ProviderDependencies & { onExchange?: OnExchange | undefined }) => Provider;
  /** Returns the data that such a host does not report, with a credential or without. */
  unreported: (hasCredential: boolean) => readonly UnreportedKind[];
}

const implementations: Readonly<Record<HostKind, Implementation>> = {
  github: { create: createGitHubProvider, unreported: unreportedByGitHub },
  gitea: { create: createGiteaProvider, unreported: () => unreportedByGitea },
  forgejo: { create: createGiteaProvider, unreported: () => unreportedByGitea },
  gitlab: { create: createGitLabProvider, unreported: unreportedByGitLab },
};

/** Returns whether there is a kind of code host. */
export function isHostKind(kind: string): kind is HostKind {
  return Object.hasOwn(implementations, kind);
}

/**
 * Returns the data that a kind of host does not report, with a credential or without.
 * @throws AppError `invalid_input` for a kind that does not exist.
 */
export function unreportedBy(kind: string, hasCredential: boolean): readonly UnreportedKind[] {
  if (isHostKind(kind)) return implementations[kind].unreported(hasCredential);
  throw new AppError('invalid_input', `${kind} is not a kind of host; those that are: ${hostKinds.join(', ')}`);
}

/** @throws AppError `misconfigured` for a kind that does not exist. */
export function createProviders(
  configs: readonly ProviderConfig[],
  dependencies: ProviderDependencies,
): Map<string, Provider> {
  return new Map(
    configs.map((config) => {
      const { name, kind } = config;
      if (!isHostKind(kind)) {
        throw new AppError(
          'misconfigured',
          `PROVIDERS_FILE: the kind of ${name} must be one of ${hostKinds.join(', ')}`,
        );
      }
      const onExchange = dependencies.observe?.(name);
      return [name, implementations[kind].create({ ...config, ...dependencies, onExchange })];
    }),
  );
}

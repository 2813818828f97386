import type { ProviderConfig } from '../config/hosts.ts';
import { AppError } from '../errors.ts';
import { createGiteaProvider } from './gitea/provider.ts';
import { unreported as unreportedByGitea } from './gitea/unreported.ts';
import { createGitHubProvider } from './github/provider.ts';
import { unreportedWith as unreportedByGitHub } from './github/unreported.ts';
import { createGitLabProvider } from './gitlab/provider.ts';
import { unreportedWith as unreportedByGitLab } from './gitlab/unreported.ts';
import type { Provider } from './provider.ts';
import type { OnExchange } from './transport/http-transport.ts';
import type { UnreportedKind } from './unreported.ts';

export interface ProviderDependencies {
  connectTimeoutMs: number;
  now: () => Date;
  /** Returns the receiver of a provider's exchanges with its host. */
  observe?: ((provider: string) => OnExchange) | undefined;
}

interface HostKind {
  create: (options: ProviderConfig & ProviderDependencies & { onExchange?: OnExchange | undefined }) => Provider;
  /** Returns the data that such a host does not report, with a credential or without. */
  unreported: (hasCredential: boolean) => readonly UnreportedKind[];
}

/** All kinds of code hosts. */
const kinds: Readonly<Record<string, HostKind>> = {
  github: { create: createGitHubProvider, unreported: unreportedByGitHub },
  gitea: { create: createGiteaProvider, unreported: () => unreportedByGitea },
  gitlab: { create: createGitLabProvider, unreported: unreportedByGitLab },
  forgejo: { create: createGiteaProvider, unreported: () => unreportedByGitea },
};

/** The names of the kinds of code hosts. */
export const hostKinds: readonly string[] = Object.keys(kinds);

/**
 * Returns the data that a kind of host does not report, with a credential or without.
 * @throws AppError `invalid_input` for a kind that does not exist.
 */
export function unreportedBy(kind: string, hasCredential: boolean): readonly UnreportedKind[] {
  const found = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (found !== undefined) return found.unreported(hasCredential);
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
      const onExchange = dependencies.observe?.(config.name);
      return [config.name, kind.create({ ...config, ...dependencies, onExchange })];
    }),
  );
}

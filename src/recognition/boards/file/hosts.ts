import type { Provider } from '../../../hosts/interface/provider.ts';
import type { Account } from '../../../model/account.ts';
import type { UnreportedHost } from '../../rules/file/unreported-warnings.ts';
import type { RepositoryPattern } from '../board.ts';
import type { FileHost } from './reading.ts';

/** Returns the host of a file of an account, with the data that it and other hosts do not return. */
export function toFileHost(
  { provider, name }: Pick<Account, 'provider' | 'name'>,
  providers: ReadonlyMap<string, Pick<Provider, 'unreported'>>,
): FileHost {
  return { provider, owner: name, unreportedBy: (host) => providers.get(host)?.unreported };
}

/**
 * Returns the hosts of the repositories of a board, each with the data that it does not return. They have names where
 * the board counts repositories of another host than that of its file.
 */
export function listHosts(
  patterns: readonly RepositoryPattern[],
  { provider, unreportedBy = () => undefined }: FileHost,
): UnreportedHost[] {
  const named = patterns
    .filter(({ isIncluded }) => isIncluded)
    .map(({ places }) => {
      const stated = places.at(-1)?.provider ?? provider;
      // The first part of a path is a group of GitLab where no host has this name.
      return unreportedBy(stated) === undefined ? provider : stated;
    });
  const hosts = named.length === 0 ? [provider] : [...new Set(named)];
  const hasNames = hosts.some((host) => host !== provider);
  return hosts.map((host) => ({ name: hasNames ? host : undefined, kinds: unreportedBy(host) ?? [] }));
}

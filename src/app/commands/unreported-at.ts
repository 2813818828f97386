import type { ProviderConfig } from '../../hosts/config/hosts.ts';
import { isHostKind, unreportedBy } from '../../hosts/index.ts';
import type { UnreportedKind } from '../../hosts/interface/provider.ts';
import { AppError } from '../../model/errors.ts';
import { readConfig } from '../config/config.ts';
import type { Io } from './io.ts';

/**
 * Returns the data that a host does not report, for warnings about a file that is previewed. A host without settings is
 * taken to be of the kind that its name says, and read with a credential.
 * @param hosts the hosts that the settings name.
 */
export function unreportedAt(
  io: Io,
  name: string,
  hosts: readonly ProviderConfig[] = readHosts(io),
): readonly UnreportedKind[] {
  const unreported = findUnreported(name, hosts);
  if (unreported === undefined)
    io.warn(`${name} is not configured here, so conditions on data that it does not report get no warning`);
  return unreported ?? [];
}

/**
 * Returns a function that returns the data that a host does not report, for files that name several hosts; undefined for
 * a name of no host. Warns once of each name that is not known, unless it may be a group of GitLab.
 * @param fileHost the host of the file.
 * @param ofFileHost the data that this host does not report.
 */
export function unreportedByHosts(
  io: Io,
  fileHost: string,
  ofFileHost: readonly UnreportedKind[],
): (name: string) => readonly UnreportedKind[] | undefined {
  const hosts = readHosts(io);
  const isGitLab = findKind(fileHost, hosts) === 'gitlab';
  const found = new Map<string, readonly UnreportedKind[] | undefined>([[fileHost, ofFileHost]]);
  return (name) => {
    if (!found.has(name)) found.set(name, isGitLab ? findUnreported(name, hosts) : unreportedAt(io, name, hosts));
    return found.get(name);
  };
}

function findUnreported(name: string, hosts: readonly ProviderConfig[]): readonly UnreportedKind[] | undefined {
  const host = hosts.find((configured) => configured.name === name);
  const hasCredential = host === undefined || host.tokens.length > 0 || host.app !== undefined;
  const kind = findKind(name, hosts);
  return isHostKind(kind) ? unreportedBy(kind, hasCredential) : undefined;
}

function findKind(name: string, hosts: readonly ProviderConfig[]): string {
  return hosts.find((configured) => configured.name === name)?.kind ?? name;
}

/** Returns the hosts that the settings name; none when the settings of the service are incomplete. */
function readHosts({ environment }: Io): ProviderConfig[] {
  try {
    const { providers } = readConfig(environment);
    return providers.filter(({ source }) => source !== 'default');
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}

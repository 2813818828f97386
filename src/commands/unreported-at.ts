import { readFileSync } from 'node:fs';
import { readConfig } from '../config/config.ts';
import type { ProviderConfig } from '../config/hosts.ts';
import { AppError } from '../errors.ts';
import { isHostKind, unreportedBy } from '../providers/index.ts';
import type { UnreportedKind } from '../providers/unreported.ts';
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
  const host = hosts.find((configured) => configured.name === name);
  const hasCredential = host === undefined || host.tokens.length > 0 || host.app !== undefined;
  if (host !== undefined || isHostKind(name)) return unreportedBy(host?.kind ?? name, hasCredential);
  io.warn(`${name} is not configured here, so conditions on data that it does not report get no warning`);
  return [];
}

/** Returns the hosts that the settings name; none when the settings of the service are incomplete. */
function readHosts({ environment }: Io): ProviderConfig[] {
  try {
    const { providers } = readConfig(environment, (path) => readFileSync(path, 'utf8'));
    return providers.filter(({ source }) => source !== 'default');
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}

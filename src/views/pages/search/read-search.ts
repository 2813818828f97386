import type { HostKind } from '../../../hosts/config/host-settings.ts';
import { type HostAddress, readHostAddress } from '../../../model/host-address.ts';
import type { Site } from '../layout/layout.ts';

/** The account or the repository that a search means. */
interface Searched {
  provider: string;
  name: string;
  /** Undefined: the account itself. */
  repository: string | undefined;
}

type Hosts = Pick<Site, 'providers' | 'profileUrl' | 'findKind'>;

/** The first parts of paths that are followed by an account; no account can have these names there. */
const beforeAccounts: Readonly<Record<HostKind, readonly string[]>> = {
  github: ['orgs', 'users', 'sponsors'],
  gitlab: ['groups', 'users'],
  gitea: ['org'],
  forgejo: ['org'],
};

/**
 * Reads what a person typed or pasted into the search: a name, `@NAME`, `OWNER/REPOSITORY`, or the address of any page of an
 * account or a repository at a code host of this service.
 * @param chosen the host that counts unless an address names another one.
 * @returns `unknown-host` for an address of another host, undefined where no account is named.
 */
export function readSearch(hosts: Hosts, text: string, chosen: string): Searched | 'unknown-host' | undefined {
  const written = text.trim();
  const address = readHostAddress(written);
  for (const provider of hosts.providers) {
    const path = address && findPath(address, hosts.profileUrl(provider, ''));
    if (path !== undefined) return readPath(provider, hosts.findKind(provider), path);
  }
  if (/^[a-z][a-z+]*:\/\/|^[\w.-]+@[\w.-]+:/i.test(written)) return 'unknown-host';
  const parts = written
    .replace(/^@/, '')
    .split('/')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return readPath(chosen, hosts.findKind(chosen), parts);
}

/** Returns the path of an address below that of a host; undefined for another host. */
function findPath({ host, path }: HostAddress, hostUrl: string): string[] | undefined {
  const base = URL.parse(hostUrl);
  if (base === null) return undefined;
  // Remotes for git name no port of pages, and browsers show no `www.`.
  if (![base.host, base.hostname].includes(host.toLowerCase().replace(/^www\./, ''))) return undefined;
  const above = base.pathname.split('/').filter((part) => part !== '');
  return path.slice(above.every((part, index) => part === path[index]) ? above.length : 0);
}

function readPath(provider: string, kind: HostKind | undefined, path: readonly string[]): Searched | undefined {
  const isNested = kind === 'gitlab';
  const [first = '', ...rest] = path;
  const isOfAccount = rest.length > 0 && kind !== undefined && beforeAccounts[kind].includes(first);
  const parts = isOfAccount ? rest : path;
  // A dash ends the path of a group or a project of GitLab.
  const end = parts.indexOf('-');
  const named = isNested && end > 0 ? parts.slice(0, end) : parts;
  if (named.length === 0) return undefined;
  if (isOfAccount) return { provider, name: isNested ? named.join('/') : (named[0] ?? ''), repository: undefined };
  const ownerParts = isNested ? Math.max(1, named.length - 1) : 1;
  return { provider, name: named.slice(0, ownerParts).join('/'), repository: named[ownerParts] };
}

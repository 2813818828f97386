/** A place at a code host. */
export interface HostAddress {
  /** The host's name, with its port where the address is of a page and has one. */
  host: string;
  /** The parts of the path, without `.git` at its end. */
  path: string[];
}

/**
 * Reads an address at a code host as people paste it: that of a page, with or without a scheme, or that of a repository for
 * git, such as `git@HOST:OWNER/NAME.git`.
 * @returns undefined for another text. `a.b/c` is read as an address; only the hosts that a caller knows can say that it is none.
 */
export function readHostAddress(text: string): HostAddress | undefined {
  const written = text.trim().replace(/^([\w.-]+@[\w.-]+):(?!\/)/, 'ssh://$1/');
  const url = URL.parse(/^[a-z][a-z+]*:\/\//i.test(written) ? written : `https://${written}`);
  if (url === null || !/^(?:https?|ssh|git(?:\+ssh)?):$/.test(url.protocol) || !isHost(url)) return undefined;
  const parts = url.pathname.split('/').filter((part) => part !== '');
  const path = parts.map((part, index) => decode(index === parts.length - 1 ? part.replace(/\.git$/, '') : part));
  // The port of a remote for git is not that of the pages.
  return { host: url.protocol.startsWith('http') ? url.host : url.hostname, path };
}

function isHost({ hostname, port }: URL): boolean {
  return hostname.includes('.') || hostname === 'localhost' || port !== '';
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

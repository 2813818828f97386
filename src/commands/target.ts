/** The subject of a command: an account, or one repository of it. */
export interface NamedTarget {
  provider: string;
  name: string;
  /** Undefined: the whole account. */
  repository: string | undefined;
}

/**
 * Reads PROVIDER/OWNER[/REPOSITORY]; an owner below another is written with %2F.
 * @returns undefined for another form.
 */
export function readTarget(target: string | undefined): NamedTarget | undefined {
  const [provider, owner, repository, ...rest] = (target ?? '').split('/');
  const name = decoded(owner);
  if (!provider || !name || repository === '' || rest.length > 0) return undefined;
  return { provider, name, repository };
}

/**
 * Reads PROVIDER/OWNER/REPOSITORY, where an owner below another may be written with / as well: the last part is always
 * the repository. OWNER/REPOSITORY alone is one at GitHub.
 * @param provider of OWNER/REPOSITORY, where it was given separately.
 * @returns undefined for another form.
 */
export function readRepositoryTarget(
  target: string,
  provider?: string,
): (NamedTarget & { repository: string }) | undefined {
  const parts = target.split('/');
  const repository = parts.pop();
  const host = provider ?? (parts.length > 1 ? parts.shift() : 'github');
  const name = decoded(parts.join('/'));
  const isWhole = !parts.includes('') && name !== '' && name !== undefined;
  return host && repository && isWhole ? { provider: host, name, repository } : undefined;
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text && decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

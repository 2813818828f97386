/** The subject of a command: an account, or one repository of it. */
export interface NamedTarget {
  provider: string;
  name: string;
  /** Undefined: the whole account. */
  repository: string | undefined;
}

/**
 * Reads PROVIDER/OWNER[/REPOSITORY]. In the path of a nested owner, such as a subgroup of GitLab, `/` is written as `:`, as in
 * addresses; %2F is also read.
 * @returns undefined for another form.
 */
export function readTarget(target: string | undefined): NamedTarget | undefined {
  const [provider, owner, repository, ...rest] = (target ?? '').split('/');
  const name = decoded(owner);
  if (!provider || !name || repository === '' || rest.length > 0) return undefined;
  return { provider, name, repository };
}

/**
 * Reads PROVIDER/OWNER/REPOSITORY, where the path of a nested owner may contain `/`, because the last part is always
 * the repository. OWNER/REPOSITORY without a provider is a repository on GitHub.
 * @returns undefined for another form.
 */
export function readRepositoryTarget(target: string): (NamedTarget & { repository: string }) | undefined {
  const parts = target.split('/');
  const repository = parts.pop();
  const host = parts.length > 1 ? parts.shift() : 'github';
  const name = decoded(parts.join('/'));
  const isWhole = !parts.includes('') && name !== '' && name !== undefined;
  return host && repository && isWhole ? { provider: host, name, repository } : undefined;
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text && decodeURIComponent(text).replaceAll(':', '/');
  } catch {
    return undefined;
  }
}

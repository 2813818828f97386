/** What a command is about: an account, or one repository of it. */
export interface NamedTarget {
  provider: string;
  name: string;
  /** Undefined: the whole account. */
  repository: string | undefined;
}

/** Reads PROVIDER/OWNER[/REPOSITORY]; an owner below another is written with %2F. @returns undefined for another form. */
export function readTarget(target: string | undefined): NamedTarget | undefined {
  const [provider, owner, repository, ...rest] = (target ?? '').split('/');
  const name = decoded(owner);
  if (!provider || !name || repository === '' || rest.length > 0) return undefined;
  return { provider, name, repository };
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text && decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Paths of pages, and of the images and data on them. */

export function accountPath(provider: string, name: string): string {
  return `/${provider}/${encodeURIComponent(name)}`;
}

export function repositoryPath(provider: string, owner: string, name: string): string {
  return `${accountPath(provider, owner)}/${encodeURIComponent(name)}`;
}

/** The avatar of an account, which this service fetches, so that no visitor's request reaches another server. */
export function avatarPath(provider: string, name: string): string {
  return `/avatars${accountPath(provider, name)}`;
}

/** An endpoint of the API about an account. */
export function endpointPath(
  provider: string,
  name: string,
  endpoint: string,
  query: Record<string, string> = {},
): string {
  const parameters = new URLSearchParams(query).toString();
  const path = `/v1/${provider}/entities/${encodeURIComponent(name)}/${endpoint}`;
  return parameters === '' ? path : `${path}?${parameters}`;
}

/** The composer with a card of an account. */
export function composerPath(query: Record<string, string>): string {
  return `/cards?${new URLSearchParams(query).toString()}`;
}

/** The settings of an account, or a section of them. */
export function settingsPath(provider: string, name: string, section = ''): string {
  const path = `/settings${accountPath(provider, name)}`;
  return section === '' ? path : `${path}/${section}`;
}

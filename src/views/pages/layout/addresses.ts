/** Paths of pages, and of the images and data on them. */

import { toPathPart } from '../../../model/account.ts';

/** Characters that `URLSearchParams` leaves as they are. */
const plain = /^[\w.*-]*$/;

/** Returns a path with parameters. */
export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  // A page has dozens of addresses, of which most need no encoding.
  let text = '';
  for (const name in query) {
    const value = query[name] ?? '';
    if (!plain.test(name) || !plain.test(value)) return `${path}?${new URLSearchParams(query).toString()}`;
    text += `${text === '' ? '?' : '&'}${name}=${value}`;
  }
  return path + text;
}

export function accountPath(provider: string, name: string): string {
  return `/${provider}/${toPathPart(name)}`;
}

export function repositoryPath(provider: string, owner: string, name: string): string {
  return `${accountPath(provider, owner)}/${encodeURIComponent(name)}`;
}

/** Returns the path of an endpoint of the API about an account. */
export function endpointPath(
  provider: string,
  name: string,
  endpoint: string,
  query: Record<string, string> = {},
): string {
  return withQuery(`/v1/${provider}/entities/${toPathPart(name)}/${endpoint}`, query);
}

/** Returns the path of an endpoint's image for previews of links; `renderDocument` states its size. */
export function previewPath(
  provider: string,
  name: string,
  endpoint: string,
  query: Record<string, string> = {},
): string {
  const look = { theme: 'light', format: 'png', canvas: 'preview' };
  return endpointPath(provider, name, endpoint, { ...query, ...previewList(endpoint), ...look });
}

/** Returns the options of a list in a preview, which is wide and low: more items would make its texts too small. */
function previewList(endpoint: string): Record<string, string> {
  if (endpoint.startsWith('boards/')) return { limit: '5' };
  return endpoint === 'contributors' ? { width: '720', limit: '12' } : {};
}

/** Returns the path of the composer with a card of an account. */
export function composerPath(query: Record<string, string>): string {
  return withQuery('/cards', query);
}

/** Returns the path of the settings of an account, or of one section. */
export function settingsPath(provider: string, name: string, section = ''): string {
  const path = `/settings${accountPath(provider, name)}`;
  return section === '' ? path : `${path}/${section}`;
}

/** Returns the path of the page with the items that a counter of an account counts. */
export function counterPath(provider: string, name: string, counter: string): string {
  return `${accountPath(provider, name)}/contributions/${counter}`;
}

/** Returns the path of the page with the commits that the number of a language counts. */
export function languagePath(provider: string, name: string, language: string): string {
  return `${accountPath(provider, name)}/contributions/languages/${encodeURIComponent(language)}`;
}

/** Returns the path of the page with the items that a counter of a repository counts. */
export function repositoryCounterPath(provider: string, owner: string, name: string, counter: string): string {
  return `${repositoryPath(provider, owner, name)}/contributions/${counter}`;
}

/**
 * Returns the path of the page with the items that the number of a contributor counts.
 * @param of the path of the owner's page, or of the repository's.
 */
export function contributorPath(of: string, login: string): string {
  return `${of}/contributors/${encodeURIComponent(login)}`;
}

export function awardPath(provider: string, name: string, id: string): string {
  return `${accountPath(provider, name)}/achievements/${id}`;
}

/** Returns the path of the page with what counts towards the next award of a person. */
export function progressPath(provider: string, name: string): string {
  return `${accountPath(provider, name)}/achievements/next`;
}

export function boardPath(provider: string, owner: string, slug: string): string {
  return `${accountPath(provider, owner)}/boards/${slug}`;
}

/** Returns the path of the page with the people who hold an achievement. */
export function holdersPath(provider: string, owner: string, repository: string, id: string): string {
  return `${repositoryPath(provider, owner, repository)}/achievements/${id}`;
}

/** Returns the items between commas, each once. */
export function splitList(text: string | undefined): string[] {
  const items = (text ?? '').split(',').map((item) => item.trim());
  return [...new Set(items.filter((item) => item !== ''))];
}

/** Returns a URL without the slashes at its end. */
export function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

/** Returns whether a text is an http:// or https:// address without user, query and fragment. */
export function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, search, hash, username } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && search === '' && hash === '' && username === '';
}

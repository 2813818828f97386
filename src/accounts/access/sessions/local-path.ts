const base = 'http://service.invalid';

/** Returns the text if it is a path of this service; returns `otherwise` when it would lead to another site. */
export function localPath(text: string | undefined, otherwise: string): string {
  // Browsers read `\` as `/`, and leave out tabs and line breaks.
  const isPath = text !== undefined && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text) && URL.canParse(text, base);
  if (!isPath) return otherwise;
  const { origin, pathname, search } = new URL(text, base);
  return origin === base && !pathname.startsWith('//') ? `${pathname}${search}` : otherwise;
}

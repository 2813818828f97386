const base = 'http://service.invalid';

/** Returns a path of this service, or another one in its place where the text leads elsewhere. */
export function localPath(text: string | undefined, otherwise: string): string {
  // Browsers read `\` as `/`, and leave out tabs and line breaks.
  const isPath = text !== undefined && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text) && URL.canParse(text, base);
  if (!isPath) return otherwise;
  const { origin, pathname, search } = new URL(text, base);
  return origin === base && !pathname.startsWith('//') ? `${pathname}${search}` : otherwise;
}

/** Decodes the content of a file in a response. @returns null when it is not valid UTF-8 text, or absent. */
export function decodeText(encoding: string | null | undefined, content: string | null | undefined): string | null {
  if (encoding !== 'base64' || content === null || content === undefined) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(content, 'base64'));
  } catch {
    return null;
  }
}

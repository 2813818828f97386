import assert from 'node:assert/strict';
import { SaxesParser } from 'saxes';
import sharp from 'sharp';

/** Returns the credential in a PNG, as libvips reads it; fails unless there is exactly one. */
export async function credentialInPng(image: Buffer): Promise<string> {
  const { comments = [] } = await sharp(image, { failOn: 'warning' }).metadata();
  const texts = comments.filter(({ keyword }) => keyword === 'openbadgecredential').map(({ text }) => text);
  assert.equal(texts.length, 1);
  return texts[0] ?? assert.fail();
}

/** Returns the credential in an SVG, as an XML parser reads it; fails unless there is exactly one. */
export function credentialInSvg(image: string): string {
  const found: string[] = [];
  const parser = new SaxesParser({ xmlns: true });
  parser.on('opentag', ({ uri, local, attributes }) => {
    if (uri !== 'https://purl.imsglobal.org/ob/v3p0' || local !== 'credential') return;
    found.push(attributes['verify']?.value ?? assert.fail());
  });
  parser.on('error', (error) => assert.fail(error));
  parser.write(image).close();
  assert.equal(found.length, 1);
  return found[0] ?? assert.fail();
}

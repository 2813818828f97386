import assert from 'node:assert/strict';
import { SaxesParser } from 'saxes';

const elements = new Set([
  'svg',
  'title',
  'desc',
  'style',
  'text',
  'rect',
  'circle',
  'path',
  'g',
  'image',
  'clipPath',
  'pattern',
  'linearGradient',
  'stop',
]);

/** Parses an SVG card as XML and asserts the rules that every card must keep. */
export function readSvg(svg: string): { texts: string[]; title: string; description: string } {
  const parser = new SaxesParser({ xmlns: true });
  const texts: string[] = [];
  const labels = { title: '', desc: '' };
  let inside = '';
  parser.on('error', (error) => assert.fail(`${error.message}\n${svg}`));
  parser.on('doctype', () => assert.fail('a card has no document type'));
  parser.on('opentag', ({ local, uri, attributes }) => {
    inside = local;
    assert.ok(elements.has(local), `${local} is an element of ours`);
    assert.equal(uri, 'http://www.w3.org/2000/svg');
    for (const { local: name, value } of Object.values(attributes)) {
      assert.doesNotMatch(name, /^on/i);
      if (name === 'href') assert.match(value, /^data:image\/(png|jpeg|svg\+xml);base64,[\w+/=]+$/);
      else assert.doesNotMatch(value, /javascript:|url\((?!#)/i);
    }
  });
  parser.on('text', (text) => {
    if (inside === 'text') texts.push(text);
    if (inside === 'title' || inside === 'desc') labels[inside] += text;
    if (inside === 'style') assert.doesNotMatch(text, /url\(|@import|<|expression/);
  });
  parser.on('closetag', () => {
    inside = '';
  });
  parser.write(svg).close();
  assert.match(svg, /^<svg [^>]*role="img" aria-labelledby="title/);
  return { texts, title: labels.title.trim(), description: labels.desc.trim() };
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { metals } from '../../cards/drawing/medal.ts';
import { palettes } from '../../cards/drawing/themes.ts';

/** The stylesheet: the colours of cards, then the rules. */
export const style = [tokens(), ...['style.css', '../docs/style.css'].map(readText)].join('\n');

/** The script that shows the texts about numbers. */
export const tips = readText('script.js');

/**
 * The paths of the stylesheet and of the script. The paths change with the content, so that the files may be cached for ever.
 */
export const stylePath = `/pages/style-${toVersion(style)}.css`;
export const tipsPath = `/pages/tips-${toVersion(tips)}.js`;

function readText(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8');
}

function toVersion(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 12);
}

function tokens(): string {
  const { light, dark } = palettes;
  if (light === undefined || dark === undefined) throw new Error('a theme is missing');
  const darkColours = new Map(Object.entries(dark));
  const lines = Object.entries(light).map(
    ([name, colour]) => `  --${name}: light-dark(${colour}, ${darkColours.get(name)});`,
  );
  const rims = metals.map(({ name, colour }) => `  --${name}: ${colour};`);
  return `:root {\n  color-scheme: light dark;\n${[...lines, ...rims].join('\n')}\n}`;
}

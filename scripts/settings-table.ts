import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { settings } from '../src/app/config/settings.ts';

/** Writes the table of settings into docs/settings.md, between two marks; `--check` fails when it is outdated. */

const file = fileURLToPath(new URL('../docs/settings.md', import.meta.url));
const marks = { start: '<!-- settings -->', end: '<!-- /settings -->' };

const rows = settings.map(({ name, default: value, range, description }) => {
  const bounds = range === undefined ? '' : `; ${range.min} to ${range.max}`;
  return `| \`${name}\` | ${value}${bounds} | ${description} |`;
});
const secrets = settings.filter(({ isSecret }) => isSecret).map(({ name }) => `\`${name}\``);
const lines = [
  '| setting | default; bounds | meaning |',
  '|---|---|---|',
  ...rows,
  '',
  `Secrets can come from a file, as in \`GITHUB_TOKEN_FILE=...\`: ${secrets.join(', ')}.`,
];

const before = readFileSync(file, 'utf8');
const [start, end] = [before.indexOf(marks.start), before.indexOf(marks.end)];
if (start < 0 || end < start) throw new Error(`docs/settings.md needs the marks ${marks.start} and ${marks.end}`);
const after = `${before.slice(0, start)}${marks.start}\n${lines.join('\n')}\n${before.slice(end)}`;
if (!process.argv.includes('--check')) writeFileSync(file, after);
else if (after !== before) {
  console.error('docs/settings.md does not list the settings as they are: run npx node scripts/settings-table.ts');
  process.exitCode = 1;
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from '../src/app/app.ts';
import { sample } from '../src/app/commands/sample.ts';
import { readConfig } from '../src/app/config/config.ts';
import { createLog } from '../src/model/log.ts';

/** Makes `docs/response.svg` and `docs/card.svg` from responses that the service really sends with its sample. */

const file = fileURLToPath(new URL('../docs/response.svg', import.meta.url));
const cardFile = fileURLToPath(new URL('../docs/card.svg', import.meta.url));
const path = '/v1/github/entities/sample-ada/contributions';
const lineHeight = 19;
const width = 860;
const maxLineLength = 98;

const dataDir = await mkdtemp(join(tmpdir(), 'plaudit-picture-'));
const environment = { DATA_DIR: dataDir, PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'silent' };
try {
  const signal = new AbortController().signal;
  await sample({ environment, print: () => {}, warn: () => {}, isTerminal: false, signal });
  const config = readConfig(environment, () => '');
  const service = await startService(config, { log: createLog(config.logLevel) });
  const answer: unknown = await (await fetch(`${service.url}${path}`)).json();
  const card = await (await fetch(`${service.url}${path}?format=svg`)).text();
  await service.close();
  await writeFile(cardFile, card);
  await writeFile(file, draw([`$ curl -s localhost:8080${path} | jq`, ...JSON.stringify(answer, null, 2).split('\n')]));
} finally {
  await rm(dataDir, { recursive: true, force: true });
}

function draw(lines: readonly string[]): string {
  const height = lines.length * lineHeight + 56;
  const texts = lines.map((line, index) => {
    const y = 46 + index * lineHeight;
    const content = index === 0 ? `<tspan class="prompt">${escape(line)}</tspan>` : colour(shortened(line));
    return `<text x="22" y="${y}" xml:space="preserve">${content}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>What the service answers for a sample account: its profile and lifetime contributions as JSON</title>
<style>
text { font: 13.5px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d7dce2 }
.prompt { fill: #8fd18a } .key { fill: #86b8f0 } .string { fill: #e6c07b } .number { fill: #d99ad9 }
</style>
<rect width="${width}" height="${height}" rx="10" fill="#1c2128"/>
<g fill="#444c56"><circle cx="24" cy="18" r="5"/><circle cx="42" cy="18" r="5"/><circle cx="60" cy="18" r="5"/></g>
${texts.join('\n')}
</svg>
`;
}

/** Shortens a line, because a cursor is longer than the image is wide. */
function shortened(line: string): string {
  return line.length > maxLineLength ? `${line.slice(0, maxLineLength - 1)}…"` : line;
}

/** Returns a line of indented JSON with its parts marked. */
function colour(line: string): string {
  const [, indent = '', key, rest = ''] = /^(\s*)(?:("[^"]*"): )?(.*)$/.exec(line) ?? [];
  const value = rest.startsWith('"')
    ? `<tspan class="string">${escape(rest)}</tspan>`
    : /^[\d-]/.test(rest)
      ? `<tspan class="number">${escape(rest)}</tspan>`
      : escape(rest);
  return `${indent}${key === undefined ? '' : `<tspan class="key">${escape(key)}</tspan>: `}${value}`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

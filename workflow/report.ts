import { setOutput, summary } from '@actions/core';
import type { Place } from './inputs.ts';

/** A card as `plaudit card --json` reports it. */
export interface WrittenCard {
  path: string;
  file: string;
  changed: boolean;
  description: string;
  numbers: unknown;
}

/** Outputs of all jobs of a run are limited to 50 MB, and those of a job to 1 MB. */
const maxNumbersLength = 500_000;

/** Sets the outputs, and writes the summary of the job. @param branch the branch with the files; undefined: there is none. */
export async function report(place: Place, cards: readonly WrittenCard[], branch: string | undefined): Promise<void> {
  const json = JSON.stringify(cards);
  setOutput(
    'changed',
    cards.some(({ changed }) => changed),
  );
  setOutput(
    'cards',
    json.length > maxNumbersLength ? JSON.stringify(cards.map((card) => ({ ...card, numbers: undefined }))) : json,
  );
  if ((process.env['GITHUB_STEP_SUMMARY'] ?? '') === '') return;
  const rows = cards.map(
    (card) =>
      `| ${formatFile(place, card.file, branch)} | ${toPlain(card.description)} | ${card.changed ? 'new' : 'as it was'} |`,
  );
  await summary.addRaw(['| card | content | file |', '|---|---|---|', ...rows, ''].join('\n')).write();
}

/** Formats a file as a link to its page. Images would be of no use, because summaries show no SVG. */
function formatFile({ serverUrl, repository, host }: Place, file: string, branch: string | undefined): string {
  if (branch === undefined) return toPlain(file);
  const folder = host === 'github' ? 'blob' : 'src/branch';
  const path = [...branch.split('/'), ...file.split('/')].map(encodeURIComponent).join('/');
  return `[${toPlain(file)}](${serverUrl}/${repository}/${folder}/${path})`;
}

/** Returns a text without anything that Markdown, HTML or a table gives a meaning. */
function toPlain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|~#@!]/g, (character) => `&#${character.charCodeAt(0)};`);
}

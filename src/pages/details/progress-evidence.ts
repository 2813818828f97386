import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { AppError } from '../../errors.ts';
import { MovedRepository } from '../../http/endpoint.ts';
import type { ReadPart } from '../../http/pages.ts';
import { accountPath, progressPath, repositoryPath } from '../addresses.ts';
import { definitionOf } from '../definitions/index.ts';
import { html, type Markup } from '../html.ts';
import { numberLink, tip } from '../numbers.ts';
import type { Reader } from '../reader.ts';
import type { NumberDetails } from './evidence-page.ts';

/** The achievement that a person is closest to, in the response that lists what counts towards it. */
const Progress = Type.Object({
  name: Type.String(),
  repository: Type.String(),
  condition: Type.String(),
  present: Type.Integer(),
  wanted: Type.Integer(),
});
export type Progress = Static<typeof Progress>;
const ProgressMeta = Type.Object({ progress: Progress });

/** Reads the achievement that a person is closest to; undefined while the person has begun none. */
export async function readProgress(read: ReadPart): Promise<Progress | undefined> {
  try {
    const result = await read('listNextEvidence', { limit: 1 });
    if (result === undefined || result instanceof MovedRepository) return undefined;
    return Value.Parse(ProgressMeta, result.envelope.meta_data).progress;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** Renders the progress to the next award, with a link to what counts towards it. */
export function progressLine(
  provider: string,
  account: string,
  { name, condition, present, wanted }: Progress,
  asOf: Date | undefined,
  reader: Reader,
): Markup {
  const { language, to } = reader;
  const facts = { id: 'progress-tip', means: definitionOf('progress', reader), window: condition, asOf };
  const number = numberLink(to(progressPath(provider, account)), language.number(present), facts);
  return html`<p class="facts"><span class="tipped">${language.words.nextAchievement}: <bdi>${name}</bdi> · <bdi>${number} / ${language.number(wanted)}</bdi>${tip(facts, reader)}</span></p>`;
}

/** Returns the details of the progress to an award. */
export function progressDetails(
  meta: unknown,
  { provider, name }: { provider: string; name: string },
  { language, to }: Reader,
): NumberDetails {
  const { progress } = Value.Parse(ProgressMeta, meta);
  const place = progress.repository.lastIndexOf('/');
  const [owner, repository] = [progress.repository.slice(0, place), progress.repository.slice(place + 1)];
  return {
    total: progress.present,
    subject: progress.name,
    changed: 0,
    listLink: html`<a href="${to(accountPath(provider, name))}#achievements">${language.words.achievementsTitle}</a>`,
    facts: html`<p class="facts"><bdi>${language.number(progress.present)} / ${language.number(progress.wanted)}</bdi><a href="${to(repositoryPath(provider, owner, repository))}"><bdi>${progress.repository}</bdi></a><code dir="ltr">${progress.condition}</code></p>`,
  };
}

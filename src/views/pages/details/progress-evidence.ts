import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { NextAchievement } from '../../../recognition/achievements/awards/next-store.ts';
import { accountPath, progressPath, repositoryPath } from '../addresses.ts';
import { defineNumber } from '../definitions.ts';
import { html, type Markup } from '../layout/html.ts';
import { numberLink, tip } from '../layout/numbers.ts';
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
const ProgressMeta = Type.Object({ progress: Progress });

/** Renders the progress to the next award, with a link to what counts towards it. */
export function progressLine(
  provider: string,
  account: string,
  { name, goal, present, wanted }: NextAchievement,
  asOf: Date | undefined,
  reader: Reader,
): Markup {
  const { language, to } = reader;
  const facts = { id: 'progress-tip', means: defineNumber('progress', reader), window: goal.trigger.text, asOf };
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

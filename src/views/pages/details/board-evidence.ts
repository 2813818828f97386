import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { daysOfWindow } from '../account/window-picker.ts';
import { boardPath, withQuery } from '../addresses.ts';
import { html } from '../layout/html.ts';
import { BoardFacts } from '../layout/parts.ts';
import type { Reader } from '../reader.ts';
import type { NumberDetails } from './evidence-page.ts';

/** The members of the response with the evidence of a person that pages show. */
const Meta = Type.Object({
  board: BoardFacts,
  person: Type.Object({
    points: Type.Number(),
    points_by_rule: Type.Array(Type.Object({ rule: Type.Integer(), points: Type.Number() })),
  }),
  sum: Type.Object({ remainder: Type.Number() }),
  grants: Type.Array(Type.Object({ points: Type.Number(), reason: Type.String(), granted_by: Type.String() })),
});

/** Returns the details of the points of a person on a board. */
export function pointsDetails(
  meta: unknown,
  { provider, name, season }: { provider: string; name: string; season: string | undefined },
  { words, language, to }: Reader,
): NumberDetails {
  const { board, person, sum, grants } = Value.Parse(Meta, meta);
  const { window, rules, threshold } = board;
  const isOpen = window.since === null && window.until === null;
  const byRule = new Map(person.points_by_rule.map(({ rule, points }) => [rule, points]));
  return {
    total: person.points,
    changed: sum.remainder,
    listLink: html`<a href="${to(withQuery(boardPath(provider, name, board.slug), season === undefined ? {} : { season }))}">${board.name}</a>`,
    facts: html`<p class="facts"><span>${isOpen ? words.detail.lifetime : daysOfWindow(window, language)}</span>${threshold !== null && html`<bdi>${language.number(person.points)} / ${language.number(threshold)}</bdi>`}</p>`,
    parts: html`<section><h2>${words.detail.rules}</h2><ol class="rules">${rules.map(
      ({ number, text }) =>
        html`<li><span lang="en" dir="ltr">${text}</span> <span class="chip">${language.number(byRule.get(number) ?? 0)}</span></li>`,
    )}${grants.map(
      ({ points, reason, granted_by: by }) =>
        html`<li><bdi>${reason}</bdi> · <bdi>${by}</bdi> <span class="chip">${language.number(points)}</span></li>`,
    )}</ol></section>`,
  };
}

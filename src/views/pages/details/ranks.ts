import { type Static, Type } from 'typebox';
import { fill } from '../../languages/language.ts';
import { avatar } from '../account/sections.ts';
import { accountPath } from '../addresses.ts';
import { defineNumber } from '../definitions.ts';
import { html, type Markup, trusted } from '../layout/html.ts';
import { type NumberFacts, numberLink, sharedTip } from '../layout/numbers.ts';
import type { Reader } from '../reader.ts';

/** The people of a ranking; null for those of a frozen season who were erased or hidden later. */
export const RankPart = Type.Object({
  rank: Type.Integer(),
  person: Type.Union([
    Type.Null(),
    Type.Object({ provider: Type.String(), name: Type.String(), display_name: Type.String() }),
  ]),
  points: Type.Number(),
  change: Type.Union([Type.Null(), Type.Integer()]),
  newcomer: Type.Boolean(),
  returning: Type.Boolean(),
  granted: Type.Number(),
  eligible: Type.Union([Type.Null(), Type.Boolean()]),
  teams: Type.Array(Type.String()),
});
export type RankPart = Static<typeof RankPart>;

/** The number of rows that a reader sees at once. The reader's own row among them is marked, and not repeated above. */
const seenAtOnce = 10;

/** The facts about the points of a ranking, and where pages show their items. */
export interface RankFacts extends NumberFacts {
  /** Returns the path of the page with the items of a person. */
  toPath: (login: string) => string;
  /** The host of names without one. */
  provider: string;
  /** The points from which a person is eligible; null where the board has none. */
  threshold: number | null;
}

/** The first three, the first one in the middle. */
export function podium(items: readonly RankPart[], facts: RankFacts, reader: Reader): Markup {
  const { language, to } = reader;
  return html`<section><div class="podium">${items.map((item) => {
    const { rank, person, points } = item;
    if (person === null) return html`<div><strong>–</strong></div>`;
    const { provider, name, display_name: displayName } = person;
    const text = language.plural('points', points);
    return html`<div><a href="${to(accountPath(provider, name))}">${avatar(provider, person, 72)}<strong dir="auto">${displayName || name}</strong></a>
<span class="place">${language.number(rank)}</span>${renderPoints(item, text, { ...facts, id: 'podium-tip' }, reader)}</div>`;
  })}</div>${sharedTip({ ...facts, id: 'podium-tip' }, reader)}</section>`;
}

/** The rows of a ranking, below that of the person who is signed in, unless it is one of the first. */
export function rankTable(
  { items, own }: { items: readonly RankPart[]; own?: RankPart | undefined },
  facts: RankFacts,
  reader: Reader,
): Markup {
  const { detail } = reader.words;
  const { language } = reader;
  const { threshold } = facts;
  const isOwn = ({ rank, person }: RankPart): boolean =>
    own !== undefined && rank === own.rank && person?.name === own.person?.name;
  const isPinned = own !== undefined && !items.slice(0, seenAtOnce).some(isOwn);
  return html`<div class="wide" role="region" aria-label="${detail.ranking}" tabindex="0"><table class="ranks"><thead><tr><th scope="col">${detail.rank}</th><th scope="col">${detail.person}</th><th scope="col">${detail.points}</th><th scope="col">${detail.change}</th></tr></thead>
<tbody>${isPinned && row(own, { facts, isOwn: true }, reader)}${items.map((item) => row(item, { facts, isOwn: isOwn(item) }, reader))}</tbody></table></div>
${sharedTip(facts, reader)}
${threshold !== null && html`<p class="note">${detail.eligible}: <bdi dir="ltr">≥ ${language.number(threshold)}</bdi></p>`}
<p class="note">${detail.change}: ${defineNumber('change', reader)}</p>`;
}

function row(item: RankPart, { facts, isOwn }: { facts: RankFacts; isOwn: boolean }, reader: Reader): Markup {
  const { rank, person, points, granted, change, newcomer, returning, eligible, teams } = item;
  const { words, language, to } = reader;
  const { detail } = words;
  return html`<tr${isOwn && trusted(' class="own"')}><td>${language.number(rank)}</td><td>${person === null ? '–' : html`<a class="who" href="${to(accountPath(person.provider, person.name))}">${avatar(person.provider, person, 28)}<bdi>${person.display_name || person.name}</bdi></a>`}${isOwn && chip(detail.you)}${eligible === true && chip(detail.eligible)}${newcomer && chip(detail.newcomer)}${returning && chip(detail.returning)}${teams.map(chip)}</td>
<td>${renderPoints(item, language.number(points), facts, reader)}${granted !== 0 && html`<small dir="auto">${fill(detail.granted, { n: language.number(granted) })}</small>`}</td><td>${moved(change, reader)}</td></tr>`;
}

function renderPoints({ person }: RankPart, text: string, facts: RankFacts, { to }: Reader): Markup {
  const { toPath, provider } = facts;
  if (person === null) return html`<span>${text}</span>`;
  const login = person.provider === provider ? person.name : `${person.provider}/${person.name}`;
  return numberLink(to(toPath(login)), text, facts);
}

function chip(text: string): Markup {
  return html` <span class="chip">${text}</span>`;
}

function moved(change: number | null, { language }: Reader): Markup | string {
  if (change === null || change === 0) return '–';
  const sign = change > 0 ? '▲' : '▼';
  return html`<span class="${change > 0 ? 'up' : 'down'}"><span aria-hidden="true">${sign} ${language.number(Math.abs(change))}</span><span class="unseen">${language.signed(change)}</span></span>`;
}

import { avatarPath } from '../../../accounts/entity.ts';
import type { ShownRepository } from '../../../accounts/repositories/page-store.ts';
import { colourOfLanguage } from '../../../contributions/languages/linguist.ts';
import type { LanguageSum } from '../../../contributions/languages/store.ts';
import { type CounterName, counterRows, ofContributions, storedCounters } from '../../../model/kinds.ts';
import { type Earnable, maxHolders } from '../../../recognition/achievements/awards/holders-store.ts';
import { icons } from '../../cards/contributions/counters.ts';
import { toInitials } from '../../cards/drawing/avatar.ts';
import { metals, toMetal } from '../../cards/drawing/medal.ts';
import { fill } from '../../languages/language.ts';
import {
  accountPath,
  awardPath,
  boardPath,
  endpointPath,
  holdersPath,
  languagePath,
  repositoryCounterPath,
  repositoryPath,
  withQuery,
} from '../layout/addresses.ts';
import { html, type Markup, trusted } from '../layout/html.ts';
import { asOfText, defineCounter, defineNumber, type NumberFacts, numberLink, sharedTip } from '../layout/numbers.ts';
import type { AwardPart, BoardPart, Part } from '../layout/parts.ts';
import { oncePerLanguage, type Reader } from '../layout/reader.ts';
import { privateQuery } from './window-picker.ts';

/** Sections that several pages show. */

/** The counters that a calendar shows together. */
const dailyCounters = counterRows.filter((row) =>
  ofContributions(storedCounters).some(({ name }) => name === row.name),
);

/** @param id the fragment that leads to it. */
export function section(title: string, content: Markup, more?: Markup, id?: string): Markup {
  return html`<section${id !== undefined && html` id="${id}"`}><div class="heading"><h2>${title}</h2>${more}</div>
${content}
</section>`;
}

/** Renders an avatar beside a name. The initials beneath it are seen while there is no image. */
export function avatar(provider: string, account: { name: string; display_name: string }, sizePx: number): Markup {
  const { name, display_name: displayName } = account;
  return html`<span class="avatar" data-initials="${toInitials(displayName || name)}"><img src="${avatarPath(provider, name)}" alt="" width="${sizePx}" height="${sizePx}" loading="lazy"></span>`;
}

/** Renders a person's avatar, name and login, with a link to the person's page. */
export function personLink(provider: string, person: { name: string; display_name: string }, { to }: Reader): Markup {
  return html`<a href="${to(accountPath(provider, person.name))}">${avatar(provider, person, 40)}
<span class="who"><strong dir="auto">${person.display_name || person.name}</strong><small dir="ltr">${person.name}</small></span></a>`;
}

/** Lifetime counters, and the pages with the items of each. */
interface ShownCounters {
  /** Counters without a value are not shown. */
  values: Readonly<Partial<Record<CounterName, number>>>;
  toPath: (counter: CounterName) => string;
  /** True when the counters count the items of all people in repositories, as for an organization. */
  isOfAll: boolean;
}

/** Renders counters, the most usual first. */
export function counters(
  { values, toPath, isOfAll }: ShownCounters,
  part: Pick<Part<unknown>, 'asOf' | 'missing' | 'includesPrivate'>,
  reader: Reader,
): Markup {
  const { language, words, to } = reader;
  const { asOf, missing, includesPrivate } = part;
  const visible = privateQuery(includesPrivate);
  const end = html`${asOfText(asOf, reader)}</span></dd></div>`;
  const framed = (isOfAll ? framesOfAll : framesOfPerson)(reader);
  return html`<dl class="counters">${framed.map(({ name, id, before, after }) => {
    const value = values[name];
    if (value === undefined) return false;
    const isUnknown = value === 0 && missing.includes(name);
    const number = isUnknown
      ? html`<span aria-hidden="true">–</span><span class="unseen">${words.unknownValue}</span>`
      : numberLink(to(withQuery(toPath(name), visible)), language.number(value), { id });
    return [before, number, after, end];
  })}</dl>
${provenance(part, reader)}`;
}

/** Returns the markup around the number of each counter, which is the same on all pages in a language. */
const createFrames = ({ isOfAll }: { isOfAll: boolean }) =>
  oncePerLanguage((reader) =>
    counterRows.map(({ name }) => {
      const id = `${name}-tip`;
      const [means] = defineCounter(name, { isOfAll }, reader);
      return {
        name,
        id,
        before: html`<div><dt><svg viewBox="0 0 16 16" aria-hidden="true">${trusted(icons[name])}</svg>${reader.language.words[name]}</dt>
<dd>`,
        after: html`<span class="tip" role="tooltip" id="${id}" popover>${means} <bdi>${reader.words.detail.lifetime}</bdi>`,
      };
    }),
  );
const framesOfPerson = createFrames({ isOfAll: false });
const framesOfAll = createFrames({ isOfAll: true });

/** Renders the changed files of languages, the most usual first. */
export function languages(
  provider: string,
  name: string,
  sums: readonly LanguageSum[],
  { asOf }: Pick<Part<unknown>, 'asOf'>,
  reader: Reader,
): Markup {
  const { language: own, words, to } = reader;
  const facts = { id: 'languages-tip', means: defineNumber('languages', reader), window: words.detail.lifetime, asOf };
  const most = Math.max(1, ...sums.map(({ files }) => files));
  return html`<ol class="people shares">${sums.map(({ language, files }) => {
    const number = own.plural('changedFiles', files);
    return html`<li><span class="language"><svg viewBox="0 0 16 16" aria-hidden="true"><circle fill="${colourOfLanguage(language) ?? 'currentColor'}" cx="8" cy="8" r="5"/></svg><bdi>${language}</bdi></span>
<meter min="0" max="${most}" value="${files}"></meter><span class="count">${numberLink(to(languagePath(provider, name, language)), number, facts)}</span></li>`;
  })}</ol>
${sharedTip(facts, reader)}
<p class="note">${own.words.publicOnly} · ${own.words.inCollected}</p>`;
}

/** Renders the time as of which data is known. */
export function asOfTime(asOf: Date, { language }: Reader): Markup {
  const text = fill(language.words.asOf, { date: language.date(asOf) });
  return html`<time datetime="${asOf.toISOString()}">${text}</time>`;
}

/** Renders the time as of which numbers are known, and the names of incomplete ones. */
export function provenance(part: Pick<Part<unknown>, 'asOf' | 'missing' | 'includesPrivate'>, reader: Reader): Markup {
  const { words, language } = reader;
  const { words: names } = language;
  const { asOf, missing, includesPrivate } = part;
  const named =
    missing.length === 0 ? [] : counterRows.flatMap(({ name }) => (missing.includes(name) ? [names[name]] : []));
  return html`<p class="note">${includesPrivate ? names.publicAndPrivate : names.publicOnly}${asOf !== undefined && html` · ${asOfTime(asOf, reader)}`}${
    named.length > 0 && html` · ${fill(words.missing, { names: named.join(', ') })}`
  }</p>`;
}

/** The widths of the calendar in pixels, and of the screens that it fits at most; it folds its year on narrow ones. */
const calendarWidths = [
  { width: 320, screen: 420 },
  { width: 480, screen: 760 },
];

/** The width of the content of pages on wide screens, in pixels. */
const contentWidth = 992;

/** The calendar, as the card that READMEs show too. */
export function calendar(
  { provider, name, withPrivate }: { provider: string; name: string; withPrivate: boolean },
  reader: Reader,
): Markup {
  const { locale } = reader.language;
  const card = (width: string) => ({ card: 'calendar', format: 'svg', width, locale, ...privateQuery(withPrivate) });
  return calendarPicture((width) => endpointPath(provider, name, 'contributions', card(width)), reader);
}

/**
 * Printed pages keep the image of the screen, because browsers print without waiting for another one.
 * @param toPath returns the path of the card in a width.
 */
export function calendarPicture(toPath: (width: string) => string, { words }: Reader): Markup {
  return html`<picture>${calendarWidths.map(
    ({ width, screen }) => html`<source media="screen and (max-width: ${screen}px)" srcset="${toPath(`${width}`)}">`,
  )}<img class="calendar" src="${toPath(`${contentWidth}`)}" alt="${words.year}"></picture>`;
}

/** Renders the definition of a calendar's numbers, and links to the items of its year. */
export function calendarNote(
  toPath: (counter: CounterName) => string,
  { asOf, includesPrivate }: Pick<Part<unknown>, 'asOf' | 'includesPrivate'>,
  reader: Reader,
): Markup {
  const { language, to } = reader;
  const links = dailyCounters.map(
    ({ name }, index) =>
      html`${index > 0 && ' · '}<a href="${to(withQuery(toPath(name), { period: 'last-365d', ...privateQuery(includesPrivate) }))}">${language.words[name]}</a>`,
  );
  return html`<p class="note">${defineNumber('days', reader)}<br>${links}${asOfText(asOf, reader)}</p>`;
}

/**
 * Renders the icon of an award, in a rim as on cards: of metal where few people hold the achievement, otherwise plain.
 * @param holders undefined: their number is not known, so that the icon has no rim.
 */
export function medal(
  { provider, name, awardId }: { provider: string; name: string; awardId: string },
  { holders, sizePx }: { holders: number | undefined; sizePx: number },
): Markup {
  const address = `${endpointPath(provider, name, `achievements/${awardId}`)}?format=svg&raw=true`;
  const rim = holders !== undefined && rims.get(toMetal(holders)?.name);
  return html`<img${rim} src="${address}" alt="" width="${sizePx}" height="${sizePx}">`;
}

/** The attributes of rims by their metals; undefined: a plain rim. */
const rims = new Map(
  [undefined, ...metals].map((metal) => [metal?.name, html` class="rim${metal && ` ${metal.name}`}"`]),
);

export function achievements(
  provider: string,
  name: string,
  { items, cardInput }: Pick<Part<AwardPart>, 'items' | 'cardInput'>,
  { words, language, to }: Reader,
): Markup {
  if (items.length === 0) return html`<p class="empty">${words.noAchievements}</p>`;
  return html`<ul class="awards">${items.map(
    (
      award,
      index,
    ) => html`<li>${medal({ provider, name, awardId: award.id }, { holders: cardInput?.holders?.[index] ?? 0, sizePx: 56 })}
<div><strong><a href="${to(awardPath(provider, name, award.id))}">${award.name}</a></strong><span dir="auto">${award.description}</span>
<small>${award.repository_name !== '' && html`<bdi>${award.repository_name}</bdi> · `}<time datetime="${award.awarded_dttm}">${language.date(new Date(award.awarded_dttm))}</time></small></div></li>`,
  )}</ul>`;
}

/** Returns the number of people who hold an achievement as text. */
export function heldBy(holders: number, { language }: Reader): string {
  const number = holders > maxHolders ? `${language.number(maxHolders)}+` : language.number(holders);
  return fill(language.words.heldBy, { n: number });
}

/** Returns the facts about numbers of people who hold an achievement. */
export function holdersFacts(asOf: Date | undefined, reader: Reader): NumberFacts {
  const { lifetime } = reader.words.detail;
  return { id: 'holders-tip', means: defineNumber('holders', reader), window: lifetime, asOf };
}

/** Renders the achievements of an owner that people can earn, with their descriptions. */
export function earnable(
  { provider, owner, asOf }: { provider: string; owner: string; asOf: Date | undefined },
  items: readonly Earnable[],
  reader: Reader,
): Markup {
  const { to } = reader;
  const facts = holdersFacts(asOf, reader);
  return html`<ul class="awards">${items.map(({ id, name, description, repository, holders, newest }) => {
    const path = to(holdersPath(provider, owner, repository, id));
    const icon =
      newest === null
        ? html`<span class="medal" aria-hidden="true"></span>`
        : medal({ provider, name: newest.name, awardId: newest.id }, { holders, sizePx: 56 });
    return html`<li>${icon}
<div><strong><a href="${path}">${name}</a></strong><span dir="auto">${description}</span>
<small><bdi>${repository}</bdi> · ${numberLink(path, heldBy(holders, reader), facts)}</small></div></li>`;
  })}</ul>
${sharedTip(facts, reader)}`;
}

/** @param ofPage the owner whose boards are shown without a name. */
export function boards(
  items: readonly (BoardPart & { provider: string; owner: string })[],
  ofPage: string,
  { to }: Reader,
): Markup {
  return html`<ul class="repositories">${items.map(
    ({ provider, owner, slug, name, description }) =>
      html`<li><h3><a href="${to(boardPath(provider, owner, slug))}">${name}</a></h3><p dir="auto">${description}</p>${owner !== ofPage && html`<p class="facts"><bdi>${owner}</bdi></p>`}</li>`,
  )}</ul>`;
}

export function repositories(owner: string, items: readonly ShownRepository[], reader: Reader): Markup {
  const { words, to } = reader;
  if (items.length === 0) return html`<p class="empty">${words.noRepositories}</p>`;
  const facts = {
    id: 'repository-stars-tip',
    means: defineCounter('stars', { isOfAll: true }, reader)[0],
    window: words.detail.lifetime,
    asOf: undefined,
  };
  return html`<ul class="repositories">${items.map(
    (
      repository,
    ) => html`<li><h3><a href="${to(repositoryPath(repository.provider, owner, repository.name))}">${repository.name}</a>${repository.isFork && html` <small class="chip">${words.fork}</small>`}</h3>
<p dir="auto">${repository.description}</p>${repositoryFacts(owner, repository, facts, reader)}</li>`,
  )}</ul>
${items.some(({ isFork, stars }) => !isFork && stars > 0) && sharedTip(facts, reader)}`;
}

/** @param starsFacts the text that explains the number of stars. */
export function repositoryFacts(
  owner: string,
  { provider, name, language: programming, stars, license, isFork }: ShownRepository,
  starsFacts: Pick<NumberFacts, 'id'>,
  { words, language, to }: Reader,
): Markup {
  const starsLink = (): Markup => {
    const text = fill(words.stars, { n: language.number(stars) });
    // Stars of forks are not counted, so that no page lists them.
    if (isFork) return html`<span>${text}</span>`;
    return numberLink(to(repositoryCounterPath(provider, owner, name, 'stars')), text, starsFacts);
  };
  return html`<p class="facts">${programming !== '' && html`<span>${programming}</span>`}${stars > 0 && starsLink()}${license !== '' && html`<span>${license}</span>`}</p>`;
}

/** Renders the link to the next items of a list, of which the newest are first. */
export function olderLink(path: string, query: Record<string, string | undefined>, reader: Reader): Markup {
  return nextLink(path, query, { label: reader.words.detail.older }, reader);
}

/** Renders the link to the next people of a list, of whom those with the largest numbers are first. */
export function morePeopleLink(
  path: string,
  query: Record<string, string | undefined>,
  reader: Reader,
  id = '',
): Markup {
  return nextLink(path, query, { label: reader.words.detail.more, id }, reader);
}

function nextLink(
  path: string,
  query: Record<string, string | undefined>,
  { label, id = '' }: { label: string; id?: string },
  { to }: Reader,
): Markup {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value);
  const fragment = id === '' ? '' : `#${id}`;
  return html`<p><a href="${to(`${path}?${parameters.toString()}`)}${fragment}" rel="next">${label}</a></p>`;
}

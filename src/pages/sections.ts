import type { Earnable } from '../achievements/awards/earnable-store.ts';
import { initialsOf } from '../cards/avatar.ts';
import { icons } from '../cards/icons.ts';
import { fill } from '../cards/languages/language.ts';
import { counterRows, rules } from '../contributions/kinds.ts';
import type { Repository } from '../repositories/store.ts';
import {
  accountPath,
  avatarPath,
  awardPath,
  boardPath,
  contributorPath,
  counterPath,
  endpointPath,
  repositoryPath,
} from './addresses.ts';
import { html, type Markup, trusted } from './html.ts';
import type { AccountPart, AwardPart, BoardPart, Part, PersonPart } from './parts.ts';
import type { Reader } from './reader.ts';
import { changeOf, type PageWindow, withQuery } from './windows.ts';

/** Sections that several pages show. */

/** @param id the fragment that leads to it. */
export function section(title: string, content: Markup, more?: Markup, id?: string): Markup {
  return html`<section${id !== undefined && html` id="${id}"`}><div class="heading"><h2>${title}</h2>${more}</div>
${content}
</section>`;
}

/** An avatar beside a name. The letters beneath show while there is no image. */
export function avatar(provider: string, account: { name: string; display_name: string }, sizePx: number): Markup {
  const { name, display_name: displayName } = account;
  return html`<span class="avatar" data-initials="${initialsOf(displayName || name)}"><img src="${avatarPath(provider, name)}" alt="" width="${sizePx}" height="${sizePx}" loading="lazy"></span>`;
}

/** The ten lifetime counters, the most usual first. */
export function counters(part: Part<AccountPart>, account: AccountPart, reader: Reader): Markup {
  const { language, words, to } = reader;
  const { words: names, number } = language;
  return html`<dl class="counters">${counterRows.map(({ name }) => {
    const value = account.contributions[name] ?? 0;
    const isUnknown = value === 0 && part.missing.includes(name);
    const path = to(counterPath(account.provider, account.name, name));
    return html`<div><dt><svg viewBox="0 0 16 16" aria-hidden="true">${trusted(icons[name])}</svg>${names[name]}${tip(`${name}-tip`, definitionOf(name), part, reader)}</dt>
<dd>${isUnknown ? html`<span title="${words.unknownValue}">–</span>` : html`<a href="${path}" aria-describedby="${name}-tip">${number(value)}</a>`}</dd></div>`;
  })}</dl>
${provenance(part, reader)}`;
}

/** Returns the rule by which a counter counts, as the API words it. */
function definitionOf(counter: string): string {
  return rules.find((rule) => rule.counter === counter)?.means ?? '';
}

/** The definition, the window and the age of a number, which show while a pointer or the focus is on it. */
export function tip(id: string, definition: string, { asOf }: Part<unknown>, { words, language }: Reader): Markup {
  return html`<span class="tip" role="tooltip" id="${id}"><span lang="en" dir="auto">${definition}</span> ${words.detail.lifetime}${asOf !== undefined && html` · ${fill(language.words.asOf, { date: language.date(asOf) })}`}</span>`;
}

/** The age and the gaps of numbers. */
export function provenance(part: Part<unknown>, { words, language }: Reader): Markup {
  const { words: names, date } = language;
  const { asOf, missing } = part;
  const named = counterRows.flatMap(({ name }) => (missing.includes(name) ? [names[name]] : []));
  return html`<p class="note">${names.publicOnly}${asOf !== undefined && html` · <time datetime="${asOf.toISOString()}">${fill(names.asOf, { date: date(asOf) })}</time>`}${
    named.length > 0 && html` · ${fill(words.missing, { names: named.join(', ') })}`
  }</p>`;
}

/** The calendar, as the card that READMEs show too. */
export function calendar(provider: string, name: string, { words, language }: Reader): Markup {
  const path = endpointPath(provider, name, 'contributions', {
    card: 'calendar',
    format: 'svg',
    border: 'false',
    width: '900',
    locale: language.locale,
  });
  return html`<div class="wide" role="region" aria-label="${words.year}" tabindex="0"><img class="calendar" src="${path}" alt="${words.year}" loading="lazy"></div>`;
}

export function achievements(
  provider: string,
  name: string,
  { items }: Part<AwardPart>,
  { words, language, to }: Reader,
): Markup {
  if (items.length === 0) return html`<p class="empty">${words.noAchievements}</p>`;
  return html`<ul class="awards">${items.map(
    (
      award,
    ) => html`<li><img src="${endpointPath(provider, name, `achievements/${award.id}`, { format: 'svg', raw: 'true' })}" alt="" width="56" height="56" loading="lazy">
<div><strong><a href="${to(awardPath(provider, name, award.id))}">${award.name}</a></strong><span dir="auto">${award.description}</span>
<small>${award.repository_name !== '' && html`${award.repository_name} · `}<time datetime="${award.awarded_dttm}">${language.date(new Date(award.awarded_dttm))}</time></small></div></li>`,
  )}</ul>`;
}

/** The achievements that people can earn, and how. */
export function earnable(provider: string, items: readonly Earnable[], { language, to }: Reader): Markup {
  return html`<ul class="awards">${items.map(({ name, description, repository, holders, newest }) => {
    const heldBy = fill(language.words.heldBy, { n: language.number(holders) });
    const address =
      newest && endpointPath(provider, newest.name, `achievements/${newest.id}`, { format: 'svg', raw: 'true' });
    return html`<li>${address === null ? html`<span class="medal" aria-hidden="true"></span>` : html`<img src="${address}" alt="" width="56" height="56" loading="lazy">`}
<div><strong>${newest === null ? name : html`<a href="${to(awardPath(provider, newest.name, newest.id))}">${name}</a>`}</strong><span dir="auto">${description}</span>
<small>${repository} · ${heldBy}</small></div></li>`;
  })}</ul>`;
}

/** Returns the number of a person in the window before; undefined where it is not known. */
export type NumbersBefore = (person: PersonPart) => number | undefined;

/** Reads the numbers of people from a list of the window before. People whom a whole list leaves out had none. */
export function numbersBefore(part: Part<PersonPart> | undefined): NumbersBefore {
  const numbers = new Map(
    part?.items.map(({ provider, name, contributions }) => [`${provider}/${name}`, contributions]),
  );
  const absent = part === undefined || part.hasMore || part.missing.length > 0 ? undefined : 0;
  return ({ provider, name }) => numbers.get(`${provider}/${name}`) ?? absent;
}

/**
 * A list of contributors.
 * @param of the path of the owner's page, or of the repository's, below which pages show what each number counts.
 */
export function people(
  { provider, of, within, before }: { provider: string; of: string; within: PageWindow; before: NumbersBefore },
  { items }: Part<PersonPart>,
  reader: Reader,
): Markup {
  const { language, to } = reader;
  if (items.length === 0) return html`<p class="empty">${language.words.nobodyYet}</p>`;
  const evidenceOf = (name: string): string => to(withQuery(contributorPath(of, name), within.texts));
  const most = Math.max(1, ...items.map(({ contributions }) => contributions));
  return html`<ol class="people">${items.map(
    (person) => html`<li><a href="${to(accountPath(provider, person.name))}">${avatar(provider, person, 40)}
<span class="who"><strong>${person.display_name || person.name}</strong><small>${person.name}</small></span></a>
<meter min="0" max="${most}" value="${person.contributions}"></meter><span class="count"><a href="${evidenceOf(person.name)}">${language.number(person.contributions)}</a>${changeOf(person.contributions, before(person), reader)}</span></li>`,
  )}</ol>`;
}

export function boards(owner: { provider: string; name: string }, items: readonly BoardPart[], { to }: Reader): Markup {
  return html`<ul class="repositories">${items.map(
    ({ slug, name, description }) =>
      html`<li><h3><a href="${to(boardPath(owner.provider, owner.name, slug))}">${name}</a></h3><p dir="auto">${description}</p></li>`,
  )}</ul>`;
}

export function repositories(owner: string, items: readonly Repository[], reader: Reader): Markup {
  const { words, to } = reader;
  if (items.length === 0) return html`<p class="empty">${words.noRepositories}</p>`;
  return html`<ul class="repositories">${items.map(
    (
      repository,
    ) => html`<li><h3><a href="${to(repositoryPath(repository.provider, owner, repository.name))}">${repository.name}</a>${repository.isFork && html` <small class="chip">${words.fork}</small>`}</h3>
<p dir="auto">${repository.description}</p>${repositoryFacts(repository, reader)}</li>`,
  )}</ul>`;
}

export function repositoryFacts(
  { language: programming, stars, license }: Repository,
  { words, language }: Reader,
): Markup {
  return html`<p class="facts">${programming !== '' && html`<span>${programming}</span>`}${stars > 0 && html`<span>${fill(words.stars, { n: language.number(stars) })}</span>`}${license !== '' && html`<span>${license}</span>`}</p>`;
}

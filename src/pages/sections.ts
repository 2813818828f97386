import { initialsOf } from '../cards/avatar.ts';
import { icons } from '../cards/icons.ts';
import { fill, type Language } from '../cards/languages/language.ts';
import { counterRows } from '../contributions/kinds.ts';
import type { Repository } from '../repositories/store.ts';
import { accountPath, avatarPath, endpointPath, repositoryPath } from './addresses.ts';
import { html, type Markup, trusted } from './html.ts';
import type { AccountPart, AwardPart, Part, PersonPart } from './parts.ts';
import { pageWords as words } from './words.ts';

/** Sections that several pages show. */

export function section(title: string, content: Markup, more?: Markup): Markup {
  return html`<section><div class="heading"><h2>${title}</h2>${more}</div>
${content}
</section>`;
}

/** An avatar beside a name. The letters beneath show while there is no image. */
export function avatar(provider: string, account: { name: string; display_name: string }, sizePx: number): Markup {
  const { name, display_name: displayName } = account;
  return html`<span class="avatar" data-initials="${initialsOf(displayName || name)}"><img src="${avatarPath(provider, name)}" alt="" width="${sizePx}" height="${sizePx}" loading="lazy"></span>`;
}

/** The ten lifetime counters, the most usual first. */
export function counters(part: Part<AccountPart>, account: AccountPart, language: Language): Markup {
  const { words: names, number } = language;
  return html`<dl class="counters">${counterRows.map(({ name }) => {
    const value = account.contributions[name] ?? 0;
    const isUnknown = value === 0 && part.missing.includes(name);
    return html`<div><dt><svg viewBox="0 0 16 16" aria-hidden="true">${trusted(icons[name])}</svg>${names[name]}</dt>
<dd>${isUnknown ? html`<span title="${words.unknownValue}">–</span>` : number(value)}</dd></div>`;
  })}</dl>
${provenance(part, language)}`;
}

/** The age and the gaps of numbers. */
export function provenance(part: Part<unknown>, { words: names, date }: Language): Markup {
  const { asOf, missing } = part;
  const named = counterRows.flatMap(({ name }) => (missing.includes(name) ? [names[name]] : []));
  return html`<p class="note">${words.publicOnly}${asOf !== undefined && html` · <time datetime="${asOf.toISOString()}">${fill(words.asOf, { time: date(asOf) })}</time>`}${
    named.length > 0 && html` · ${fill(words.missing, { names: named.join(', ') })}`
  }</p>`;
}

/** The calendar, as the card that READMEs show too. */
export function calendar(provider: string, name: string): Markup {
  const path = endpointPath(provider, name, 'contributions', {
    card: 'calendar',
    format: 'svg',
    border: 'false',
    width: '900',
  });
  return html`<div class="wide" role="region" aria-label="${words.year}" tabindex="0"><img class="calendar" src="${path}" alt="${words.year}" loading="lazy"></div>`;
}

export function achievements(provider: string, name: string, { items }: Part<AwardPart>, { date }: Language): Markup {
  if (items.length === 0) return html`<p class="empty">${words.noAchievements}</p>`;
  return html`<ul class="awards">${items.map(
    (
      award,
    ) => html`<li><img src="${endpointPath(provider, name, `achievements/${award.id}`, { format: 'svg', raw: 'true' })}" alt="" width="56" height="56" loading="lazy">
<div><strong>${award.name}</strong><span>${award.description}</span>
<small>${award.repository_name !== '' && html`${award.repository_name} · `}<time datetime="${award.awarded_dttm}">${date(new Date(award.awarded_dttm))}</time></small></div></li>`,
  )}</ul>`;
}

export function people(provider: string, { items }: Part<PersonPart>, { number }: Language): Markup {
  const most = Math.max(1, ...items.map(({ contributions }) => contributions));
  return html`<ol class="people">${items.map(
    (person) => html`<li><a href="${accountPath(provider, person.name)}">${avatar(provider, person, 40)}
<span class="who"><strong>${person.display_name || person.name}</strong><small>${person.name}</small></span></a>
<meter min="0" max="${most}" value="${person.contributions}"></meter><span class="count">${number(person.contributions)}</span></li>`,
  )}</ol>`;
}

export function repositories(owner: string, items: readonly Repository[], language: Language): Markup {
  if (items.length === 0) return html`<p class="empty">${words.noRepositories}</p>`;
  return html`<ul class="repositories">${items.map(
    (
      repository,
    ) => html`<li><h3><a href="${repositoryPath(repository.provider, owner, repository.name)}">${repository.name}</a>${repository.isFork && html` <small class="chip">${words.fork}</small>`}</h3>
<p>${repository.description}</p>${repositoryFacts(repository, language)}</li>`,
  )}</ul>`;
}

export function repositoryFacts({ language, stars, license }: Repository, { number }: Language): Markup {
  return html`<p class="facts">${language !== '' && html`<span>${language}</span>`}${stars > 0 && html`<span>${fill(words.stars, { n: number(stars) })}</span>`}${license !== '' && html`<span>${license}</span>`}</p>`;
}

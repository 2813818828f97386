import type { Session } from '../../../accounts/access/sessions/session.ts';
import type { Administered } from '../../../accounts/access/sessions/store.ts';
import type { Account } from '../../../model/account.ts';
import { fill } from '../../languages/language.ts';
import { avatar } from '../account/sections.ts';
import { settingsPath } from '../layout/addresses.ts';
import { html, type Markup } from '../layout/html.ts';
import { renderDocument, type Site } from '../layout/layout.ts';
import type { Reader } from '../layout/reader.ts';
import { signOutForm } from '../sign-in/page.ts';
import type { Section, SettingsContext } from './section.ts';

/** Renders the accounts that a person may manage. */
export function accountsPage(
  site: Site,
  reader: Reader,
  {
    session,
    organizations,
    refused,
  }: {
    session: Session;
    organizations: readonly Administered[];
    /** The organization that the host did not confirm just now. */
    refused: string | null;
  },
): string {
  const { owner } = reader.words;
  const { account } = session;
  const { provider } = account;
  const all = [{ ...account, confirmedAt: null }, ...organizations];
  return renderDocument(site, reader, {
    title: owner.settings,
    description: owner.settings,
    ownPath: '/settings',
    main: html`<section class="title"><h1>${owner.settings}</h1><p class="handle">${fill(owner.signedInAs, { name: session.person.name })}</p>
${signOutForm(reader, session.formToken)}</section>
${refused !== null && html`<p class="warning" role="alert" tabindex="-1" autofocus>${owner.notAdministrator}</p>`}
<section><h2>${owner.yourAccounts}</h2><ul class="accounts">${all.map(
      ({ name, displayName }) =>
        html`<li><a href="${reader.to(settingsPath(provider, name))}">${avatar(provider, { name, display_name: displayName }, 40)}<span class="who"><strong>${displayName || name}</strong><small>${name}</small></span></a></li>`,
    )}</ul></section>
<section><h2>${owner.organization}</h2><p>${owner.organizationDetail}</p>${confirmForm(reader, provider, refused ?? '')}</section>`,
  });
}

/** Renders the form by which a person has the host confirm that they administer an organization. */
function confirmForm({ words: { owner } }: Reader, provider: string, entered: string): Markup {
  return html`<form method="get" action="/sign-in/${provider}"><p class="field"><label for="organization">${owner.organization}</label>
<input id="organization" name="organization" value="${entered}" required maxlength="255" autocomplete="off" autocapitalize="off" spellcheck="false">
<button type="submit">${owner.confirm}</button></p></form>`;
}

/** Renders the page of an account whose administration the host has not confirmed lately. */
export function unconfirmedPage(
  site: Site,
  reader: Reader,
  { provider, name, returnTo }: { provider: string; name: string; returnTo: string },
): string {
  const { owner } = reader.words;
  return renderDocument(site, reader, {
    title: owner.settings,
    description: owner.settings,
    main: html`<section class="state"><h1>${name}</h1><p>${owner.organizationDetail}</p>
<p><a class="button" href="${confirmPath(provider, name, returnTo)}" rel="nofollow">${owner.confirm}</a></p>
<p><a href="${reader.to('/settings')}">${owner.settings}</a></p></section>`,
  });
}

function confirmPath(provider: string, organization: string, returnTo: string): string {
  return `/sign-in/${provider}?${new URLSearchParams({ organization, return_to: returnTo }).toString()}`;
}

/** A message that a page shows above its section. */
export interface Notice {
  /** The error of a change that was not made; without the name of its field, where the section has a label for it. */
  problem?: string | undefined;
  /** The label of the field at fault. */
  field?: string | undefined;
  /** Markup that is shown once. */
  oneTimeMarkup?: Markup | undefined;
  isDone?: boolean;
}

/** Renders a section of the settings of an account. */
export function sectionPage(
  { site, reader, session, target }: Pick<SettingsContext, 'site' | 'reader' | 'session' | 'target'>,
  {
    sections,
    section,
    content,
    notice,
  }: { sections: readonly Section[]; section: Section; content: Markup; notice: Notice },
): string {
  const { owner } = reader.words;
  const { account, mayChange } = target;
  const { provider, name } = account;
  const path = settingsPath(provider, name, section.slug);
  return renderDocument(site, reader, {
    title: `${section.title(owner)} · ${name}`,
    description: owner.settings,
    ownPath: path,
    main: html`${heading(reader, account)}
<div class="settings"><nav class="sections" aria-label="${owner.settings}">${sections.map(
      (listed) =>
        html`<a href="${reader.to(settingsPath(provider, name, listed.slug))}"${listed === section && html` aria-current="page"`}>${listed.title(owner)}</a>`,
    )}</nav>
<div class="section">
${notice.isDone === true && html`<p class="notice" role="status" tabindex="-1" autofocus>${owner.done}</p>`}${notice.oneTimeMarkup}
${notice.problem !== undefined && html`<p class="warning" role="alert" lang="en" dir="ltr" tabindex="-1" autofocus>${notice.field !== undefined && html`<strong lang="${reader.language.locale}"><bdi>${notice.field}</bdi></strong> `}${notice.problem}</p>`}
${!mayChange && html`<p class="warning">${owner.confirmAgain} <a href="${confirmPath(provider, name, path)}" rel="nofollow">${owner.confirm}</a></p>`}
${content}
</div></div>
<footer class="session"><p>${fill(owner.signedInAs, { name: session.person.name })}</p>${signOutForm(reader, session.formToken)}</footer>`,
  });
}

function heading({ words: { owner }, to }: Reader, { provider, name, displayName }: Account): Markup {
  return html`<section class="account">${avatar(provider, { name, display_name: displayName }, 56)}<div><h1>${displayName || name}</h1>
<p class="handle"><a href="${to('/settings')}">${owner.settings}</a> · <bdi>${name}</bdi> · ${provider}</p></div></section>`;
}

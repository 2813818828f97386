import { fill } from '../../languages/language.ts';
import { html, type Markup } from '../layout/html.ts';
import { renderDocument, type Site } from '../layout/layout.ts';
import type { Reader } from '../layout/reader.ts';

/** Renders the page on which people choose the code host with which they sign in. */
export function signInPage(
  site: Site,
  reader: Reader,
  {
    hosts,
    query,
    isSessionEnded,
  }: { hosts: readonly string[]; query: Record<string, string>; isSessionEnded: boolean },
): string {
  const { owner: words } = reader.words;
  const parameters = new URLSearchParams(query).toString();
  return renderDocument(site, reader, {
    title: words.signIn,
    description: words.signInDetail,
    ownPath: '/sign-in',
    main: html`<section class="state"><h1>${words.signIn}</h1>
${isSessionEnded && html`<p class="warning">${words.sessionEnded}</p>`}<p>${hosts.length === 0 ? words.noSignIn : words.signInDetail}</p>
${hosts.map((host) => html`<p><a class="button" href="/sign-in/${host}?${parameters}" rel="nofollow">${fill(words.signInWith, { host })}</a></p>`)}</section>`,
  });
}

/** Renders the form by which a person signs out. */
export function signOutForm({ words: { owner: words } }: Reader, formToken: string): Markup {
  return html`<form method="post" action="/sign-out"><input type="hidden" name="form_token" value="${formToken}">
<p class="actions"><button type="submit" class="small">${words.signOut}</button> <button type="submit" name="everywhere" value="1" class="plain-button">${words.signOutEverywhere}</button></p></form>`;
}

import { html, type Markup } from '../../../views/pages/layout/html.ts';
import type { AuthorizationRequest, StandIn, StandInPerson } from './stand-in.ts';

/** The stylesheet of the service, which the stand-in serves itself. */
export const standInStylePath = '/style.css';

/** Where sign-ins begin: it shows the settings to a person who is signed in, and the sign-in to others. */
const settingsOrSignIn = '/settings';

/** Renders the page on which a visitor of the demonstration chooses a person. */
export function choicePage(standIn: StandIn, request: AuthorizationRequest): string {
  return render(
    'Sign in to the demonstration',
    html`<h1>Who are you today?</h1>
<p>This page stands in for the code host. It runs on this machine, in the demonstration alone, and needs no password.</p>
<ul class="accounts">${standIn.people.map((person) => choice(standIn, person, request))}</ul>
<p><a href="${originOf(request)}${settingsOrSignIn}">Back without signing in</a></p>`,
  );
}

/** Renders the page for an address that the stand-in does not serve. */
export function refusalPage(message: string): string {
  return render('Not possible', html`<h1>Not possible</h1><p>${message}</p>`);
}

function choice(standIn: StandIn, person: StandInPerson, request: AuthorizationRequest): Markup {
  const { account, administers } = person;
  const query = new URLSearchParams({ ...request, person: account.name }).toString();
  return html`<li><a href="/choose?${query}"><span class="who"><strong>${account.displayName}</strong><small>${account.name}${administers.map(({ name }) => html` · administers ${name}`)}</small></span></a>
<details><summary>A token for the API</summary><p>The owner endpoints accept it like a personal access token of the host:</p>
<pre><code>curl -H "Authorization: Bearer ${standIn.tokenOf(person)}" ${originOf(request)}/v1/github/entities/${account.name}/token</code></pre></details></li>`;
}

/** Returns the origin of the service that began the sign-in. */
function originOf({ redirect_uri: address }: AuthorizationRequest): string {
  return new URL(address).origin;
}

function render(title: string, content: Markup): string {
  return `<!doctype html>\n${html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="${standInStylePath}">
</head>
<body>
<main class="stand-in"><section>${content}</section></main>
</body>
</html>
`}`;
}

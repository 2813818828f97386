import { fastify } from 'fastify';
import { isThisMachine } from '../../../accounts/access/sessions/session.ts';
import { isLoopback } from '../../../http/pipeline/rate-limits.ts';
import { AppError } from '../../../model/errors.ts';
import { toFields } from '../../../model/fields.ts';
import { html, type Markup } from '../../../views/pages/layout/html.ts';
import { style } from '../../../views/pages/layout/style.ts';
import type { AuthorizationRequest, StandIn, StandInPerson } from './stand-in.ts';

/** The stylesheet of the service, which the stand-in serves itself. */
const standInStylePath = '/style.css';

/** Where sign-ins begin: it shows the settings to a person who is signed in, and the sign-in to others. */
const settingsOrSignIn = '/settings';

const listensOn = '127.0.0.1';
const maxBodyBytes = 4096;
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/**
 * Serves a stand-in on a port of 127.0.0.1.
 * @returns its origin, such as `http://127.0.0.1:1234`.
 */
export async function listenAsStandIn(
  standIn: StandIn,
  { port = 0 }: { port?: number } = {},
): Promise<AsyncDisposable & { origin: string }> {
  const app = fastify({ bodyLimit: maxBodyBytes, forceCloseConnections: true });
  // Without this check, another site whose name resolves to this machine could read pages through the visitor's
  // browser.
  app.addHook('onRequest', async ({ ip, hostname }, reply) => {
    if (isLoopback(ip) && isThisMachine(hostname)) return;
    await reply.code(403).headers(headers).send(refusalPage('This page serves its own machine alone.'));
  });
  app.setErrorHandler(async (error, _request, reply) => {
    const message = error instanceof AppError ? error.message : 'This address is not well-formed.';
    return reply.code(400).headers(headers).send(refusalPage(message));
  });
  app.setNotFoundHandler(async (_request, reply) =>
    reply.code(404).headers(headers).send(refusalPage('The stand-in has no such page.')),
  );
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, parsed) =>
    parsed(null, body),
  );
  app.get(standIn.paths.authorize, async ({ query }, reply) => {
    const request = readRequest(query);
    standIn.requireOwn(request);
    return reply.headers(headers).send(choicePage(standIn, request));
  });
  app.get('/choose', async ({ query }, reply) => {
    const { person = '' } = readTexts(query);
    return reply.headers(headers).redirect(standIn.choose(person, readRequest(query)), 303);
  });
  app.post(standIn.paths.token, async ({ body }, reply) => {
    const token = standIn.exchange(Object.fromEntries(new URLSearchParams(String(body))));
    reply.header('cache-control', 'no-store');
    if (token === undefined) return reply.code(400).send({ error: 'invalid_grant' });
    return reply.send({ access_token: token, token_type: 'bearer', scope: '' });
  });
  app.get(standInStylePath, async (_request, reply) => reply.type('text/css; charset=utf-8').send(style));
  const origin = await app.listen({ host: listensOn, port });
  return { origin, [Symbol.asyncDispose]: () => app.close() };
}

function readRequest(query: unknown): AuthorizationRequest {
  const { client_id = '', redirect_uri = '', state = '', code_challenge = '' } = readTexts(query);
  return { client_id, redirect_uri, state, code_challenge };
}

function readTexts(query: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(toFields(query)).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

/** Renders the page on which a visitor of the demonstration chooses a person. */
function choicePage(standIn: StandIn, request: AuthorizationRequest): string {
  return render(
    'Sign in to the demonstration',
    html`<h1>Who are you today?</h1>
<p>This page stands in for the code host. It runs on this machine, in the demonstration alone, and needs no password.</p>
<ul class="accounts">${standIn.people.map((person) => choice(standIn, person, request))}</ul>
<p><a href="${toOrigin(request)}${settingsOrSignIn}">Back without signing in</a></p>`,
  );
}

/** Renders the page for an address that the stand-in does not serve. */
function refusalPage(message: string): string {
  return render('Not possible', html`<h1>Not possible</h1><p>${message}</p>`);
}

function choice(standIn: StandIn, person: StandInPerson, request: AuthorizationRequest): Markup {
  const { account, administers } = person;
  const query = new URLSearchParams({ ...request, person: account.name }).toString();
  return html`<li><a href="/choose?${query}"><span class="who"><strong>${account.displayName}</strong><small>${account.name}${administers.map(({ name }) => html` · administers ${name}`)}</small></span></a>
<details><summary>A token for the API</summary><p>The owner endpoints accept it like a personal access token of the host:</p>
<pre><code>curl -H "Authorization: Bearer ${standIn.findToken(person)}" ${toOrigin(request)}/v1/github/entities/${account.name}/token</code></pre></details></li>`;
}

/** Returns the origin of the service that began the sign-in. */
function toOrigin({ redirect_uri: address }: AuthorizationRequest): string {
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

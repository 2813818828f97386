import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AccessServices } from '../../../accounts/access/services.ts';
import {
  type Cookies,
  cookiesFor,
  readCookie,
  readSession,
  requireFormToken,
  writeCookie,
} from '../../../accounts/access/sessions/session.ts';
import {
  beginSignIn,
  canSignIn,
  finishSignIn,
  localPath,
  sessionLifeMs,
  signInLifeMs,
} from '../../../accounts/access/sessions/sign-in.ts';
import { removeSession, removeSessions } from '../../../accounts/access/sessions/store.ts';
import { AccountPath } from '../../../http/pipeline/endpoint.ts';
import { type PageServices, readLanguage, sendPrivatePage } from '../../../http/pipeline/pages.ts';
import { sensitiveByAddress } from '../../../http/pipeline/rate-limits.ts';
import type { App } from '../../../http/server/app.ts';
import { addFormRoutes, readForm } from '../../../http/server/forms.ts';
import { AppError } from '../../../model/errors.ts';
import type { Site } from '../layout/layout.ts';
import { toReader } from '../layout/reader.ts';
import { signInPage } from './page.ts';

interface Services extends AccessServices, Pick<PageServices, 'locales'> {
  site: Site;
}

const HostPath = Type.Object({ provider: AccountPath.properties.provider });
const Wanted = Type.Object({
  return_to: Type.Optional(Type.String({ maxLength: 1000 })),
  organization: Type.Optional(Type.String({ maxLength: 255 })),
  ended: Type.Optional(Type.String({ maxLength: 0 })),
  lang: Type.Optional(Type.String({ maxLength: 20 })),
});
const afterSignIn = '/settings';

/** Registers sign-in with the code hosts, and sign-out. Without a host to sign in with, only the page that says so exists. */
export function signInRoutes(app: App, services: Services): void {
  const config = { isPage: true, rateLimit: sensitiveByAddress };
  app.get(
    '/sign-in',
    { schema: { hide: true, querystring: Wanted }, config: { isPage: true } },
    async (request, reply) => {
      const { return_to: returnTo, organization, ended } = request.query;
      const query = { ...(returnTo && { return_to: returnTo }), ...(organization && { organization }) };
      const reader = toReader(readLanguage(services, request));
      return sendPrivatePage(
        reply,
        signInPage(services.site, reader, {
          hosts: services.site.signInHosts(),
          query,
          isSessionEnded: ended !== undefined,
        }),
        [],
      );
    },
  );
  app.get(
    '/sign-in/:provider',
    { schema: { hide: true, params: HostPath, querystring: Wanted }, config },
    async (request, reply) => {
      const cookies = requireCookies(services);
      const { return_to: returnTo, organization } = request.query;
      const { url, state } = await beginSignIn(services, {
        provider: request.params.provider,
        returnTo: localPath(returnTo, afterSignIn),
        organization: organization || null,
      });
      setCookie(reply, cookies, cookies.signIn, state, signInLifeMs);
      return redirect(reply, url);
    },
  );
  app.get(
    '/sign-in/:provider/callback',
    { schema: { hide: true, params: HostPath }, config },
    async (request, reply) => {
      const cookies = requireCookies(services);
      const { provider } = request.params;
      const response = new URL(request.url, services.publicUrl()).searchParams;
      // GitHub sends people here who installed the App, with a code that this service did not request.
      if (response.has('setup_action') && !response.has('state')) {
        return redirect(reply, `/sign-in/${encodeURIComponent(provider)}`);
      }
      const state = readCookie(request.headers.cookie, cookies.signIn);
      setCookie(reply, cookies, cookies.signIn, '', 0);
      const { secret, returnTo, refused } = await finishSignIn(services, { provider, response, state });
      const former = await readSession(services, request.headers.cookie);
      if (former !== undefined) await removeSession(services.connection, former.secretHash);
      setCookie(reply, cookies, cookies.session, secret, sessionLifeMs);
      const query = new URLSearchParams({ refused: refused ?? '' }).toString();
      return redirect(reply, refused === null ? returnTo : `${afterSignIn}?${query}`);
    },
  );
  addFormRoutes(app, (scope) => {
    scope.post('/sign-out', { schema: { hide: true }, config: { isPage: true } }, async (request, reply) =>
      signOut(services, request, reply),
    );
  });
}

async function signOut(services: Services, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const session = await readSession(services, request.headers.cookie);
  if (session === undefined) return redirect(reply, '/');
  const form = readForm(request);
  requireFormToken(session, form['form_token']);
  const { connection } = services;
  if (form['everywhere'] === '1') await removeSessions(connection, session.account.id);
  else await removeSession(connection, session.secretHash);
  const cookies = requireCookies(services);
  setCookie(reply, cookies, cookies.session, '', 0);
  return redirect(reply, '/');
}

/** Returns the names of the hosts with which people can sign in at the public address of the service. */
export function signInHosts({
  providers,
  publicUrl,
}: Pick<AccessServices, 'providers' | 'publicUrl'>): readonly string[] {
  if (cookiesFor(publicUrl()) === undefined) return [];
  return [...providers.values()].filter(canSignIn).map(({ name }) => name);
}

function requireCookies({ publicUrl }: Services): Cookies {
  const cookies = cookiesFor(publicUrl());
  if (cookies !== undefined) return cookies;
  throw new AppError('not_found', 'Signing in needs a public address that begins with https://.');
}

function setCookie(reply: FastifyReply, cookies: Cookies, name: string, value: string, lifeMs: number): void {
  reply.header('set-cookie', writeCookie(cookies, name, value, lifeMs / 1000));
}

function redirect(reply: FastifyReply, to: string): FastifyReply {
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(to, 303);
}

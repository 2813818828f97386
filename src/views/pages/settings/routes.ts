import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AccessServices } from '../../../accounts/access/services.ts';
import { readSession, requireFormToken, type Session } from '../../../accounts/access/sessions/session.ts';
import { AccountPath } from '../../../http/pipeline/endpoint.ts';
import { type PageServices, readLanguage, sendPrivatePage } from '../../../http/pipeline/pages.ts';
import { toProblem } from '../../../http/pipeline/problem.ts';
import { sensitiveByAddress } from '../../../http/pipeline/rate-limits.ts';
import { sendLines } from '../../../http/pipeline/send.ts';
import type { App } from '../../../http/server/app.ts';
import { addFormRoutes, readForm } from '../../../http/server/forms.ts';
import { AppError } from '../../../model/errors.ts';
import { settingsPath } from '../layout/addresses.ts';
import type { Markup } from '../layout/html.ts';
import type { Site } from '../layout/layout.ts';
import { toReader } from '../layout/reader.ts';
import { accountsPage, type Notice, sectionPage, unconfirmedPage } from './page.ts';
import { findOrganizations, findTarget, type Section, type SettingsContext, type Target } from './section.ts';
import { access } from './sections/access.ts';
import { audit } from './sections/audit.ts';
import { data } from './sections/data.ts';
import { embeds } from './sections/embeds.ts';
import { notifications } from './sections/notifications.ts';
import { overview } from './sections/overview.ts';
import { privacy } from './sections/privacy.ts';

interface Services extends AccessServices, Pick<PageServices, 'locales'> {
  site: Site;
}

const sections = [overview, privacy, access, embeds, notifications, audit, data] as const;
const SectionPath = Type.Object({
  ...AccountPath.properties,
  section: Type.Optional(Type.Enum(sections.map(({ slug }) => slug))),
});
type SectionPath = Static<typeof SectionPath>;

/** Registers the settings of accounts, which take the session of a person who is signed in. */
export function settingsPageRoutes(app: App, services: Services): void {
  const path = '/settings/:provider/:name/:section?';
  const config = { isPage: true };
  app.get('/settings', { schema: { hide: true }, config }, async (request, reply) => {
    const session = await readSession(services, request.headers.cookie);
    if (session === undefined) return toSignIn(request, reply);
    const organizations = await findOrganizations(services, session);
    const refused = new URL(request.url, services.publicUrl()).searchParams.get('refused');
    const page = accountsPage(services.site, toReader(readLanguage(services, request)), {
      session,
      organizations,
      refused,
    });
    return send(services, reply, page);
  });
  app.get(path, { schema: { hide: true, params: SectionPath }, config }, async (request, reply) => {
    const opened = await open(services, request, reply, request.params);
    if (opened === undefined) return reply;
    const isDone = opened.context.query.has('done');
    return respond(opened, reply, { isDone });
  });
  addFormRoutes(app, (scope) => {
    scope.post(
      path,
      { schema: { hide: true, params: SectionPath }, config: { ...config, rateLimit: sensitiveByAddress } },
      async (request, reply) => change(services, request, reply, request.params),
    );
  });
}

interface Opened {
  context: SettingsContext;
  section: Section;
}

/**
 * Finds the account and the section of a request.
 * @returns undefined after sending the sign-in, or the page by which the host confirms that the person administers the
 *   account.
 */
async function open(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  { provider, name, section: slug = overview.slug }: SectionPath,
): Promise<Opened | undefined> {
  const session = await readSession(services, request.headers.cookie);
  if (session === undefined) {
    toSignIn(request, reply);
    return undefined;
  }
  const reader = toReader(readLanguage(services, request));
  const target = await findTarget(services, session, { provider, name });
  const returnTo = settingsPath(provider, name, slug);
  if (target === undefined) {
    send(
      services,
      reply.code(403),
      unconfirmedPage(services.site, reader, { provider: session.account.provider, name, returnTo }),
    );
    return undefined;
  }
  const { searchParams: query } = new URL(request.url, services.publicUrl());
  const context = toContext(services, { reader, session, target, query });
  return { context, section: sections.find((candidate) => candidate.slug === slug) ?? overview };
}

function toContext(
  services: Services,
  opened: { reader: ReturnType<typeof toReader>; session: Session; target: Target; query: URLSearchParams },
): SettingsContext {
  const { account, provider, caller } = opened.target;
  return {
    ...opened,
    entered: {},
    services,
    site: services.site,
    call: (operationId, input) => services.endpoints.call(operationId, { account, provider, caller, ...input }),
  };
}

/** Makes the change of a form, and shows its section again. */
async function change(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  path: SectionPath,
): Promise<FastifyReply> {
  const opened = await open(services, request, reply, path);
  if (opened === undefined) return reply;
  const { context, section } = opened;
  const form = readForm(request);
  requireFormToken(context.session, form['form_token']);
  const { account, mayChange } = context.target;
  if (!mayChange) return respond(opened, reply.code(403), {});
  const { action = '' } = form;
  let oneTimeMarkup: Markup | undefined;
  try {
    if (section === data && action === 'export') return await sendExport(context, reply);
    const act = Object.hasOwn(section.actions, action) ? section.actions[action] : undefined;
    if (act === undefined) throw new AppError('invalid_input', 'The form names no change. Load its page again.');
    oneTimeMarkup = await act(context, form);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { status, body } = toProblem(error, services.now());
    const refused = { ...opened, context: { ...context, entered: form } };
    const label = error.field && section.fields?.[error.field.name]?.(context.reader.words.owner);
    const problem = label === undefined ? body.error.message : error.field?.fault;
    return respond(refused, reply.code(status), { problem, field: label });
  }
  if (oneTimeMarkup !== undefined) return respond(opened, reply, { oneTimeMarkup: oneTimeMarkup });
  const isErased = section === data;
  return redirect(reply, isErased ? '/settings' : `${settingsPath(account.provider, account.name, section.slug)}?done`);
}

async function sendExport(context: SettingsContext, reply: FastifyReply): Promise<FastifyReply> {
  const lines = await context.call('exportAccount');
  if (!(lines instanceof Readable)) throw new Error('the export is no stream');
  const { name } = context.target.account;
  return sendLines(
    reply.header('content-disposition', `attachment; filename="${name.replace(/[^\w.-]/g, '-')}.ndjson"`),
    lines,
  );
}

async function respond({ context, section }: Opened, reply: FastifyReply, notice: Notice): Promise<FastifyReply> {
  const content = await section.show(context);
  return send(context.services, reply, sectionPage(context, { sections, section, content, notice }));
}

function send({ providers }: Pick<AccessServices, 'providers'>, reply: FastifyReply, page: string): FastifyReply {
  // Forms may lead on to the sign-in of a host.
  const origins = [...providers.values()].flatMap(({ signIn }) => (signIn === undefined ? [] : [signIn.origin]));
  return sendPrivatePage(reply, page, origins);
}

/** Redirects to the sign-in, which leads back to the page of the request. A form says there that nothing was changed. */
function toSignIn({ method, url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const query = new URLSearchParams({ return_to: url, ...(method === 'POST' && { ended: '' }) });
  return redirect(reply, `/sign-in?${query.toString()}`);
}

function redirect(reply: FastifyReply, to: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(to, 303);
}

import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AccessServices } from '../../accounts/access/services.ts';
import { hasSession, readSession } from '../../accounts/access/sessions/session.ts';
import { authorize } from '../../http/pipeline/authorize.ts';
import { type AccountName, AccountPath } from '../../http/pipeline/endpoint.ts';
import { type Avatar, isFromProgram, unfinishedImageHeaders } from '../../http/pipeline/images.ts';
import { addPage, type PageServices, readLanguage, sendPage } from '../../http/pipeline/pages.ts';
import { type Problem, toProblem } from '../../http/pipeline/problem.ts';
import { toRequester } from '../../http/pipeline/requester.ts';
import { imageHeaders } from '../../http/pipeline/response.ts';
import { type PageSettings, sendMoved } from '../../http/pipeline/send.ts';
import type { App } from '../../http/server/app.ts';
import { AppError } from '../../model/errors.ts';
import type { AchievementFiles } from '../../recognition/achievements/files/achievement-files.ts';
import { toInitials } from '../cards/drawing/avatar.ts';
import { escapeText } from '../cards/drawing/canvas.ts';
import { accountPage } from './account/account-page.ts';
import { repositoryPage } from './account/repository-page.ts';
import { composerRoutes } from './composer/routes.ts';
import { awardPage } from './details/award-page.ts';
import { boardPage } from './details/board-page.ts';
import { evidencePage } from './details/evidence-page.ts';
import { holdersPage } from './details/holders-page.ts';
import { addNumbers } from './details/number-pages.ts';
import { docsRoutes } from './docs/routes.ts';
import { galleryRoutes } from './gallery/routes.ts';
import { homePage } from './home-page.ts';
import { accountPath, repositoryPath } from './layout/addresses.ts';
import { mark, type Site } from './layout/layout.ts';
import { toReader } from './layout/reader.ts';
import { style, stylePath, tips, tipsPath } from './layout/style.ts';
import { problemPage } from './problem-page.ts';
import { progressRoutes } from './progress/routes.ts';
import { searchRoutes } from './search/routes.ts';
import { settingsPageRoutes } from './settings/routes.ts';
import { signInRoutes } from './sign-in/routes.ts';

const BoardPath = Type.Object({ name: Type.String({ maxLength: 255 }) });
const RepositoryPath = Type.Object({ ...BoardPath.properties, repository: Type.String({ maxLength: 255 }) });
const asPage = { isPage: true };

interface Services extends AccessServices, Pick<PageServices, 'locales'> {
  site: Site;
  achievementFiles: AchievementFiles;
  progressEveryMs?: number | undefined;
}

/** Returns the facts about the pages of a site that all routes need. */
export function pageSettings(site: Site): PageSettings {
  const { locales } = site;
  return {
    locales,
    isPersonal: isPersonalBoard,
    renderProblem: (problem, request) =>
      problemPage(site, toReader(readLanguage({ locales }, request)), problem, request.url),
  };
}

const hidden = { schema: { hide: true } };
const dayS = 86_400;

/** Registers the pages for visitors, with their stylesheet and images. */
export function pageRoutes(app: App, without: Services): void {
  const services = { ...without, findViewer: findViewer.bind(undefined, without) };
  const { site } = services;
  const provider = providerSegment(site.providers);
  app.get('/', { ...hidden, config: { isPage: true } }, async (request, reply) =>
    sendPage(
      reply.header('cache-control', 'public, max-age=300'),
      homePage(site, toReader(readLanguage(services, request))),
    ),
  );
  galleryRoutes(app, services);
  composerRoutes(app, services);
  signInRoutes(app, services);
  settingsPageRoutes(app, services);
  docsRoutes(app, services);
  movedRoutes(app);
  searchRoutes(app, site, provider);
  addPage(app, services, accountPage(services, provider));
  addPage(app, services, repositoryPage(services, provider));
  addNumbers((kind) => addPage(app, services, evidencePage(services, kind)), provider);
  addPage(app, services, awardPage(services, provider));
  addPage(app, services, holdersPage(services, provider));
  addPage(app, services, boardPage(services, provider));
  progressRoutes(app, services);
  addAvatars(app, services, provider);
  addFiles(app, site);
}

/** Boards show the row of a person who is signed in; the API ignores cookies. */
function isPersonalBoard(url: string, cookieHeader: string): boolean {
  return url.includes('/boards/') && !url.startsWith('/v1/') && hasSession(cookieHeader);
}

async function findViewer(services: Services, cookieHeader: string | undefined): Promise<AccountName | undefined> {
  return (await readSession(services, cookieHeader))?.account;
}

/** Returns the segment of a path that only the names of the code hosts match, in any case of letters. */
function providerSegment(providers: readonly string[]): string {
  const names = providers.map((name) => name.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`));
  return `:provider(^(?:${names.join('|')})$)`;
}

function addAvatars(app: App, services: Services, provider: string): void {
  const { resolver, now, lookUpBudgetMs, images } = services;
  const config = { schema: { hide: true, params: AccountPath } };
  const findAccount = async (request: FastifyRequest, name: AccountName, deadline: Date): Promise<Found> => {
    try {
      const resolution = await resolver.resolve(name, { deadline, requester: toRequester(request, true) });
      if (resolution.state === 'pending') return { isFinal: false };
      const { avatarUrl, displayName } = authorize('public', resolution, null).account;
      return { ...(await images.findAvatar(avatarUrl, deadline)), displayName };
    } catch (error) {
      if (error instanceof AppError) return { isFinal: false, problem: toProblem(error, now()) };
      throw error;
    }
  };
  app.get(`/avatars/${provider}/:name`, config, async (request, reply) => {
    const deadline = new Date(now().getTime() + lookUpBudgetMs);
    const { image, isFinal, displayName, problem } = await findAccount(request, request.params, deadline);
    reply.headers({ ...imageHeaders, 'cache-control': `public, max-age=${isFinal ? dayS : 5}` });
    if (image !== undefined) return reply.type(image[0] === 0xff ? 'image/jpeg' : 'image/png').send(image);
    if (!isFinal) {
      const { status, body, headers } = problem ?? pending;
      reply.code(isFromProgram(request.headers) ? status : 200);
      reply.headers({ ...headers, ...unfinishedImageHeaders(body.error.code) });
    }
    return reply.type('image/svg+xml; charset=utf-8').send(initialsImage(displayName || request.params.name));
  });
}

/** The avatar of an account; initials are shown in place of an image that there is not, or not yet. */
interface Found extends Partial<Avatar> {
  displayName?: string;
  problem?: Problem;
}

const pending = { status: 202, body: { error: { code: 0 } }, headers: {} };

/** Draws the initials of an account that has no image. */
function initialsImage(name: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><rect width="100" height="100" fill="#7d8590"/><text x="50" y="50" dy=".35em" text-anchor="middle" font-family="sans-serif" font-size="40" font-weight="600" fill="#ffffff">${escapeText(toInitials(name))}</text></svg>`;
}

function addFiles(app: App, site: Site): void {
  const favicon = `<svg xmlns="http://www.w3.org/2000/svg" ${mark.toString().replace(/^<svg class="mark"/, 'color="#0969da"')}`;
  const robots = `User-agent: *\nDisallow: /v1/\nAllow: /v1/*canvas=preview\nDisallow: /find\n${site.isIndexed ? '' : site.providers.map((name) => `Disallow: /${name}/\n`).join('')}`;
  const forEver = 'public, max-age=31536000, immutable';
  const files = [
    { path: stylePath, type: 'text/css; charset=utf-8', body: style, cache: forEver },
    { path: tipsPath, type: 'text/javascript; charset=utf-8', body: tips, cache: forEver },
    { path: '/favicon.svg', type: 'image/svg+xml', body: favicon, cache: `public, max-age=${dayS}` },
    { path: '/robots.txt', type: 'text/plain; charset=utf-8', body: robots, cache: `public, max-age=${dayS}` },
  ];
  const { logo } = site;
  if (logo !== undefined) {
    app.get(logo.path, hidden, async (_request, reply) =>
      reply.header('cache-control', forEver).type('image/png').send(logo.body),
    );
  }
  for (const { path, type, body, cache } of files) {
    app.get(path, hidden, async (_request, reply) => reply.header('cache-control', cache).type(type).send(body));
  }
}

/** Redirects the addresses of the service that this one replaces (docs/moving.md): its pages, and its API without a host. */
function movedRoutes(app: App): void {
  app.get('/entities/*', { schema: { hide: true } }, async (request, reply) =>
    sendMoved(request, reply, `/v1/github${request.url}`),
  );
  for (const path of ['/board/:name', '/board/:name/*', '/board/:name/achievements']) {
    const section = path.endsWith('/achievements') ? '#achievements' : '';
    app.get(path, { schema: { hide: true, params: BoardPath }, config: asPage }, async (request, reply) =>
      sendMoved(request, reply, `${accountPath('github', request.params.name)}${queryIn(request.url)}${section}`),
    );
  }
  for (const path of ['/board/:name/repository/:repository', '/board/:name/repository/:repository/*']) {
    app.get(path, { schema: { hide: true, params: RepositoryPath }, config: asPage }, async (request, reply) => {
      const { name, repository } = request.params;
      return sendMoved(request, reply, `${repositoryPath('github', name, repository)}${queryIn(request.url)}`);
    });
  }
}

function queryIn(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start);
}

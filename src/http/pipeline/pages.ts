import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, type TObject, Type } from 'typebox';
import type { App } from '../server/app.ts';
import { withCompressedForms } from '../server/compression.ts';
import { authorize } from './authorize.ts';
import { type AccountName, AccountPath, MovedRepository, type ResolvedAccount } from './endpoint.ts';
import type { PartRequest, PartResult } from './endpoint-registry.ts';
import type { Wait } from './envelope.ts';
import { type PageLanguage, pageLanguage } from './page-language.ts';
import { readAs } from './parameters.ts';
import type { PipelineServices } from './pipeline.ts';
import { makeResponse, readFor, readFromReplicaFirst } from './request-scope.ts';
import { toRequester } from './requester.ts';
import { isNotModified, pageHeaders, privatePageHeaders, renderPage, toEtag } from './response.ts';
import { pageKey } from './response-cache.ts';
import { retryAfter, sendRedirect, sendResponse } from './send.ts';

/** Reads the data of an endpoint about the account of a page. */
export type ReadPart = (operationId: string, request?: PartRequest) => Promise<PartResult>;

/** The context of a request for a page about an account. */
export interface PageContext<Params> extends ResolvedAccount {
  params: Params;
  /** The parameters of the address. */
  query: Readonly<Record<string, string | undefined>>;
}

/** The parameters of pages, which are texts. */
const TextParameters = Type.Record(Type.String(), Type.String());

/** A page about an account, which is rendered once for all visitors. */
export interface Page<Path extends TObject, Data> {
  path: string;
  params: Path;
  /** The parameters of the page's address; absent: none but the language. */
  query?: TObject;
  /**
   * Reads the data of the page.
   * @returns undefined while nothing is known yet; `renderPending` then gives the page.
   */
  load: (read: ReadPart, context: PageContext<Static<Path>>) => Promise<Data | MovedRepository | undefined>;
  /** Returns the HTML. It reads nothing: the same data gives the same page. */
  render: (data: Data, context: PageContext<Static<Path>>, language: PageLanguage) => RenderedPage;
  /**
   * Adds the data that only a person who is signed in sees. For signed-in people the page is then rendered for each
   * request. Absent: the page is the same for all readers.
   */
  loadOwn?: (read: ReadPart, data: Data, context: PageContext<Static<Path>>, viewer: AccountName) => Promise<Data>;
  /**
   * Returns the HTML that is shown while nothing is known yet.
   * @param wait the limit that delays the lookup; undefined: it is running.
   */
  renderPending: (params: Static<Path> & AccountName, language: PageLanguage, wait: Wait | undefined) => string;
}

interface RenderedPage {
  html: string;
  /** False while some data of the page is still being collected. */
  isComplete: boolean;
  staleAt: Date;
  /** False where it shows data that changes without an invalidation of the account's responses; default: true. */
  isCacheable?: boolean;
}

/** The services of pages about accounts. */
export interface PageServices extends PipelineServices {
  /** The languages in which pages exist. */
  locales: readonly string[];
  /** Finds the person who is signed in by the cookies of a request. */
  findViewer: (cookieHeader: string | undefined) => Promise<AccountName | undefined>;
}

/**
 * Adds a page. Its requests take the steps of the request pipeline: resolve → authorize → load → render → send. They start
 * lookups, and wait for none.
 */
export function addPage<Path extends TObject, Data>(app: App, services: PageServices, page: Page<Path, Data>): void {
  const { path, params, query = Type.Object({}) } = page;
  app.get(
    path,
    { schema: { hide: true, params, querystring: query }, config: { isPage: true } },
    async (request, reply) => respond(services, page, request, reply),
  );
}

async function respond<Path extends TObject, Data>(
  services: PageServices,
  page: Page<Path, Data>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { resolver, cache, endpoints, now, handlerTimeoutMs } = services;
  const query = readAs(TextParameters, request.query);
  const params = readAs(page.params, request.params);
  const name = readAs(AccountPath, request.params);
  // A reader gets the page at once, and its script fills in what a host has not sent yet.
  const deadline = now();
  const requester = toRequester(request, false);
  const startSequence = cache.begin();
  const language = readLanguage(services, request);
  const terms = { handlerTimeoutMs, reads: { fromReplica: true } };
  const sendPending = (): FastifyReply => {
    const { wait } = requester;
    const headers = { 'cache-control': 'no-store', 'retry-after': retryAfter(wait, now()) };
    return sendPage(reply.code(202).headers(headers), page.renderPending({ ...params, ...name }, language, wait));
  };

  const resolution = await readFor(request, reply, terms, {
    read: () => resolver.resolve(name, { deadline, requester }),
    suffices: ({ state }) => state === 'present',
  });
  if (resolution.state === 'pending') return sendPending();
  // Pages are for visitors: a token changes nothing.
  const { state, account, provider } = authorize('public', resolution, null);
  if (state === 'renamed') return sendRedirect(request, reply, { account: account.name });

  const key = pageKey(request.url, language.locale);
  const viewer = page.loadOwn && (await services.findViewer(request.headers.cookie));
  const cached = viewer === undefined && services.isCacheLive() ? cache.get(key, now().getTime()) : undefined;
  if (cached !== undefined) return sendResponse(request, reply, cached);

  const context = { account, provider, isOwner: false, deadline, requester, params, query };
  let isCacheable = true;
  const read: ReadPart = async (operationId, part) => {
    const result = await endpoints.read(operationId, context, part);
    // A page depends on all that its parts depend on.
    if (result !== undefined && !(result instanceof MovedRepository)) isCacheable &&= result.isCacheable ?? true;
    return result;
  };
  const reading = { read: () => page.load(read, context), suffices: (loaded: unknown) => loaded !== undefined };
  const sendMoved = ({ name }: MovedRepository): FastifyReply => sendRedirect(request, reply, { repository: name });
  if (page.loadOwn !== undefined && viewer !== undefined) {
    const data = await readFor(request, reply, terms, reading);
    if (data === undefined) return sendPending();
    if (data instanceof MovedRepository) return sendMoved(data);
    const personal = await page.loadOwn(read, data, context, viewer);
    return sendPrivatePage(reply, page.render(personal, context, language).html, []);
  }

  const visitors = { accountId: account.id, key, startSequence };
  const made = await makeResponse(services, { request, reply, terms }, visitors, async () => {
    const data = await readFromReplicaFirst(reading);
    if (data === undefined) return undefined;
    if (data instanceof MovedRepository) return data;
    const rendered = page.render(data, context, language);
    isCacheable &&= rendered.isCacheable ?? true;
    const response = withCompressedForms(renderPage({ ...rendered, accountId: account.id, now: now() }));
    if (isCacheable) cache.put(key, response, startSequence);
    return { response, isCacheable };
  });
  if (made === undefined) return sendPending();
  if (made instanceof MovedRepository) return sendMoved(made);
  return sendResponse(request, reply, made.response);
}

/** Returns the language in which a request wants its page. */
export function readLanguage(
  { locales }: Pick<PageServices, 'locales'>,
  { url, headers }: Pick<FastifyRequest, 'url' | 'headers'>,
): PageLanguage {
  return pageLanguage(locales, url, headers['accept-language']);
}

/** Sends a page that depends on no account. One that caches may store has an entity tag. */
export function sendPage(reply: FastifyReply, html: string): FastifyReply {
  const bytes = Buffer.from(html);
  reply.headers(pageHeaders);
  if (reply.getHeader('cache-control')?.toString().startsWith('public') !== true) return reply.send(bytes);
  const etag = toEtag(bytes);
  reply.header('etag', etag);
  return isNotModified(reply.request.headers, { etag }) ? reply.code(304).send() : reply.send(bytes);
}

/**
 * Sends a page for a person who is signed in, or signs in.
 * @param formOrigins origins of code hosts to which a form of the page may redirect.
 */
export function sendPrivatePage(reply: FastifyReply, html: string, formOrigins: readonly string[]): FastifyReply {
  return reply.headers(privatePageHeaders(formOrigins)).send(Buffer.from(html));
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for routes that return pages, whose errors are pages too. */
    isPage?: boolean;
  }
}

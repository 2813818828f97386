import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import cors from '@fastify/cors';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { TSchema } from 'typebox';
import { describeFullDisk, isDatabaseUnavailable, isDiskFull } from '../../database/connections/unavailable.ts';
import { erasedMeanwhile, refersToErased } from '../../database/schema/erasure.ts';
import { AppError } from '../../model/errors.ts';
import { toFields } from '../../model/fields.ts';
import { addDocumentation } from '../description/documentation.ts';
import { bearerToken, type Caller, isServiceToken } from '../pipeline/caller.ts';
import type { CardImages } from '../pipeline/images.ts';
import { publicKey } from '../pipeline/page-language.ts';
import { parameterReader } from '../pipeline/parameters.ts';
import {
  methodNotAllowed,
  type Problem,
  payloadTooLarge,
  tooSlow,
  toProblem,
  unavailable,
} from '../pipeline/problem.ts';
import { addRateLimits, type Counts, cachedPolicy } from '../pipeline/rate-limits.ts';
import { exposedHeaders, type RenderedResponse, transportHeaders } from '../pipeline/response.ts';
import { cacheKey, type ResponseCache, sendCached, type UsableResponses } from '../pipeline/response-cache.ts';
import { type PageSettings, sendProblem, sendProblemAsJson, sendResponse } from '../pipeline/send.ts';
import type { App } from './app.ts';
import { redirectBelow, withoutBase } from './base-path.ts';
import { bodyReader } from './body.ts';
import { type Representation, representationFor } from './compression.ts';
import { withDocumentedForms } from './forms.ts';
import { awaitHandlers, redirectExtraSlashes, respondToFirstErrors, traceRequests } from './handlers.ts';
import type { HttpMetrics } from './metrics.ts';
import { methods, problemOfRequest, readsWithoutHost, refuse, refuseUnread } from './refuse-connection.ts';

interface ServerOptions {
  cache: ResponseCache;
  /** Returns the cached responses that may be served now. */
  usableResponses: () => UsableResponses;
  log: FastifyBaseLogger;
  metrics: HttpMetrics;
  now: () => Date;
  /**
   * Verifies a service token.
   * @throws AppError `unauthenticated`
   */
  authenticate: (token: string) => Promise<Caller>;
  /** Returns the caller of a token that was verified before and is still valid; undefined otherwise. */
  recognize: (token: string) => Caller | undefined;
  /** Waits until this node has received every change that is stored by now. */
  catchUp: () => Promise<void>;
  images: CardImages;
  pages: PageSettings;
  counts: Counts;
  readsPerMinute: number;
  trustedProxies: readonly string[];
  /** Returns the public base URL of this service. */
  publicUrl: () => string;
  /** The path of the public URL; empty where it has none. */
  basePath: string;
  /** Returns a unique id for a response. */
  newRequestId: () => string;
  /** The time within which every request gets a response, even when a service that it needs does not respond. */
  handlerTimeoutMs: number;
  /** Adds the routes. */
  register: (app: App) => void;
}

const limits = {
  maxHeaderBytes: 16_384,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 15_000,
  /** The time between two checks of these limits. */
  checkIntervalMs: 5000,
  keepAliveTimeoutMs: 65_000,
  maxParameterLength: 400,
  maxBodyBytes: 65_536,
};

/**
 * Given to the cache as the present time, it finds a response even after its expiry, because none expires before it.
 */
const beforeAnyExpiry = 0;

export async function createServer(options: ServerOptions): Promise<App> {
  const state = { isClosing: false };
  const app = fastify({
    serverFactory: (handler) => createCachingServer(options, handler, state),
    genReqId: options.newRequestId,
    bodyLimit: limits.maxBodyBytes,
    handlerTimeout: options.handlerTimeoutMs,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    routerOptions: { maxParamLength: limits.maxParameterLength },
    forceCloseConnections: 'idle',
    // Clients that sent a request before they could know of the stop get its response.
    return503OnClosing: false,
    frameworkErrors: (_error, request, reply) => {
      reply.header('x-request-id', request.id);
      sendProblemAsJson(
        reply,
        toProblem(new AppError('invalid_input', 'The address is not well-formed.'), options.now()),
      );
    },
    // `refuseUnread` responds; Fastify would add a listener of its own.
    clientErrorHandler: () => {},
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.addHook('preClose', async () => {
    state.isClosing = true;
  });
  app.decorateRequest('caller', null);
  app.setValidatorCompiler<TSchema>(({ schema, httpPart }) => {
    const read = httpPart === 'body' ? bodyReader(schema) : parameterReader(schema);
    return (given: unknown) => {
      try {
        return { value: read(given) };
      } catch (error) {
        return { error: error instanceof Error ? error : new Error('unreadable parameters') };
      }
    };
  });
  // Generated serializers would silently leave out undeclared properties, and take most of the time of a start.
  app.setSerializerCompiler(() => JSON.stringify);
  readBodiesAsJson(app);
  awaitHandlers(app);
  traceRequests(app);
  addHooks(app, options);
  await addRateLimits(app, options);
  await app.register(cors, { origin: '*', methods, exposedHeaders, maxAge: 86_400, strictPreflight: false });
  redirectExtraSlashes(app);
  redirectBelow(app, options.basePath);
  await addDocumentation(app, options.publicUrl);
  await respondToFirstErrors(
    app,
    (error, request, reply) => respondToError(options, error, request, reply),
    options.register,
  );
  app.setNotFoundHandler(async (request, reply) =>
    sendProblem(request, reply, unmatched(app, request, options.now()), options),
  );
  return app;
}

/** Logs an error that nothing describes, and sends the response for it. */
function respondToError(
  options: ServerOptions,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const problem = toServerProblem(error, request.raw, options.now());
  if (problem.status >= 500 && !(error instanceof AppError))
    options.log.error({ id: request.id, err: error }, 'a request failed');
  else if (error instanceof AppError && error.cause !== undefined) {
    options.log.warn({ id: request.id, err: error }, 'a request failed');
  }
  const stored = problem.status === 429 || problem.status >= 500 ? findStoredImage(options, request) : undefined;
  return stored === undefined ? sendProblem(request, reply, problem, options) : sendResponse(request, reply, stored);
}

/**
 * Reads all bodies as JSON, even without a content type or with another one: all routes take JSON, and programs such as
 * `curl -d` send the content type of a form.
 */
function readBodiesAsJson(app: App): void {
  app.addContentTypeParser('*', { parseAs: 'string' }, app.getDefaultJsonParser('error', 'error'));
}

/** Creates the HTTP server, which sends cached responses before the framework does any work. */
function createCachingServer(
  options: ServerOptions,
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  state: { isClosing: boolean },
): Server {
  const { metrics } = options;
  const server = createHttpServer(
    {
      ...readsWithoutHost,
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
    },
    (request, response) => {
      const security = Object.entries(transportHeaders(options.publicUrl()));
      const handle = (): void => {
        response.setHeaders(new Map(security));
        handler(request, response);
      };
      const problem = problemOfRequest(request, options.now());
      if (problem !== undefined) return refuse(response, problem, options);
      request.url = withoutBase(originForm(request.url ?? '/'), options.basePath);
      const { method, headers, url } = request;
      const isPlain = (method === 'GET' || method === 'HEAD') && !hasBody(headers);
      const cached = isPlain ? findCached(options, headers, url) : undefined;
      if (cached === undefined) return handle();
      const policy = cachedPolicy(options, request.socket.remoteAddress);
      const ownHeaders = ['x-request-id', options.newRequestId(), ...security.flat()];
      if (policy !== undefined) ownHeaders.push('ratelimit-policy', policy);
      const send = (representation: Representation): void => {
        // A connection that stays open would keep the server from ending.
        if (state.isClosing) ownHeaders.push('connection', 'close');
        sendCached(request, response, representation, { metrics, ownHeaders });
      };
      const representation = representationFor(cached, headers['accept-encoding']);
      if (!(representation instanceof Promise)) return send(representation);
      // After a failed compression the framework renders the response again, and reports a lasting error.
      representation.then(send, handle);
    },
  );
  refuseUnread(server, options);
  return server;
}

/**
 * Returns the path and query of a request target. Servers must accept absolute URLs too (RFC 9112, section 3.2.2), and
 * everything behind this function expects a path.
 */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return path === target || path.startsWith('/') ? path : `/${path}`;
}

/** Returns the cached response for the public, or for this caller, if it may be served. */
function findCached(
  { cache, now, recognize, usableResponses, pages }: ServerOptions,
  { authorization, cookie, 'accept-language': acceptLanguage }: IncomingMessage['headers'],
  url: string,
): RenderedResponse | undefined {
  if (cookie !== undefined && pages.isPersonal(url, cookie)) return undefined;
  const usable = usableResponses();
  if (usable === 'none') return undefined;
  const at = usable === 'all' ? now().getTime() : beforeAnyExpiry;
  if (authorization === undefined) return cache.get(publicKey(pages.locales, url, acceptLanguage), at);
  const token = usable === 'all' ? bearerToken(authorization) : undefined;
  const caller = token === undefined ? undefined : recognize(token);
  return caller && cache.get(cacheKey(url, caller), now().getTime());
}

/** Returns the cached image of a public URL, even after its expiry, to be sent instead of an error. */
function findStoredImage(
  { cache, usableResponses }: ServerOptions,
  { url, headers, routeOptions }: FastifyRequest,
): RenderedResponse | undefined {
  const mayBeImage = routeOptions.config.cards !== undefined && headers.authorization === undefined;
  const stored =
    mayBeImage && usableResponses() !== 'none' ? cache.get(cacheKey(url, null), beforeAnyExpiry) : undefined;
  return stored?.headers['content-type']?.startsWith('image/') === true ? stored : undefined;
}

function addHooks(app: App, options: ServerOptions): void {
  app.addHook('onRequest', async (request, reply) => {
    request.query = withDocumentedForms(toFields(request.query), request.routeOptions.config?.isImageOnly === true);
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    if ((request.method === 'GET' || request.method === 'HEAD') && hasBody(request.headers)) {
      // The next bytes on this connection may be the unread body, so the connection must end.
      reply.header('connection', 'close');
      throw new AppError('invalid_input', `A ${request.method} request takes no body.`);
    }
  });
  // `preParsing` runs after the rate limits in `onRequest`, so that requests over the limit cost no verification.
  app.addHook('preParsing', async (request) => {
    const { credential = 'service' } = request.routeOptions.config;
    const { authorization } = request.headers;
    if (authorization === undefined) return;
    const token = bearerToken(authorization);
    if (token === undefined) {
      throw new AppError('unauthenticated', 'The Authorization header must be "Bearer" and a token.');
    }
    if (credential === 'provider' || (credential === 'either' && !isServiceToken(token))) return;
    request.caller = await options.authenticate(token);
  });
  // A caller that receives the confirmation of a change must see the change in the next response of this node.
  app.addHook('onSend', async (request, reply) => {
    const mayBeOwner = request.headers.authorization !== undefined || request.routeOptions.config.isPage === true;
    if (mayBeOwner && !['GET', 'HEAD'].includes(request.method) && reply.statusCode < 400) await options.catchUp();
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unmatched';
    options.metrics.observe(route, reply.statusCode, reply.elapsedTime / 1000);
    options.log.debug(
      { id: request.id, method: request.method, route, status: reply.statusCode, ms: reply.elapsedTime },
      'response sent',
    );
  });
}

function hasBody(headers: IncomingMessage['headers']): boolean {
  return (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined;
}

/** Returns the error for a request that no route takes: 405 when the path has other methods, otherwise 404. */
function unmatched(app: App, { method, url }: FastifyRequest, now: Date): Problem {
  const allowed = methods.filter((name) => app.findRoute({ method: name, url }) !== null);
  if (allowed.length > 0 && !allowed.includes(method)) return methodNotAllowed(allowed);
  return toProblem(new AppError('not_found', 'Nothing is served at this address. /docs lists all addresses.'), now);
}

function toServerProblem(error: unknown, { complete: isComplete }: IncomingMessage, now: Date): Problem {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'FST_ERR_HANDLER_TIMEOUT' && !isComplete) return tooSlow(now);
  if (isDiskFull(error)) return unavailable(describeFullDisk(error));
  if (code === 'FST_ERR_HANDLER_TIMEOUT' || isDatabaseUnavailable(error)) return unavailable();
  if (refersToErased(error)) return toProblem(erasedMeanwhile(), now);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return payloadTooLarge('The body is too large.');
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY' || code === 'FST_ERR_CTP_EMPTY_JSON_BODY') {
    return toProblem(new AppError('invalid_input', 'The body must be JSON.'), now);
  }
  const isCallersFault =
    !(error instanceof AppError) && error instanceof Error && 'statusCode' in error && Number(error.statusCode) < 500;
  return toProblem(isCallersFault ? new AppError('invalid_input', 'The request is not well-formed.') : error, now);
}

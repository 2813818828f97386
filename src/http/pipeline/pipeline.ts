import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { outsideOfScope } from '../../database/reads/statement-scope.ts';
import { toFields } from '../../model/fields.ts';
import { readWindow, type Window, WindowParameters } from '../../model/windows/window.ts';
import type { App } from '../server/app.ts';
import { withCompressedForms } from '../server/compression.ts';
import { authorize, resolveOwn } from './authorize.ts';
import type { Caller } from './caller.ts';
import type { Computations } from './computations.ts';
import { csvFileName } from './csv.ts';
import {
  AccountPath,
  type AccountResolver,
  type Endpoint,
  type HandlerResult,
  MovedRepository,
  privateProblemResponses,
  problemResponses,
  type Readers,
  type RequestedPage,
  type ResolvedAccount,
} from './endpoint.ts';
import type { Endpoints } from './endpoint-registry.ts';
import { EnvelopeSchema } from './envelope.ts';
import { type CardImages, type ImageFormat, type ImageRequest, isImageFormat, withImages } from './images.ts';
import { type Cursors, PageParameters, withDefaultLimit } from './pagination.ts';
import { readAs } from './parameters.ts';
import { makeResponse, readFor, readFromReplicaFirst } from './request-scope.ts';
import { toRequester } from './requester.ts';
import { type RenderedResponse, renderResponse } from './response.ts';
import { cacheKey, imageKey, type ResponseCache } from './response-cache.ts';
import { holdsCredential, pageLinks, sendPending, sendRedirect, sendResponse } from './send.ts';

/** The services of the pipeline; docs/request-pipeline.md describes its steps. */
export interface PipelineServices {
  resolver: AccountResolver;
  cache: ResponseCache;
  /** Returns whether changes reach the cache; while they do not, no response comes from it. */
  isCacheLive: () => boolean;
  cursors: Cursors;
  images: CardImages;
  now: () => Date;
  /** The longest time that a caller waits for data that is not stored. */
  lookUpBudgetMs: number;
  /** Receives the age, in seconds, of the data of each new response, by the pattern of its route. */
  onDataAge?: (route: string, seconds: number) => void;
  /** The time within which every request gets a response. */
  handlerTimeoutMs: number;
  computations: Computations;
  endpoints: Endpoints;
  /** Returns the public base URL of this service, without a trailing slash. */
  publicUrl: () => string;
}

/** Adds an endpoint, whose requests take the five steps of `respond`. */
export function addEndpoint<Path extends TObject, Query extends TObject, Data>(
  app: App,
  services: PipelineServices,
  endpoint: Endpoint<Path, Query, Data>,
): void {
  const { path, operationId, tag, summary, description, params, query, readers, item, cards, listing } = endpoint;
  const parameters = listing === undefined ? query : withDefaultLimit(query, listing.defaultLimit);
  const schema = {
    operationId,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    params,
    querystring:
      cards === undefined
        ? parameters
        : withImages(parameters.properties, services.images, item === undefined ? 'always' : 'by format'),
    // `{}` permits requests without a credential.
    ...(readers !== 'public' && { security: [{ serviceToken: [] }, ...(readers === 'owner' ? [] : [{}])] }),
    ...(item === undefined && { produces: ['image/svg+xml', 'image/png'] }),
    response: {
      ...(item !== undefined && {
        200: withMediaTypes(EnvelopeSchema(item, endpoint.details), endpoint),
        // The schema of 200, so that generated clients have one type of data for both.
        202: EnvelopeSchema(item, endpoint.details),
      }),
      ...(item === undefined && { 202: Type.Null() }),
      304: Type.Null(),
      ...(readers === 'public' ? problemResponses : privateProblemResponses),
    },
  };
  const config = cards === undefined ? {} : { cards, isImageOnly: item === undefined };
  services.endpoints.add(endpoint);
  app.get(path, { schema, config }, async (request, reply) => respond(services, endpoint, request, reply));
}

/** Returns the description of a response: JSON, and the other media types that a request can choose. */
function withMediaTypes(
  json: TSchema,
  { hasCsv, documents = [] }: Pick<Endpoint<TObject, TObject, never>, 'hasCsv' | 'documents'>,
): TSchema | { content: Record<string, { schema: TSchema }> } {
  const types = [...(hasCsv === true ? ['text/csv'] : []), ...documents];
  if (types.length === 0) return json;
  const others = types.map((type) => [type, { schema: Type.String() }]);
  return { content: { 'application/json': { schema: json }, ...Object.fromEntries(others) } };
}

/** The outcome of a request about an account: a response, another name of the account or repository, or nothing while either is looked up. */
type Outcome = { response: RenderedResponse } | { movedTo: Parameters<typeof sendRedirect>[2] } | undefined;

/** Responds to a request about an account: resolve → authorize → load → present → send. */
async function respond<Path extends TObject, Query extends TObject, Data>(
  services: PipelineServices,
  endpoint: Endpoint<Path, Query, Data>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const params = readAs(endpoint.params, request.params);
  const query = readAs(endpoint.query, request.query);
  const readers = toReaders(endpoint, request.caller, toFields(query));
  const image = readImage(services, endpoint, readers, toFields(params), toFields(query));
  const page = readPage(services, endpoint, query);
  const window = readWindow(readAs(WindowParameters, query), services.now());
  const requester = toRequester(request, image !== undefined);
  const deadline = toDeadline(services, image);
  const wanted = { params, query, readers, image, page, window, requester, deadline };
  const outcome = await findOutcome(services, endpoint, { request, reply }, wanted);
  if (outcome === undefined) return sendPending(services, request, reply, { ...endpoint, image, wait: requester.wait });
  return 'movedTo' in outcome
    ? sendRedirect(request, reply, outcome.movedTo)
    : sendResponse(request, reply, outcome.response);
}

/** The wishes of a request, as its parameters say. */
interface Wanted<Path, Query> extends Pick<ResolvedAccount, 'deadline' | 'requester'> {
  params: Path;
  query: Query;
  readers: Readers;
  image: ImageRequest | undefined;
  page: RequestedPage;
  window: Window | undefined;
}

/** Finds a response in the cache, or makes it; visitors who want the same one at the same time make it once. */
async function findOutcome<Path extends TObject, Query extends TObject, Data>(
  services: PipelineServices,
  endpoint: Endpoint<Path, Query, Data>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { readers, ...wanted }: Wanted<Static<Path>, Static<Query>>,
): Promise<Outcome> {
  const { caller } = request;
  const { params, image, deadline, requester } = wanted;
  const name = readAs(AccountPath, params);
  const { handlerTimeoutMs } = services;
  const startSequence = services.cache.begin();
  // Callers with a token read from the primary, because a replica may not have an owner's last change yet.
  const terms = { handlerTimeoutMs, reads: { fromReplica: caller === null && !holdsCredential(request.url) } };
  const resolution = await readFor(request, reply, terms, {
    read: async () =>
      readers === 'public'
        ? services.resolver.resolve(name, { deadline, requester })
        : resolveOwn(services.resolver, name, caller),
    suffices: ({ state }) => state === 'present',
  });
  if (resolution.state === 'pending') return undefined;
  const { state, account, provider, isOwner } = authorize(readers, resolution, caller);
  if (state === 'renamed') return { movedTo: { account: account.name } };
  const key = toCacheKey(request, account.id, image);
  const cached = findCached(services, request, key, image);
  if (cached !== undefined) return { response: cached };

  const context = { ...wanted, account, provider, isOwner };
  const visitors = caller === null && key !== undefined ? { accountId: account.id, key, startSequence } : undefined;
  const made = await makeResponse(services, { request, reply, terms }, visitors, async () => {
    const data = await readFromReplicaFirst({
      read: () => endpoint.load(context),
      suffices: (loaded) => loaded !== undefined,
    });
    if (data === undefined) return undefined;
    if (data instanceof MovedRepository) return data;
    const result = endpoint.present(data, context);
    const { isCacheable = true } = result;
    // Images that the card shows are fetched once for all cards, and may be stored, so they do not end with a request.
    const response = await outsideOfScope(() => render(services, request, context, result));
    const { as_of: asOf } = result.envelope.meta_data;
    if (asOf !== undefined) services.onDataAge?.(endpoint.path, (services.now().getTime() - Date.parse(asOf)) / 1000);
    if (isCacheable && key !== undefined) services.cache.put(key, response, startSequence);
    return { response, isCacheable };
  });
  if (made === undefined) return undefined;
  if (made instanceof MovedRepository) return { movedTo: { repository: made.name } };
  if (made.isCacheable) addAlias(services, request, key, image);
  return made;
}

/** The parts of an endpoint that decide about its readers and its images. */
type Declared = Pick<Endpoint<TObject, TObject, never>, 'cards' | 'item' | 'readers'>;

function toReaders(endpoint: Declared, caller: Caller | null, query: Record<string, unknown>): Readers {
  const { readers } = endpoint;
  if (typeof readers !== 'function') return readers;
  return caller === null ? readers({ isImage: readImageFormat(endpoint, query) !== undefined }) : 'owner';
}

function readImageFormat({ cards, item }: Declared, query: Record<string, unknown>): ImageFormat | undefined {
  const format = item === undefined ? (query['format'] ?? 'svg') : query['format'];
  return cards !== undefined && isImageFormat(format) ? format : undefined;
}

/**
 * Reads the card that a request wants. The path parameters after the account's name, and whether only the owner reads
 * it, become a part of its cache key, because cards of different repositories or readers differ.
 */
function readImage(
  { images }: PipelineServices,
  endpoint: Declared,
  readers: Readers,
  { provider: _provider, name: _name, ...params }: Record<string, unknown>,
  query: Record<string, unknown>,
): ImageRequest | undefined {
  const { cards } = endpoint;
  const format = readImageFormat(endpoint, query);
  if (cards === undefined || format === undefined) return undefined;
  const card = cards.find((name) => name === query['card']) ?? cards[0];
  return images.request(card, format, { ...query, ...params, ...(readers === 'owner' && { own: true }) });
}

/** Reads the page of a listing that a request wants. */
export function readPage(
  { cursors }: Pick<PipelineServices, 'cursors'>,
  { listing }: { listing?: { name: string; defaultLimit: number } },
  query: unknown,
): RequestedPage {
  if (listing === undefined) return { limit: 0, start: {} };
  const { limit = listing.defaultLimit, ...start } = readAs(PageParameters, query);
  return { limit, start: cursors.readStart(listing.name, start) };
}

/** The part of the time for a response that is reserved for drawing: at most this time, and at most this share. */
const maxDrawingMs = 600;
const maxDrawingShare = 0.25;

/** Returns the time until which a response may wait for a provider; the rest of the budget is for drawing the card. */
function toDeadline({ now, lookUpBudgetMs }: PipelineServices, image: ImageRequest | undefined): Date {
  const drawingMs = image === undefined ? 0 : Math.min(maxDrawingMs, lookUpBudgetMs * maxDrawingShare);
  return new Date(now().getTime() + lookUpBudgetMs - drawingMs);
}

/**
 * Returns the key of a response in the cache: of JSON its URL, of a card its canonical request, so that equivalent URLs
 * share it. Undefined where the URL holds a credential: no cache may hold the response.
 */
function toCacheKey(
  { url, caller }: FastifyRequest,
  accountId: string,
  image: ImageRequest | undefined,
): string | undefined {
  if (image !== undefined) return imageKey(accountId, image, caller);
  return holdsCredential(url) ? undefined : cacheKey(url, caller);
}

/** Returns the response if it was cached since the request began, or for an equivalent URL. */
function findCached(
  services: Pick<PipelineServices, 'cache' | 'isCacheLive' | 'now'>,
  request: FastifyRequest,
  key: string | undefined,
  image: ImageRequest | undefined,
): RenderedResponse | undefined {
  if (key === undefined || !services.isCacheLive()) return undefined;
  const cached = services.cache.get(key, services.now().getTime());
  if (cached !== undefined) addAlias(services, request, key, image);
  return cached;
}

/** Adds the URL of a request as an alias of its cached card. */
function addAlias(
  { cache }: Pick<PipelineServices, 'cache'>,
  { url, caller }: FastifyRequest,
  key: string | undefined,
  image: ImageRequest | undefined,
): void {
  if (image !== undefined && key !== undefined && !holdsCredential(url)) cache.alias(cacheKey(url, caller), key);
}

/** Renders a result as JSON, or as the card that the request wants. */
async function render(
  { images, now, publicUrl }: PipelineServices,
  { url, caller }: FastifyRequest,
  { account, deadline, image }: Pick<ResolvedAccount, 'account' | 'deadline'> & { image: ImageRequest | undefined },
  { envelope, staleAt, isWithdrawable, cardInput, csv, document, modifiedAt }: HandlerResult,
): Promise<RenderedResponse> {
  const audience = caller !== null ? 'caller' : isWithdrawable === true ? 'public_until_withdrawn' : 'public';
  const content = { envelope, staleAt, audience, document, modifiedAt, accountId: account.id } as const;
  const rendered =
    image === undefined
      ? {
          links: pageLinks(`${publicUrl()}${url}`, envelope),
          csv: csv === undefined ? undefined : { text: csv, fileName: csvFileName(url) },
        }
      : {
          image: await images.draw(image, { ...cardInput, envelope, avatarsUrl: `${publicUrl()}/avatars/` }, deadline),
        };
  return withCompressedForms(renderResponse({ ...content, ...rendered, now: now() }));
}

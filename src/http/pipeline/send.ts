import type { Readable } from 'node:stream';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { toPathPart } from '../../model/account.ts';
import { toFields } from '../../model/fields.ts';
import { type Representations, representationFor, toBytes } from '../server/compression.ts';
import { type dataTypes, type Envelope, envelope, type ListDetails, type Wait } from './envelope.ts';
import {
  type CardImage,
  type CardImages,
  type CardProblem,
  type ImageRequest,
  isFromProgram,
  isImageFormat,
  unfinishedImageHeaders,
} from './images.ts';
import { type Problem, secondsUntil } from './problem.ts';
import { imageHeaders, isNotModified, notModifiedHeaders, pageHeaders } from './response.ts';

const pendingRetryAfterS = 3;
/** A client that reads nothing of a streamed response for this time is considered disconnected. */
const stalledAfterMs = 30_000;
const json = 'application/json; charset=utf-8';
/** The value of `x-error-code` while data is being fetched. */
const pendingCode = 0;

export async function sendResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  response: Representations,
): Promise<FastifyReply> {
  const representation = await representationFor(response, request.headers['accept-encoding']);
  return isNotModified(request.headers, representation)
    ? reply.code(304).headers(notModifiedHeaders(representation)).send()
    : reply.code(200).headers(representation.headers).send(toBytes(representation.body));
}

/**
 * Sends that the data is still being fetched, as JSON or as a card. The card has status 200 unless a program requests it,
 * because image proxies do not show an image with status 202 (docs/decisions/0018).
 * @param wait the limit that delays the lookup; undefined: the lookup is running.
 */
export async function sendPending(
  { images, now }: { images: CardImages; now: () => Date },
  request: FastifyRequest,
  reply: FastifyReply,
  {
    dataType,
    details,
    image,
    wait = { reason: 'collecting' },
  }: {
    dataType: keyof typeof dataTypes;
    details?: ListDetails;
    image: ImageRequest | undefined;
    wait: Wait | undefined;
  },
): Promise<FastifyReply> {
  const { resumesAt } = wait;
  reply.header('retry-after', retryAfter(wait, now()));
  if (image !== undefined) {
    reply.headers(unfinishedImageHeaders(pendingCode));
    return sendImage(reply, await images.drawCollecting(image, resumesAt), isFromProgram(request.headers) ? 202 : 200);
  }
  return reply
    .code(202)
    .header('cache-control', 'no-store')
    .type(json)
    .send(Buffer.from(JSON.stringify(pendingEnvelope(dataType, wait, details))));
}

/** Returns the header of a response that waits, by the limit that delays it; undefined: its lookup is running. */
export function retryAfter(wait: Wait | undefined, now: Date): string {
  return String(wait?.resumesAt === undefined ? pendingRetryAfterS : secondsUntil(wait.resumesAt, now));
}

/** Returns the envelope of data of which nothing is known yet. A few endpoints call something else progress. */
function pendingEnvelope(dataType: keyof typeof dataTypes, wait: Wait, details: ListDetails | undefined): Envelope {
  const repositories = { complete: 0, total: 0 };
  const progress = details !== undefined && 'progress' in details.properties ? undefined : { repositories, ...wait };
  return envelope({
    dataType,
    data: [],
    provenance: { asOf: null, missing: ['data'], progress, includesPrivate: false },
  });
}

/**
 * Sends an error: as a page or a card where the request is for one, otherwise as JSON. The card has status 200 unless
 * the request has a credential or is from a program, because image proxies show no image with another status.
 */
export async function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
  { images, pages, log }: { images: CardImages; pages: PageSettings; log: FastifyBaseLogger },
): Promise<FastifyReply> {
  if (wantsPage(request)) return sendProblemAsPage(request, reply, problem, pages);
  const { cards, isImageOnly = false } = request.routeOptions.config;
  const query = toFields(request.query);
  const requestedFormat = query['format'];
  const format = isImageFormat(requestedFormat) ? requestedFormat : isImageOnly ? 'svg' : undefined;
  if (cards === undefined || format === undefined) return sendProblemAsJson(reply, problem);
  const card = cards.find((name) => name === query['card']) ?? cards[0];
  const { message, code } = problem.body.error;
  try {
    const { explanations = [] } = problem;
    const image = await images.drawProblem(card, format, query, { status: problem.status, message, explanations });
    const { headers } = request;
    const status = headers.authorization === undefined && !isFromProgram(headers) ? 200 : problem.status;
    return await sendImage(reply.headers({ ...toHeaders(problem), ...unfinishedImageHeaders(code) }), image, status);
  } catch (error) {
    log.error({ id: request.id, err: error }, 'an error could not be drawn');
    return sendProblemAsJson(reply, problem);
  }
}

export function sendProblemAsJson(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply.code(problem.status).headers(toHeaders(problem)).type(json).send(JSON.stringify(problem.body));
}

/** The facts about pages that all routes need. */
export interface PageSettings {
  /** The languages in which pages exist. */
  locales: readonly string[];
  /** Returns whether the response to a request is only for the signed-in person. */
  isPersonal: (url: string, cookieHeader: string) => boolean;
  /** Renders an error for readers of pages. */
  renderProblem: (problem: PageProblem, request: FastifyRequest) => string;
}

/** An error as pages show it. */
export interface PageProblem extends CardProblem {
  /** The seconds after which the page can be loaded again; undefined where that does not help, or for a form. */
  retryAfterS?: number | undefined;
}

/** Returns whether a request is from a reader of pages, not from a program that uses the API. */
function wantsPage({ url, headers, routeOptions }: FastifyRequest): boolean {
  const isOfPages = routeOptions.config?.isPage === true || (routeOptions.url === undefined && !url.startsWith('/v1/'));
  return isOfPages && headers.accept?.includes('text/html') === true;
}

function sendProblemAsPage(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
  { renderProblem }: PageSettings,
): FastifyReply {
  const { status, body, headers, explanations = [] } = problem;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const { 'retry-after': retryAfter } = headers;
  const retryAfterS = isRead && retryAfter !== undefined ? Number(retryAfter) : undefined;
  return reply
    .code(status)
    .headers({ ...toHeaders(problem), ...pageHeaders })
    .send(renderProblem({ status, message: body.error.message, explanations, retryAfterS }, request));
}

function toHeaders({ headers }: Problem): Record<string, string> {
  return { 'cache-control': 'no-store', 'access-control-allow-origin': '*', ...headers };
}

function sendImage(reply: FastifyReply, { body, contentType }: CardImage, status: number): FastifyReply {
  return reply.code(status).headers(imageHeaders).type(contentType).send(body);
}

/** Redirects to the same URL with the present name of an account or a repository; method and body stay the same. */
export function sendRedirect(
  request: FastifyRequest,
  reply: FastifyReply,
  moved: { account: string } | { repository: string },
): FastifyReply {
  const address =
    'account' in moved
      ? withAccountName(request.url, moved.account)
      : withRepositoryName(request.url, moved.repository);
  return sendMoved(request, reply, address);
}

/** Redirects to another address of the same thing; method and body stay the same. */
export function sendMoved(request: FastifyRequest, reply: FastifyReply, address: string): FastifyReply {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const control = request.headers.authorization === undefined ? 'public, max-age=60' : 'private, no-store';
  reply.code(isRead ? 301 : 308).headers({ location: address, 'cache-control': control, vary: 'authorization' });
  // Browsers follow the redirect, so that no reader sees a body.
  if (request.routeOptions.config?.isPage === true) return reply.headers(pageHeaders).send('');
  return reply.type(json).send(Buffer.from(JSON.stringify(envelope({ dataType: 'unknown', data: [] }))));
}

function withAccountName(address: string, name: string): string {
  return address.replace(/^(\/v1\/[^/]+\/entities\/|\/[^/]+\/)[^/?]+/, `$1${toPathPart(name)}`);
}

/**
 * Replaces the name of the repository in a URL: in the path, otherwise in the parameter `repository`, which may be
 * percent-encoded.
 */
function withRepositoryName(address: string, name: string): string {
  const [path = '', query] = address.split(/\?(.*)/s);
  const coded = encodeURIComponent(name);
  const renamed = path.replace(
    /^(\/v1\/[^/]+\/entities\/[^/]+\/repositories\/|\/(?!v1\/)[^/]+\/[^/]+\/)[^/]+/,
    `$1${coded}`,
  );
  if (query === undefined || renamed !== path) return query === undefined ? renamed : `${renamed}?${query}`;
  const parameters = query
    .split('&')
    .map((part) => (new URLSearchParams(part).has('repository') ? `repository=${coded}` : part));
  return `${path}?${parameters.join('&')}`;
}

/** Sends a response that only this caller may see and no cache may store. */
export function sendPrivately(reply: FastifyReply, body: object, status: 200 | 201 = 200): FastifyReply {
  return reply
    .code(status)
    .headers({ 'cache-control': 'private, no-store', vary: 'authorization' })
    .type(json)
    .send(Buffer.from(JSON.stringify(body)));
}

/** Confirms a change with 204 and no body. */
export function sendNothing(reply: FastifyReply): FastifyReply {
  return reply.code(204).header('cache-control', 'private, no-store').send(null);
}

/** Streams lines of JSON that only this caller may see, while they are being read. */
export function sendLines(reply: FastifyReply, lines: Readable): FastifyReply {
  reply.raw.setTimeout(stalledAfterMs, () => lines.destroy(new Error('the reader stalled')));
  return reply
    .headers({ 'cache-control': 'private, no-store', vary: 'authorization' })
    .type('application/x-ndjson; charset=utf-8')
    .send(lines);
}

/**
 * URL parameters in which people send credentials by mistake. They have no effect, and no cache or link may hold them.
 */
const credentialNames = new Set(['token', 'access_token', 'private_token', 'authorization', 'jwt']);

export function holdsCredential(address: string): boolean {
  const [, query] = address.split('?', 2);
  if (query === undefined) return false;
  return [...new URLSearchParams(query).keys()].some((name) => credentialNames.has(name.toLowerCase()));
}

/** Returns the URLs of the neighbouring pages, for the Link header (RFC 8288). */
export function pageLinks(
  address: string,
  { previous_cursor, next_cursor }: Envelope,
): { prev?: string; next?: string } {
  const withCursor = (parameter: string, cursor: string): string => {
    const url = new URL(address);
    const names = [...url.searchParams.keys()].filter((name) => credentialNames.has(name.toLowerCase()));
    for (const name of ['after', 'before', ...names]) url.searchParams.delete(name);
    url.searchParams.set(parameter, cursor);
    return url.href;
  };
  return {
    ...(previous_cursor !== undefined && { prev: withCursor('before', previous_cursor) }),
    ...(next_cursor !== undefined && { next: withCursor('after', next_cursor) }),
  };
}

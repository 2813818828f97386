import type { FastifyReply, FastifyRequest } from 'fastify';
import { type dataTypes, type Envelope, envelope } from './envelope.ts';
import type { CardImage } from './images.ts';
import {
  imageHeaders,
  isNotModified,
  maxAgeS,
  notModifiedHeaders,
  type RenderedResponse,
  representationFor,
} from './response.ts';

const pendingRetryAfterS = 3;
const json = 'application/json; charset=utf-8';

export function sendResponse(request: FastifyRequest, reply: FastifyReply, answer: RenderedResponse): FastifyReply {
  if (answer.headers['access-control-allow-origin'] === undefined) reply.removeHeader('access-control-allow-origin');
  const found = representationFor(answer, request.headers['accept-encoding']);
  return isNotModified(request.headers['if-none-match'], found.etag)
    ? reply.code(304).headers(notModifiedHeaders(found)).send()
    : reply.code(200).headers(found.headers).send(found.body);
}

/** Sends a card that says why there is nothing else to show. */
export function sendImage(reply: FastifyReply, { body, contentType }: CardImage, status: number): FastifyReply {
  return reply.code(status).headers(imageHeaders).type(contentType).send(body);
}

/**
 * Sends the card for data that is not known yet. It is a 200, because proxies for images show nothing of a 202 (see
 * docs/decisions/0018); they may cache it for a few seconds.
 */
export function sendPendingImage(request: FastifyRequest, reply: FastifyReply, picture: CardImage): FastifyReply {
  const control = request.caller === null ? `public, max-age=${maxAgeS.incomplete}` : 'private, no-store';
  reply.headers({ 'retry-after': String(pendingRetryAfterS), 'cache-control': control, vary: 'authorization' });
  return sendImage(reply, picture, 200);
}

/** Sends that the data is not known yet and is being fetched. */
export function sendPending(reply: FastifyReply, dataType: keyof typeof dataTypes): FastifyReply {
  return reply
    .code(202)
    .headers({ 'retry-after': String(pendingRetryAfterS), 'cache-control': 'no-store' })
    .type(json)
    .send(Buffer.from(JSON.stringify(envelope({ dataType, data: [] }))));
}

/** Redirects to the same URL with the present name of an account or a repository; method and body stay the same. */
export function sendRedirect(
  request: FastifyRequest,
  reply: FastifyReply,
  moved: { account: string } | { repository: string },
): FastifyReply {
  const address =
    'account' in moved ? ofAccount(request.url, moved.account) : ofRepository(request.url, moved.repository);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const control = request.caller === null ? 'public, max-age=60' : 'private, no-store';
  return reply
    .code(isRead ? 301 : 308)
    .headers({ location: address, 'cache-control': control, vary: 'authorization' })
    .type(json)
    .send(Buffer.from(JSON.stringify(envelope({ dataType: 'unknown', data: [] }))));
}

function ofAccount(address: string, name: string): string {
  return address.replace(/^(\/v1\/[^/]+\/entities\/)[^/?]+/, `$1${encodeURIComponent(name)}`);
}

/**
 * Replaces the name of the repository in a URL: in the path, or in the parameter `repository`, whose name may be
 * percent-encoded too.
 */
function ofRepository(address: string, name: string): string {
  const [path = '', query] = address.split(/\?(.*)/s);
  const coded = encodeURIComponent(name);
  const renamed = path.replace(/^(\/v1\/[^/]+\/entities\/[^/]+\/repositories\/)[^/]+/, `$1${coded}`);
  if (query === undefined || renamed !== path) return query === undefined ? renamed : `${renamed}?${query}`;
  const parameters = query
    .split('&')
    .map((part) => (new URLSearchParams(part).has('repository') ? `repository=${coded}` : part));
  return `${path}?${parameters.join('&')}`;
}

/** Sends a response that only this caller may see and no cache may store. */
export function sendPrivately(reply: FastifyReply, body: object, status: 200 | 201 = 200): FastifyReply {
  reply.removeHeader('access-control-allow-origin');
  return reply
    .code(status)
    .headers({ 'cache-control': 'private, no-store', vary: 'authorization' })
    .type(json)
    .send(Buffer.from(JSON.stringify(body)));
}

/** URL parameters in which people put credentials. They have no effect here and must not be repeated. */
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

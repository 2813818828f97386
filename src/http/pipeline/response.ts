import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Representation, type Representations, toBody, withCompressedForms } from '../server/compression.ts';
import type { Envelope } from './envelope.ts';
import type { CardImage } from './images.ts';
import { secondsUntil } from './problem.ts';

/** A response with status 200, ready to send. */
export interface RenderedResponse extends Representations {
  /** The account whose data it shows. */
  accountId: string;
  /** The time until which the response may be sent, in ms since 1970; later it has to be rendered again. */
  expiresAt: number;
}

/** The seconds for which clients and this service may cache a response, by whether its data is complete. */
export const maxAgeS = { complete: 60, incomplete: 5 };
const staleWhileRevalidateS = 86_400;
/** The longest time, in seconds, for which clients may cache incomplete data: a quota or a failure can end early. */
const maxWaitS = 300;

/** The headers of images. An image runs nothing and loads nothing: its whole content is embedded. */
export const imageHeaders = {
  'content-security-policy': "default-src 'none'; img-src data:; style-src 'unsafe-inline'",
  'cross-origin-resource-policy': 'cross-origin',
};

/** The headers that scripts of other origins may read, in addition to those that CORS always permits. */
export const exposedHeaders =
  'content-disposition, etag, link, ratelimit, ratelimit-policy, retry-after, x-as-of, x-complete, x-error-code, x-granted, x-itemised, x-remainder, x-request-id, x-total';
/**
 * Pages of any origin may read responses, even those to requests with a token, because no browser adds a token on its
 * own, and the API ignores cookies.
 */
const corsHeaders = { 'access-control-allow-origin': '*', 'access-control-expose-headers': exposedHeaders };

/** The audience of a response: the public, the public until the owner withdraws the data, or one caller. */
type Audience = 'public' | 'public_until_withdrawn' | 'caller';

/** Renders a response once, so that it can be sent many times. */
export function renderResponse(content: {
  envelope: Envelope;
  /** The image of the response; undefined when it is JSON. */
  image?: CardImage | undefined;
  /** The response as CSV, which is sent instead of JSON, with the name of its file. */
  csv?: { text: string; fileName: string } | undefined;
  /** The response as a document of another media type, which is sent instead of JSON. */
  document?: { body: string; contentType: string } | undefined;
  audience: Audience;
  /** The time of the last change of the response, where that is known. */
  modifiedAt?: Date | undefined;
  accountId: string;
  /** URLs of the previous and the next page. */
  links?: { prev?: string | undefined; next?: string | undefined };
  now: Date;
  /** The time at which the data is due for a refresh. The response expires then, so that the next request starts it. */
  staleAt: Date;
}): RenderedResponse {
  const { envelope, image, csv, document, now } = content;
  const bytes = image?.body ?? Buffer.from(document?.body ?? csv?.text ?? JSON.stringify(envelope));
  const etag = toEtag(bytes);
  const isFinished = envelope.meta_data.complete !== false && image?.isFinal !== false;
  const { resumes_dttm: resumes } = envelope.meta_data.progress ?? {};
  const resumesAt = resumes === undefined ? undefined : new Date(resumes);
  const maxAge = isFinished ? maxAgeS.complete : maxAgeUntil(resumesAt, now);
  const link = Object.entries(content.links ?? {})
    .filter(([, address]) => address !== undefined)
    .map(([relation, address]) => `<${address}>; rel="${relation}"`)
    .join(', ');
  return {
    body: toBody(bytes),
    etag,
    headers: {
      'content-type': image?.contentType ?? document?.contentType ?? toContentType(csv !== undefined),
      ...(image && imageHeaders),
      'content-length': String(bytes.length),
      etag,
      'cache-control': cacheControl(content.audience, isFinished, maxAge),
      ...(resumesAt && { 'retry-after': String(secondsUntil(resumesAt, now)) }),
      // A cache must not serve this response to a request with another token, or with none.
      vary: 'authorization',
      ...corsHeaders,
      'x-content-type-options': 'nosniff',
      ...(link !== '' && { link }),
      ...(content.modifiedAt && { 'last-modified': content.modifiedAt.toUTCString() }),
      ...(csv && { 'content-disposition': `attachment; filename="${csv.fileName}"`, ...toProvenance(envelope) }),
    },
    accountId: content.accountId,
    expiresAt: toExpiry(toMaxAge(isFinished), now, content.staleAt),
  };
}

/**
 * Returns the header that keeps browsers on https for a year (RFC 6797), where readers come by https: a first request by http
 * could be led elsewhere. It holds for this host alone, because its other subdomains may serve http.
 */
export function transportHeaders(publicUrl: string): Record<string, string> {
  return publicUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {};
}

/** The headers of pages. They load nothing from other servers, run no inline script, and are shown in no frame. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  // A window that opens a page keeps no hold on it.
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'x-content-type-options': 'nosniff',
  vary: 'accept-language',
};

/** Returns the headers of pages for signed-in people. These pages are not compressed, because they hold form tokens. */
export function privatePageHeaders(formOrigins: readonly string[]): Record<string, string> {
  const policy = pageHeaders['content-security-policy'];
  return {
    ...pageHeaders,
    'content-security-policy': policy.replace("form-action 'self'", ["form-action 'self'", ...formOrigins].join(' ')),
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    vary: 'cookie, accept-language',
  };
}

/** Renders a page for visitors once, so that it can be sent many times. */
export function renderPage(content: {
  html: string;
  isComplete: boolean;
  accountId: string;
  now: Date;
  staleAt: Date;
}): RenderedResponse {
  const { html, isComplete, accountId, now, staleAt } = content;
  const bytes = Buffer.from(html);
  const etag = toEtag(bytes);
  return {
    body: toBody(bytes),
    etag,
    headers: {
      ...pageHeaders,
      'content-length': String(bytes.length),
      etag,
      'cache-control': cacheControl('public_until_withdrawn', isComplete, toMaxAge(isComplete)),
    },
    accountId,
    expiresAt: toExpiry(toMaxAge(isComplete), now, staleAt),
  };
}

/** Returns the headers that state what `meta_data` has about the numbers in a table, which has no place for it. */
function toProvenance({ meta_data: meta }: Envelope): Record<string, string> {
  const { as_of: asOf, complete, total, itemised, remainder, sum } = meta;
  const parts = sum ?? { total, itemised, remainder: remainder && remainderText(remainder) };
  return {
    ...(asOf !== undefined && { 'x-as-of': asOf }),
    ...(complete !== undefined && { 'x-complete': String(complete) }),
    ...Object.fromEntries(
      Object.entries(parts).flatMap(([name, value]) => (value === undefined ? [] : [[`x-${name}`, String(value)]])),
    ),
  };
}

/**
 * Returns the remainder of a number as a dictionary of structured fields (RFC 9651): `private=3, host-total=1`; empty
 * where the items are the whole number.
 */
export function remainderText(remainder: NonNullable<Envelope['meta_data']['remainder']>): string {
  return Object.entries(remainder)
    .map(([reason, number]) => `${reason}=${number}`)
    .join(', ');
}

function toContentType(isTable: boolean): string {
  return isTable ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8';
}

/** Returns the strong entity tag of a body: a part of its SHA-256. */
export function toEtag(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
}

/**
 * Returns the time until which a response may be sent, in ms since 1970. A response with stale data gets 5 seconds: its
 * request has started the refresh, whose end drops the response.
 */
function toExpiry(maxAge: number, now: Date, staleAt: Date): number {
  const nowMs = now.getTime();
  if (staleAt <= now) return nowMs + maxAgeS.incomplete * 1000;
  return Math.min(nowMs + maxAge * 1000, staleAt.getTime());
}

/** Returns the seconds for which clients may cache incomplete data that waits until a time; undefined: it is being read. */
function maxAgeUntil(resumesAt: Date | undefined, now: Date): number {
  if (resumesAt === undefined) return maxAgeS.incomplete;
  return Math.min(maxWaitS, Math.max(maxAgeS.incomplete, secondsUntil(resumesAt, now)));
}

function toMaxAge(isFinished: boolean): number {
  return isFinished ? maxAgeS.complete : maxAgeS.incomplete;
}

/**
 * Returns the `Cache-Control` header. Shared caches may serve a stale response for a day only where it is complete and
 * its owner cannot withdraw it.
 */
function cacheControl(audience: Audience, isFinished: boolean, maxAge: number): string {
  if (audience === 'caller') return 'private, no-store';
  const mayBeStale = audience === 'public' && isFinished;
  const whileRevalidating = mayBeStale ? `, stale-while-revalidate=${staleWhileRevalidateS}` : '';
  return `public, max-age=${maxAge}${whileRevalidating}`;
}

/**
 * Returns whether a request's `If-None-Match` holds the tag (RFC 9110, section 13.1.2: compared weakly), or whether it has none
 * and its `If-Modified-Since` is not before the last change (section 13.1.3).
 */
export function isNotModified(
  { 'if-none-match': ifNoneMatch, 'if-modified-since': since }: IncomingHttpHeaders,
  { etag, headers = {} }: { etag: string; headers?: Readonly<Record<string, string>> },
): boolean {
  if (ifNoneMatch === undefined) {
    const modifiedAt = headers['last-modified'];
    return modifiedAt !== undefined && since !== undefined && Date.parse(modifiedAt) <= Date.parse(since);
  }
  if (ifNoneMatch === etag || ifNoneMatch === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** Returns the headers that a 304 repeats: those that a cache updates. */
export function notModifiedHeaders({ headers: all }: Representation): Record<string, string> {
  const { 'content-type': _type, 'content-length': _length, 'content-encoding': _coding, ...headers } = all;
  return headers;
}

/**
 * Renders a document that is the same for all callers, as JSON with an entity tag.
 * @param maxAgeS the time, in s, for which caches keep it.
 */
export function renderDocument(document: object, maxAgeS: number): Representations {
  const bytes = Buffer.from(JSON.stringify(document));
  const etag = toEtag(bytes);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(bytes.length),
    'cache-control': `public, max-age=${maxAgeS}`,
    etag,
  };
  return withCompressedForms({ body: toBody(bytes), etag, headers });
}

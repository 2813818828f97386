import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Envelope } from './envelope.ts';
import type { Picture } from './pictures.ts';

/** An answer's bytes in one content coding (RFC 9110, section 8.8.3.3: each has a tag of its own). */
export interface Representation {
  body: Buffer;
  etag: string;
  /** Everything but what differs from one response to the next. */
  headers: Record<string, string>;
}

/** A 200 as it goes over the wire. */
export interface Answer extends Representation {
  /** The account whose data it shows. */
  accountId: string;
  /** Milliseconds since 1970; later the answer must be made anew. */
  expiresAt: number;
  /** The same for those who read it compressed. */
  compressed?: { br: Representation; gzip: Representation };
}

/** How long others may keep an answer, and we at the most: seconds. */
export const maxAgeS = { complete: 60, incomplete: 5 };
const staleWhileRevalidateS = 86_400;

/** A picture runs nothing and loads nothing; what it shows is part of it. */
export const pictureHeaders = {
  'content-security-policy': "default-src 'none'; img-src data:; style-src 'unsafe-inline'",
  'cross-origin-resource-policy': 'cross-origin',
};

/** Whom an answer is for: everybody, everybody as long as the owner does not change their mind, or one caller. */
export type Audience = 'everybody' | 'everybody_for_now' | 'caller';

/** Renders an answer once, to be sent many times. */
export function renderAnswer(content: {
  envelope: Envelope;
  /** The same, drawn. */
  picture?: Picture | undefined;
  audience: Audience;
  accountId: string;
  /** Addresses of the pages before and after. */
  links?: { prev?: string | undefined; next?: string | undefined };
  now: Date;
  /** When the data behind it is due for a refresh, which the next answer has to ask for. */
  staleAt: Date;
}): Answer {
  const { envelope, picture, now } = content;
  const body = picture?.body ?? Buffer.from(JSON.stringify(envelope));
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const isFinished = envelope.meta_data.complete !== false && picture?.isFinal !== false;
  const maxAge = maxAgeOf(isFinished);
  const link = Object.entries(content.links ?? {})
    .filter(([, address]) => address !== undefined)
    .map(([relation, address]) => `<${address}>; rel="${relation}"`)
    .join(', ');
  const keepUntil = now.getTime() + maxAge * 1000;
  const staleAt = content.staleAt.getTime();
  return {
    body,
    etag,
    headers: {
      'content-type': picture?.contentType ?? 'application/json; charset=utf-8',
      ...(picture && pictureHeaders),
      'content-length': String(body.length),
      etag,
      'cache-control': cacheControl(content.audience, isFinished),
      // What is said to nobody in particular must not be taken for what is said to the bearer of a token.
      vary: 'authorization',
      ...(content.audience !== 'caller' && {
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'etag, link, retry-after, x-request-id',
      }),
      'x-content-type-options': 'nosniff',
      ...(link !== '' && { link }),
    },
    accountId: content.accountId,
    // Already stale: the refresh has been asked for, and its end will drop this answer.
    expiresAt: staleAt > now.getTime() ? Math.min(keepUntil, staleAt) : now.getTime() + maxAgeS.incomplete * 1000,
  };
}

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);
/** Pictures are made anew now and then, and sent often. */
const brotliQuality = 7;

/** Adds what is sent to those who read it compressed; away from the event loop. */
export async function compressAnswer(answer: Answer): Promise<Answer> {
  const { body } = answer;
  const [br, gzipped] = await Promise.all([
    toBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
    toGzip(body, { level: 9 }),
  ]);
  const vary = 'authorization, accept-encoding';
  return {
    ...answer,
    headers: { ...answer.headers, vary },
    compressed: { br: compressedAs('br', br, answer, vary), gzip: compressedAs('gzip', gzipped, answer, vary) },
  };
}

function compressedAs(coding: 'br' | 'gzip', body: Buffer, { etag, headers }: Answer, vary: string): Representation {
  const tag = `${etag.slice(0, -1)}-${coding}"`;
  const length = String(body.length);
  return {
    body,
    etag: tag,
    headers: { ...headers, etag: tag, vary, 'content-length': length, 'content-encoding': coding },
  };
}

/** The bytes for one who reads these codings (`Accept-Encoding`, RFC 9110, section 12.5.3). */
export function representationFor(answer: Answer, acceptEncoding: string | undefined): Representation {
  const { compressed } = answer;
  if (compressed === undefined || acceptEncoding === undefined) return answer;
  let coding = codings.get(acceptEncoding);
  if (coding === undefined) {
    coding = accepts(acceptEncoding, 'br') ? 'br' : accepts(acceptEncoding, 'gzip') ? 'gzip' : 'identity';
    codings.set(acceptEncoding, coding);
  }
  return coding === 'identity' ? answer : compressed[coding];
}

/** Most readers say the same few things. */
const codings = new LRUCache<string, 'br' | 'gzip' | 'identity'>({ max: 200 });

function accepts(acceptEncoding: string, coding: string): boolean {
  return acceptEncoding.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';');
    return name.trim().toLowerCase() === coding && !parameters.some((one) => /^\s*q=0(\.0*)?\s*$/i.test(one));
  });
}

function maxAgeOf(isFinished: boolean): number {
  return isFinished ? maxAgeS.complete : maxAgeS.incomplete;
}

/** Lets shared caches serve a stale response for a day only where nothing is missing from it and nobody may withdraw it. */
function cacheControl(audience: Audience, isFinished: boolean): string {
  if (audience === 'caller') return 'private, no-store';
  const mayBeStale = audience === 'everybody' && isFinished;
  const whileRevalidating = mayBeStale ? `, stale-while-revalidate=${staleWhileRevalidateS}` : '';
  return `public, max-age=${maxAgeOf(isFinished)}${whileRevalidating}`;
}

/** Whether a request's If-None-Match holds the tag (RFC 9110, section 13.1.2: compared weakly). */
export function isNotModified(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag || ifNoneMatch === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** The headers that a 304 repeats: those that a cache updates. */
export function notModifiedHeaders({ headers: all }: Representation): Record<string, string> {
  const { 'content-type': _type, 'content-length': _length, 'content-encoding': _coding, ...headers } = all;
  return headers;
}

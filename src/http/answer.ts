import { createHash } from 'node:crypto';
import type { Envelope } from './envelope.ts';

/** A 200 as it goes over the wire. */
export interface Answer {
  body: Buffer;
  etag: string;
  /** Everything but what differs from one response to the next. */
  headers: Record<string, string>;
  /** The account whose data it shows. */
  accountId: string;
  /** Milliseconds since 1970; later the answer must be made anew. */
  expiresAt: number;
}

/** How long others may keep an answer, and we at the most: seconds. */
const maxAgeS = { complete: 60, incomplete: 5 };
const staleWhileRevalidateS = 86_400;

/** A picture runs nothing and loads nothing. */
const pictureHeaders = {
  'content-type': 'image/svg+xml; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
};

/** Whom an answer is for: everybody, everybody as long as the owner does not change their mind, or one caller. */
export type Audience = 'everybody' | 'everybody_for_now' | 'caller';

/** Renders an answer once, to be sent many times. */
export function renderAnswer(content: {
  envelope: Envelope;
  /** The same, drawn. */
  picture?: string | undefined;
  audience: Audience;
  accountId: string;
  /** Addresses of the pages before and after. */
  links?: { prev?: string | undefined; next?: string | undefined };
  now: Date;
  /** When the data behind it is due for a refresh, which the next answer has to ask for. */
  staleAt: Date;
}): Answer {
  const { envelope, now } = content;
  const body = Buffer.from(content.picture ?? JSON.stringify(envelope));
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const maxAge = envelope.meta_data.complete === false ? maxAgeS.incomplete : maxAgeS.complete;
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
      ...(content.picture === undefined ? { 'content-type': 'application/json; charset=utf-8' } : pictureHeaders),
      'content-length': String(body.length),
      etag,
      'cache-control': cacheControl(content.audience, maxAge),
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

function cacheControl(audience: Audience, maxAge: number): string {
  if (audience === 'caller') return 'private, no-store';
  const whileRevalidating = audience === 'everybody' ? `, stale-while-revalidate=${staleWhileRevalidateS}` : '';
  return `public, max-age=${maxAge}${whileRevalidating}`;
}

/** Whether a request's If-None-Match holds the tag (RFC 9110, section 13.1.2: compared weakly). */
export function isNotModified(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag || ifNoneMatch === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** The headers that a 304 repeats: those that a cache updates. */
export function notModifiedHeaders(answer: Answer): Record<string, string> {
  const { 'content-type': _type, 'content-length': _length, ...headers } = answer.headers;
  return headers;
}

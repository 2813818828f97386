import { createHash, timingSafeEqual } from 'node:crypto';
import { basePathIn } from '../../../http/server/base-path.ts';
import type { Account } from '../../../model/account.ts';
import { AppError } from '../../../model/errors.ts';
import type { AccessServices } from '../services.ts';
import { hashSecret } from './sign-in.ts';
import { findSession } from './store.ts';

/** The cookies of sign-in, and their attributes. */
export interface Cookies {
  /** Holds the secret of a session. */
  session: string;
  /** Holds the state of a sign-in, until the browser returns from the host. */
  signIn: string;
  attributes: string;
}

/** The cookies of the last address, because a service has one, and each page says whether it has sign-in. */
let last: { publicUrl: string; cookies: Cookies | undefined } | undefined;

const secretForm = /^[\w-]{43}$/;

/** A person who is signed in on the pages. */
export interface Session {
  /** The person's own account. */
  account: Account;
  /** The person in the form in which holders of keys and links are stored. */
  person: { id: string; name: string };
  secretHash: Buffer;
  /** The token that every form of the session sends, so that no other site can make the browser send one. */
  formToken: string;
  expiresAt: Date;
}

/** Finds the session of a request by its cookies; undefined when there is none that is valid. */
export async function readSession(
  { connection, now, publicUrl }: Pick<AccessServices, 'connection' | 'now' | 'publicUrl'>,
  cookieHeader: string | undefined,
): Promise<Session | undefined> {
  const cookies = cookiesFor(publicUrl());
  const secret = cookies && readCookie(cookieHeader, cookies.session);
  if (secret === undefined) return undefined;
  const secretHash = hashSecret(secret);
  const stored = await findSession(connection, secretHash, now());
  if (stored === undefined) return undefined;
  const { account, expiresAt } = stored;
  return {
    account,
    person: { id: account.externalId, name: `${account.provider}/${account.name}` },
    secretHash,
    formToken: toFormToken(secret),
    expiresAt,
  };
}

function toFormToken(secret: string): string {
  return createHash('sha256').update(`form ${secret}`).digest('base64url');
}

/** Checks that a form was sent with the token of its session. @throws AppError `forbidden` when it was not. */
export function requireFormToken({ formToken }: Session, sentToken: string | undefined): void {
  const [expected, received] = [Buffer.from(formToken), Buffer.from(sentToken ?? '')];
  if (expected.length === received.length && timingSafeEqual(expected, received)) return;
  throw new AppError('forbidden', 'This form is not from your session. Load its page again.');
}

/**
 * Returns the cookies of a service. Browsers accept `__Host-` cookies only by https and with `Path=/`, so that a service
 * below a path has `__Secure-` ones. Both need https, so that a service on the machine
 * of the browser, such as the demonstration, has others.
 * @returns undefined for an http address of another machine, where a session could be read on its way. Sign-in is off.
 */
export function cookiesFor(publicUrl: string): Cookies | undefined {
  if (last?.publicUrl !== publicUrl) last = { publicUrl, cookies: makeCookies(publicUrl) };
  return last.cookies;
}

function makeCookies(publicUrl: string): Cookies | undefined {
  const { protocol, hostname } = new URL(publicUrl);
  const base = basePathIn(publicUrl);
  const attributes = `Path=${base || '/'}; HttpOnly; SameSite=Lax`;
  const prefix = base === '' ? '__Host-' : '__Secure-';
  if (protocol === 'https:') {
    return { session: `${prefix}session`, signIn: `${prefix}sign-in`, attributes: `${attributes}; Secure` };
  }
  return isThisMachine(hostname) ? { session: 'session', signIn: 'sign-in', attributes } : undefined;
}

/** Returns whether the host of a URL is the machine of the browser itself. */
export function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/** Returns the secret in a cookie of a request; undefined when there is none of the right form. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const [key = '', value = ''] = pair.trim().split('=', 2);
    if (key === name && secretForm.test(value)) return value;
  }
  return undefined;
}

/** Returns whether cookies contain a session, without checking it as `readSession` does. */
export function hasSession(header: string): boolean {
  return /(?:^|[\s;])(?:__(?:Host|Secure)-)?session=/.test(header);
}

/** Returns a `Set-Cookie` header. @param maxAgeS 0 removes the cookie. */
export function writeCookie({ attributes }: Cookies, name: string, value: string, maxAgeS: number): string {
  return `${name}=${value}; Max-Age=${maxAgeS}; ${attributes}`;
}

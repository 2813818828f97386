import { createHash, timingSafeEqual } from 'node:crypto';
import type { Account } from '../../../model/account.ts';
import { AppError } from '../../../model/errors.ts';
import type { AccessServices } from '../services.ts';
import { cookiesFor, readCookie } from './cookies.ts';
import { hashSecret } from './sign-in.ts';
import { findSession } from './store.ts';

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

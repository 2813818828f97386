import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { parseClean } from './checks.ts';

/** Checks that the readers of deliveries of all hosts share. */

const deliveryId = /^[\w-]{1,100}$/;

export function isDeliveryId(id: string): boolean {
  return deliveryId.test(id);
}

/** @throws AppError `not_found` when no secret is configured, that is, when the service accepts no deliveries. */
export function requireSecret(secret: string | undefined): string {
  if (secret !== undefined) return secret;
  throw new AppError(
    'not_found',
    'This service takes no deliveries: no webhook secret is configured for this provider.',
  );
}

/** Returns whether a signature is the hexadecimal HMAC-SHA256 of a body. */
export function isSignature(given: string | undefined, secret: string, body: Buffer): boolean {
  return isSameSecret(given, createHmac('sha256', secret).update(body).digest('hex'));
}

/** Compares hashes, so that the time taken reveals nothing, not even the length of the secret. */
export function isSameSecret(given: string | undefined, secret: string): boolean {
  return given !== undefined && timingSafeEqual(hash(given), hash(secret));
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** @throws AppError `invalid_input` */
export function parseDelivered(body: Buffer): unknown {
  try {
    return parseClean(body.toString('utf8'));
  } catch {
    throw new AppError('invalid_input', 'The body must be JSON (the webhook’s content type application/json).');
  }
}

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../model/errors.ts';
import { toFields } from '../../model/fields.ts';
import type { Change, Delivery, DeliveryHeaders, DeliveryReader } from '../interface/provider.ts';
import { parseClean } from './checks.ts';

/**
 * Signatures of deliveries as Standard Webhooks describes them:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */

/** The form of a signing token: a key of 24 to 64 bytes in base64. */
const tokenForm = /^whsec_([A-Za-z0-9+/]{32,86}={0,2})$/;
const standardSignatureForm = /^v1,([A-Za-z0-9+/]{43}=)$/;
/** The greatest difference between the time of a delivery and the clock of the service, in ms. */
const toleranceMs = 5 * 60_000;

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

const signatureForm = /^[0-9a-f]{64}$/i;

/**
 * Returns a reader that computes the HMAC-SHA256 of a body while it is received.
 * @param signed.signature the hexadecimal signature that the host sent.
 * @param signed.header the name of the header that holds it, for messages.
 * @throws AppError `not_found` without a secret; `unauthenticated` without a signature, and at the end for a wrong one.
 */
export function signedReader(
  secret: string | undefined,
  { signature, header }: { signature: string | undefined; header: string },
  read: (body: Buffer) => Delivery,
): DeliveryReader {
  const hmac = createHmac('sha256', requireSecret(secret));
  if (signature === undefined || !signatureForm.test(signature)) {
    throw new AppError('unauthenticated', `${header} is missing or holds no SHA-256 signature.`);
  }
  return {
    update: (bytes) => void hmac.update(bytes),
    finish: (body) => {
      if (!isSameSecret(signature.toLowerCase(), hmac.digest('hex'))) {
        throw new AppError(
          'unauthenticated',
          `${header} is not the signature of this body with the configured secret.`,
        );
      }
      return read(body);
    },
  };
}

/** Compares hashes, so that the time taken reveals nothing, not even the length of the secret. */
export function isSameSecret(sentSecret: string | undefined, secret: string): boolean {
  return sentSecret !== undefined && timingSafeEqual(hash(sentSecret), hash(secret));
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * Parses the body of a delivery.
 * @throws AppError `invalid_input` when it is no JSON, or nested too deeply.
 */
export function parseDelivered(body: Buffer): unknown {
  try {
    return parseClean(body.toString('utf8'));
  } catch (cause) {
    const message = 'The body must be JSON that is not nested deeply (the webhook’s content type application/json).';
    throw new AppError('invalid_input', message, { cause });
  }
}

/** Returns the changes, which say what stored data is invalid, by the events that matter. */
export type ChangeReaders = Readonly<Record<string, (payload: unknown) => Change[]>>;

/** Returns the changes that an event reports; none for an event that does not matter. */
export function readChanges(readers: ChangeReaders, event: string, payload: unknown): Change[] {
  return Object.hasOwn(readers, event) ? (readers[event]?.(payload) ?? []) : [];
}

/**
 * Returns a field of a part of a payload; undefined where it is absent. Only the fields without which a change cannot
 * be reported are required of payloads; all others may be absent, null or of another shape.
 */
export function readPart(payload: unknown, field: string): unknown {
  return toFields(payload)[field];
}

/** Returns the key in a signing token; undefined for any other text. */
export function keyInToken(token: string): Buffer | undefined {
  const [, key] = tokenForm.exec(token) ?? [];
  return key === undefined ? undefined : Buffer.from(key, 'base64');
}

/**
 * Returns a reader that computes the signatures of a body while it is received. One right signature is enough: a host
 * sends several while it changes its key.
 * @throws AppError `unauthenticated` without a present time, and at the end for wrong signatures.
 */
export function standardReader(
  keys: readonly Buffer[],
  headers: DeliveryHeaders,
  now: Date,
  read: (body: Buffer) => Delivery,
): DeliveryReader {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures } = headers;
  if (
    typeof id !== 'string' ||
    typeof time !== 'string' ||
    typeof signatures !== 'string' ||
    !/^\d{1,12}$/.test(time)
  ) {
    throw new AppError('unauthenticated', 'webhook-signature needs the headers webhook-id and webhook-timestamp.');
  }
  if (Math.abs(now.getTime() - Number(time) * 1000) > toleranceMs) {
    throw new AppError('unauthenticated', 'webhook-timestamp is more than five minutes away from the present time.');
  }
  const hmacs = keys.map((key) => createHmac('sha256', key).update(`${id}.${time}.`));
  return {
    update: (bytes) => {
      for (const hmac of hmacs) hmac.update(bytes);
    },
    finish: (body) => {
      const expected = hmacs.map((hmac) => hmac.digest());
      const isSigned = signaturesIn(signatures).some((sent) => expected.some((hash) => timingSafeEqual(hash, sent)));
      if (!isSigned) {
        throw new AppError(
          'unauthenticated',
          'webhook-signature holds no signature of this body with the configured signing token.',
        );
      }
      return read(body);
    },
  };
}

/** Returns the signatures in a header that are of the version of this service; other versions may stand beside them. */
function signaturesIn(header: string): Buffer[] {
  return header.split(' ').flatMap((text) => {
    const [, signature] = standardSignatureForm.exec(text) ?? [];
    return signature === undefined ? [] : [Buffer.from(signature, 'base64')];
  });
}

import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../model/errors.ts';
import type { Delivery, DeliveryHeaders, DeliveryReader } from '../interface/provider.ts';

/**
 * Signatures of deliveries as Standard Webhooks describes them:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */

/** The form of a signing token: a key of 24 to 64 bytes in base64. */
const tokenForm = /^whsec_([A-Za-z0-9+/]{32,86}={0,2})$/;
const signatureForm = /^v1,([A-Za-z0-9+/]{43}=)$/;
/** The greatest difference between the time of a delivery and the clock of the service, in ms. */
const toleranceMs = 5 * 60_000;

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
    const [, signature] = signatureForm.exec(text) ?? [];
    return signature === undefined ? [] : [Buffer.from(signature, 'base64')];
  });
}

import { createPrivateKey, type KeyObject } from 'node:crypto';
import { misconfigured } from './misconfigured.ts';
import { findRsaWeakness } from './rsa-modulus.ts';

/** The credentials of the service at a provider where it is registered as an app. */
export interface AppCredentials {
  /** The app's id at the provider, or its client id. */
  id: string;
  /** RSA, of at least 2048 bits. */
  privateKey: KeyObject;
}

export const appIdPattern = '^[A-Za-z0-9][A-Za-z0-9.]{0,99}$';
const minBits = 2048;

/**
 * Reads the credentials of an app. The key is PEM as the provider made it (PKCS #1 or #8), also with newlines written
 * as a backslash and an n.
 * @param names of the two settings, for errors; their values are never repeated.
 * @returns undefined when neither is set.
 * @throws AppError `misconfigured` when one is missing or invalid.
 */
export function readAppCredentials(
  { id, privateKey: text }: { id: string | undefined; privateKey: string | undefined },
  names: { id: string; privateKey: string },
): AppCredentials | undefined {
  if (id === undefined && text === undefined) return undefined;
  if (text === undefined)
    throw misconfigured(`${names.id} is set and ${names.privateKey} is not; set both, or neither`);
  if (id === undefined) throw misconfigured(`${names.privateKey} is set and ${names.id} is not; set both, or neither`);
  const privateKey = parseKey(text.replaceAll('\\n', '\n').trim());
  const bits = privateKey?.asymmetricKeyDetails?.modulusLength ?? 0;
  if (privateKey?.asymmetricKeyType !== 'rsa' || bits < minBits) {
    throw misconfigured(
      `${names.privateKey} must be a private key that was generated for the app: PEM that begins with -----BEGIN RSA PRIVATE KEY----- or -----BEGIN PRIVATE KEY-----`,
    );
  }
  const weakness = findRsaWeakness(privateKey);
  if (weakness !== undefined) {
    throw misconfigured(`${names.privateKey} is a weak RSA key: it ${weakness}. Generate a new key for the app.`);
  }
  return { id, privateKey };
}

function parseKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    // The cause is left out, because it may quote the key.
    return undefined;
  }
}

import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { findRsaWeakness } from '../../../hosts/config/rsa-modulus.ts';
import { type AppError, fieldError } from '../../../model/errors.ts';
import { toFields } from '../../../model/fields.ts';

/** The kinds of keys that tokens may be signed with, and the algorithms of each (RFC 7518, RFC 8037). */
export const keyKinds = {
  Ed25519: ['EdDSA', 'Ed25519'],
  'P-256': ['ES256'],
  'P-384': ['ES384'],
  RSA: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
} as const;
type KeyKind = keyof typeof keyKinds;

export function isKeyKind(text: string): text is KeyKind {
  return text in keyKinds;
}

/** A public key that verifies the tokens that an owner signs. */
export interface PublicKey {
  /** SHA-256 of `spki`, hexadecimal. */
  id: string;
  kind: KeyKind;
  /** SubjectPublicKeyInfo, DER. */
  spki: Buffer;
}

/** The field of the body with the key. */
const field = 'data.key';

const rsaBits = { least: 2048, most: 8192 };
const allowed = 'Ed25519, ECDSA on P-256 or P-384, and RSA of 2048 to 8192 bits';

/**
 * Reads a public key: PEM, or a JWK (RFC 7517).
 * @throws AppError `invalid_input` that says why the key is refused.
 */
export function readPublicKey(encodedKey: string | object): PublicKey {
  const key = parseKey(encodedKey);
  const kind = toKind(key);
  const spki = key.export({ format: 'der', type: 'spki' });
  return { id: createHash('sha256').update(spki).digest('hex'), kind, spki };
}

/** Reads a stored key. */
export function fromSpki(spki: Buffer): KeyObject {
  return createPublicKey({ key: spki, format: 'der', type: 'spki' });
}

export function toPem(spki: Buffer): string {
  return fromSpki(spki).export({ format: 'pem', type: 'spki' }).toString();
}

function parseKey(encodedKey: string | object): KeyObject {
  const text = typeof encodedKey === 'string' ? encodedKey.trim() : '';
  if (/PRIVATE KEY/.test(text)) throw isPrivate();
  const jwk = typeof encodedKey === 'object' ? encodedKey : text.startsWith('{') ? parseJson(text) : undefined;
  if (jwk !== undefined && hasSecret(jwk)) throw isPrivate();
  if (jwk === undefined && !text.startsWith('-----BEGIN PUBLIC KEY-----')) throw unreadable();
  try {
    return jwk === undefined
      ? createPublicKey({ key: text, format: 'pem' })
      : createPublicKey({ key: { ...jwk }, format: 'jwk' });
  } catch {
    throw unreadable();
  }
}

function parseJson(text: string): object {
  try {
    return toFields(JSON.parse(text));
  } catch {
    throw unreadable();
  }
}

function toKind(key: KeyObject): KeyKind {
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  const { asymmetricKeyType: type } = key;
  if (type === 'ed25519') {
    if (isOfLowOrder(key)) throw isWeak('Ed25519', 'is a point of low order');
    return 'Ed25519';
  }
  if (type === 'ec' && namedCurve === 'prime256v1') return 'P-256';
  if (type === 'ec' && namedCurve === 'secp384r1') return 'P-384';
  if (type === 'rsa') {
    if (modulusLength < rsaBits.least || modulusLength > rsaBits.most) {
      throw isWeak('RSA', `has a modulus of ${modulusLength} bits; accepted are ${rsaBits.least} to ${rsaBits.most}`);
    }
    const weakness = findRsaWeakness(key);
    if (weakness !== undefined) throw isWeak('RSA', weakness);
    return 'RSA';
  }
  throw fieldError(field, `is of a kind that is not accepted; those that are: ${allowed}.`);
}

/** The members of private and symmetric keys (RFC 7518, section 6; RFC 8037, section 2). */
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const maxNesting = 4;

/** Returns whether an object is a private or symmetric JWK, or contains one, as a set of keys does. */
function hasSecret(part: unknown, nesting = 0): boolean {
  if (typeof part !== 'object' || part === null || nesting > maxNesting) return false;
  if (!Array.isArray(part) && secretMembers.some((name) => name in part)) return true;
  return Object.values(part).some((inner) => hasSecret(inner, nesting + 1));
}

/**
 * The encodings of the points of low order on edwards25519, with a sign bit of zero. With such a key, one signature is
 * valid for many messages (libsodium, ge25519_has_small_order in crypto_core/ed25519/ref10/ed25519_ref10.c).
 */
const lowOrderPoints = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]);

function isOfLowOrder(key: KeyObject): boolean {
  const point = Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
  const last = point.length - 1;
  point.writeUInt8(point.readUInt8(last) & 0x7f, last);
  return lowOrderPoints.has(point.toString('hex'));
}

function isWeak(kind: 'Ed25519' | 'RSA', reason: string): AppError {
  return fieldError(field, `is a weak ${kind} key: it ${reason}. Generate a new key.`);
}

function unreadable(): AppError {
  return fieldError(field, 'must be a public key: PEM ("-----BEGIN PUBLIC KEY-----") or a JWK.');
}

function isPrivate(): AppError {
  return fieldError(
    field,
    'is a private or secret key. It was not stored; treat it as leaked, and send its public part.',
  );
}

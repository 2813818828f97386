import { createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** Builds tokens without a library, so that tests can make each part of them invalid. */

export interface Parts {
  header: Record<string, unknown>;
  payload: Record<string, unknown>;
}

const parse = (part: string): Record<string, unknown> => JSON.parse(Buffer.from(part, 'base64url').toString());

export function decode(token: string): Parts {
  const [header = '', payload = ''] = token.split('.');
  return { header: parse(header), payload: parse(payload) };
}

const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/**
 * Returns a token.
 * @param signer returns the signature of the data; without it the token has no signature.
 */
export function forge({ header, payload }: Parts, signer?: (data: Buffer) => Buffer): string {
  const data = `${encode(header)}.${encode(payload)}`;
  return `${data}.${signer === undefined ? '' : signer(Buffer.from(data)).toString('base64url')}`;
}

export const hmac =
  (secret: string | Buffer) =>
  (data: Buffer): Buffer =>
    createHmac('sha256', secret).update(data).digest();

export const eddsa =
  (key: KeyObject) =>
  (data: Buffer): Buffer =>
    sign(null, data, key);

export const ecdsa =
  (key: KeyObject, hash = 'sha256') =>
  (data: Buffer): Buffer =>
    sign(hash, data, { key, dsaEncoding: 'ieee-p1363' });

export const rsa =
  (key: KeyObject) =>
  (data: Buffer): Buffer =>
    sign('sha256', data, key);

export interface Pair {
  publicKey: KeyObject;
  privateKey: KeyObject;
}

export const ed25519 = (): Pair => generateKeyPairSync('ed25519');

export function pem(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString();
}

/** Reads a private JWK as it is stored. */
export function fromJwk(jwk: object): KeyObject {
  return createPrivateKey({ key: { ...jwk }, format: 'jwk' });
}

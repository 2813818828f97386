import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto';

/** The keys and proofs (JWTs) of an App, and GitHub's rules for them. */

export interface KeyPair {
  publicKey: KeyObject;
  /** In the format of GitHub: PKCS #1. */
  pem: string;
}

export function makeKeyPair(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { publicKey, pem: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString() };
}

let firstKeyPair: KeyPair | undefined;

/** Returns the key pair that Apps of this process begin with; making one takes longer than everything else of an App. */
export function initialKeyPair(): KeyPair {
  firstKeyPair ??= makeKeyPair();
  return firstKeyPair;
}

/** The longest validity of a proof that GitHub accepts, in s. */
const longestS = 600;

/** Returns GitHub's refusal of a proof, undefined for a valid proof. */
export function proofFault(
  proof: string,
  app: { ids: readonly string[]; keys: readonly KeyObject[]; isDeleted: boolean },
  now: Date,
): { status: number; message: string } | undefined {
  const [header = '', claims = '', signature = '', ...rest] = proof.split('.');
  const undecodable = { status: 401, message: 'A JSON web token could not be decoded' };
  const decodedClaims = decode(claims);
  if (rest.length > 0 || decode(header)?.['alg'] !== 'RS256' || decodedClaims === undefined) return undecodable;
  if (app.isDeleted || !app.ids.includes(String(decodedClaims['iss'])))
    return { status: 404, message: 'Integration not found' };
  const signed = Buffer.from(`${header}.${claims}`);
  const isSigned = app.keys.some((key) => verify('sha256', signed, key, Buffer.from(signature, 'base64url')));
  if (!isSigned) return undecodable;
  const { iat, exp } = decodedClaims;
  const nowS = now.getTime() / 1000;
  if (!Number.isInteger(exp) || Number(exp) <= nowS) {
    return {
      status: 401,
      message: "'Expiration time' claim ('exp') must be a numeric value representing the future time",
    };
  }
  if (Number(exp) > nowS + longestS) {
    return { status: 401, message: "'Expiration time' claim ('exp') is too far in the future" };
  }
  if (!Number.isInteger(iat) || Number(iat) > nowS) {
    return { status: 401, message: "'Issued at' claim ('iat') must be an Integer representing the time of assertion" };
  }
  return undefined;
}

function decode(part: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { Type } from 'typebox';

const part = () => Type.Optional(Type.String());

/** A public key (RFC 7517) that verifies signatures of this service. */
export const PublicKey = Type.Unsafe<Record<string, string>>(
  Type.Object(
    {
      kty: Type.String({ examples: ['OKP'] }),
      crv: part(),
      x: part(),
      y: part(),
      n: part(),
      e: part(),
      kid: Type.String({ description: 'Id of the key, as in the header of a signature.' }),
      use: Type.Literal('sig'),
      alg: Type.String({ examples: ['EdDSA'] }),
    },
    { title: 'PublicKey' },
  ),
);

export const KeySet = Type.Object({ keys: Type.Array(PublicKey) }, { title: 'KeySet' });

/** An algorithm of signatures (`alg`, RFC 7518 and RFC 8037). */
export type SigningAlgorithm = 'ES256' | 'RS256' | 'EdDSA';

/** A key that service tokens or credentials are signed with. */
export interface SigningKey {
  /** The JWK thumbprint (RFC 7638). */
  id: string;
  publicKey: JWK;
  privateKey: JWK;
}

export type NewSigningKey = (algorithm: SigningAlgorithm) => Promise<SigningKey>;

/** The size of RSA keys in bits. A larger one takes seconds to make, for which the first caller would wait. */
const modulusLength = 2048;
/** The algorithm of each type of key (`kty`), of which each algorithm has a different one. */
const algorithms: Readonly<Record<string, SigningAlgorithm>> = { EC: 'ES256', RSA: 'RS256', OKP: 'EdDSA' };

export async function generateSigningKey(algorithm: SigningAlgorithm): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true, modulusLength });
  const publicJwk = await exportJWK(publicKey);
  return { id: await calculateJwkThumbprint(publicJwk), publicKey: publicJwk, privateKey: await exportJWK(privateKey) };
}

/** Returns the algorithm of a key that `generateSigningKey` made. */
export function toAlgorithm({ kty }: Pick<JWK, 'kty'>): SigningAlgorithm {
  const algorithm = algorithms[kty ?? ''];
  if (algorithm === undefined) throw new Error(`no signing key has the type ${kty}`);
  return algorithm;
}

import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';

/** An Ed25519 key that service tokens are signed with. */
export interface SigningKey {
  /** The JWK thumbprint (RFC 7638). */
  id: string;
  publicKey: JWK;
  privateKey: JWK;
}

export async function generateSigningKey(): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const publicJwk = await exportJWK(publicKey);
  return { id: await calculateJwkThumbprint(publicJwk), publicKey: publicJwk, privateKey: await exportJWK(privateKey) };
}

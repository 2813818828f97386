import { importJWK, SignJWT } from 'jose';
import type { AccessServices } from '../../accounts/access/services.ts';
import type { SigningAlgorithm, SigningKey } from '../../accounts/access/tokens/signing-key-store.ts';
import { issuerId, keyUrl } from './issuer.ts';
import { currentCredentialKey } from './key-store.ts';

/** A credential without proof. */
interface Unsigned {
  id: string;
  /** `YYYY-MM-DDTHH:MM:SSZ` */
  validFrom: string;
  credentialSubject: { id: string };
}

export type SigningServices = Pick<
  AccessServices,
  'connection' | 'now' | 'publicUrl' | 'credentialAlgorithm' | 'newSigningKey'
>;

/**
 * Signs a credential as a JWT, which is its own proof: its claims are the properties of the credential and those of
 * JWT. Further headers are not allowed.
 * Open Badges 3.0, section "JSON Web Token Proof Format"; https://www.w3.org/TR/vc-jose-cose/
 */
export async function signCredential(services: SigningServices, credential: Unsigned): Promise<string> {
  const { id, validFrom, credentialSubject } = credential;
  const names = { id, subject: credentialSubject.id, notBefore: new Date(validFrom) };
  return signClaims(await findSigner(services), { ...credential }, names);
}

/** A key that signs, and the address of the service that publishes it. */
export interface Signer {
  key: SigningKey;
  algorithm: SigningAlgorithm;
  publicUrl: string;
}

/** Returns the key that signs at present; the first call creates it. */
export async function findSigner(services: SigningServices): Promise<Signer> {
  const { connection, credentialAlgorithm: algorithm, newSigningKey: newKey } = services;
  const key = await currentCredentialKey(connection, { now: services.now(), algorithm, newKey });
  return { key, algorithm, publicUrl: services.publicUrl() };
}

/** Signs claims as a JWT of this service as the issuer. */
export async function signClaims(
  { key, algorithm: alg, publicUrl }: Signer,
  claims: Record<string, unknown>,
  { id, subject, notBefore }: { id: string; subject: string; notBefore: Date },
): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg, kid: keyUrl(publicUrl, key.id), typ: 'JWT' })
    .setIssuer(issuerId(publicUrl))
    .setSubject(subject)
    .setJti(id)
    .setNotBefore(Math.floor(notBefore.getTime() / 1000))
    .sign(await importJWK(key.privateKey, alg));
}

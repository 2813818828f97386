import { importJWK, SignJWT } from 'jose';
import type { AccessServices } from '../../access/services.ts';
import { issuerId, keyUrl } from './issuer.ts';
import { currentCredentialKey } from './key-store.ts';

/** A credential without proof. */
interface Unsigned {
  id: string;
  /** `YYYY-MM-DDTHH:MM:SSZ` */
  validFrom: string;
  credentialSubject: { id: string };
}

type SigningServices = Pick<
  AccessServices,
  'connection' | 'now' | 'publicUrl' | 'credentialAlgorithm' | 'newSigningKey'
>;

/**
 * Signs a credential as a JWT, which is its own proof: its claims are the properties of the credential and those of
 * JWT. Further headers are not allowed.
 * Open Badges 3.0, section "JSON Web Token Proof Format"; https://www.w3.org/TR/vc-jose-cose/
 */
export async function signCredential(services: SigningServices, credential: Unsigned): Promise<string> {
  const { connection, credentialAlgorithm: alg, newSigningKey: newKey } = services;
  const publicUrl = services.publicUrl();
  const key = await currentCredentialKey(connection, { now: services.now(), algorithm: alg, newKey });
  return new SignJWT({ ...credential })
    .setProtectedHeader({ alg, kid: keyUrl(publicUrl, key.id), typ: 'JWT' })
    .setIssuer(issuerId(publicUrl))
    .setSubject(credential.credentialSubject.id)
    .setJti(credential.id)
    .setNotBefore(Date.parse(credential.validFrom) / 1000)
    .sign(await importJWK(key.privateKey, alg));
}

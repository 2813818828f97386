import { importJWK, SignJWT } from 'jose';
import type { SigningKey } from '../../access/tokens/signing-key.ts';
import { achievementCredential, type Proven, paths } from './credential.ts';

/**
 * Signs a credential as a JWT, which is its own proof: its claims are the properties of the credential and those of
 * JWT.
 * Open Badges 3.0, section "JSON Web Token Proof Format"; https://www.w3.org/TR/vc-jose-cose/
 */
export async function signCredential(proven: Proven, key: SigningKey, publicUrl: string): Promise<string> {
  const credential = achievementCredential(proven, publicUrl);
  return new SignJWT(credential)
    .setProtectedHeader({ alg: 'EdDSA', kid: `${publicUrl}${paths.keys}/${key.id}`, typ: 'JWT' })
    .setIssuer(credential.issuer.id)
    .setSubject(credential.credentialSubject.id)
    .setJti(credential.id)
    .setNotBefore(Math.floor(proven.awardedAt.getTime() / 1000))
    .sign(await importJWK(key.privateKey, 'EdDSA'));
}

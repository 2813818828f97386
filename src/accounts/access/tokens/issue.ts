import { importJWK, SignJWT } from 'jose';
import type { Connection } from '../../../database/connections/connection.ts';
import type { Account } from '../../../model/account.ts';
import { scopes, serviceTokenType } from './claims.ts';
import type { NewSigningKey } from './signing-key.ts';
import { currentSigningKey } from './signing-key-store.ts';

export interface IssueContext {
  connection: Connection;
  now: () => Date;
  newSigningKey: NewSigningKey;
  tokenTtlMs: number;
  /** Returns the issuer and the audience of tokens: the URL of this service. */
  publicUrl: () => string;
}

/** Returns a signed service token for an account; `tokenId` becomes its `jti`. */
export async function issueToken(
  context: IssueContext,
  account: Pick<Account, 'id' | 'provider' | 'name'>,
  tokenId: string,
): Promise<string> {
  const now = context.now();
  const key = await currentSigningKey(context.connection, now, context.newSigningKey);
  const issuedAt = Math.floor(now.getTime() / 1000);
  const service = context.publicUrl();
  return new SignJWT({ provider: account.provider, name: account.name, scope: scopes.join(' ') })
    .setProtectedHeader({ alg: 'EdDSA', typ: serviceTokenType, kid: key.id })
    .setIssuer(service)
    .setAudience(service)
    .setSubject(account.id)
    .setIssuedAt(issuedAt)
    .setNotBefore(issuedAt)
    .setExpirationTime(issuedAt + Math.floor(context.tokenTtlMs / 1000))
    .setJti(tokenId)
    .sign(await importJWK(key.privateKey, 'EdDSA'));
}

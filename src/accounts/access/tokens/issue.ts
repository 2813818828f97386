import { decodeJwt, decodeProtectedHeader, importJWK, SignJWT } from 'jose';
import type { Connection } from '../../../database/connections/connection.ts';
import { bearerToken } from '../../../http/pipeline/caller.ts';
import type { Account } from '../../../model/account.ts';
import { AppError } from '../../../model/errors.ts';
import { recordAction } from '../actor.ts';
import type { Proven } from '../prove-owner.ts';
import type { AccessServices } from '../services.ts';
import { currentSigningKey, type NewSigningKey } from './signing-key-store.ts';

/** The scopes of a token: to read its account's private data; to change settings, keys and links, and to erase. */
export const scopes = ['read', 'manage'] as const;
type Scope = (typeof scopes)[number];

/** The `typ` of service tokens (RFC 9068). */
export const serviceTokenType = 'at+jwt';

/** The largest difference between the clocks of an owner and of this service that is tolerated, in seconds. */
export const clockToleranceS = 30;

/** The ids (`jti`) that tokens may have: visible ASCII characters. */
export const tokenIdPattern = /^[\x21-\x7e]{1,100}$/;

/** Returns the error for an id that no token of the account has. */
export function noToken(): AppError {
  return new AppError(
    'not_found',
    'The account has no token with this id. The audit trail lists the ids of issued tokens.',
  );
}

interface IssueContext {
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

/** Issues a service token to a person who proved to own an account, and records it in the audit trail. */
export async function grantToken(
  services: AccessServices,
  { account, person }: Pick<Proven, 'account' | 'person'>,
): Promise<{ token: string; tokenId: string }> {
  const tokenId = services.newId();
  const token = await issueToken(services, account, tokenId);
  await recordAction(services, services.connection, account.id, {
    action: 'token_issued',
    subject: tokenId,
    actor: person.name,
    tokenId,
    person: person.id,
  });
  return { token, tokenId };
}

/** Returns the scopes that a token names: `absent` when it names none, undefined when it names an unknown one. */
export function parseScope(scope: unknown, absent: readonly Scope[]): readonly Scope[] | undefined {
  if (scope === undefined) return absent;
  if (typeof scope !== 'string') return undefined;
  const named = scope.split(' ');
  const known = scopes.filter((name) => named.includes(name));
  return known.length === new Set(named).size ? known : undefined;
}

/**
 * Returns the token of the provider that a request presents. A service token is refused here, because the host that
 * received it could read private data with it until it expires.
 * @throws AppError `unauthenticated` when there is no token, or it is one for this service.
 */
export function readProviderToken(
  { publicUrl }: { publicUrl: () => string },
  { headers }: { headers: { authorization?: string | undefined } },
): string {
  const token = bearerToken(headers.authorization);
  if (token === undefined || isForThisService(token, publicUrl())) {
    throw new AppError(
      'unauthenticated',
      'This address needs a token of the provider, such as a personal access token: Authorization: Bearer.',
    );
  }
  return token;
}

/** Returns whether a token is a service token by its type, or has this service as an audience, as those of owners' keys. */
function isForThisService(token: string, audience: string): boolean {
  try {
    const { typ }: { typ?: unknown } = decodeProtectedHeader(token);
    if (typeof typ === 'string' && typ.toLowerCase() === serviceTokenType) return true;
    return [decodeJwt(token).aud].flat().includes(audience);
  } catch {
    // It is no JWT.
    return false;
  }
}

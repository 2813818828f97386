import { createHash } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, errors, importJWK, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Connection } from '../../../database/connections/connection.ts';
import type { Caller } from '../../../http/pipeline/caller.ts';
import { nameKey } from '../../../model/account.ts';
import { AppError } from '../../../model/errors.ts';
import { assessHolding } from '../administrators/holding.ts';
import { fromSpki, keyKinds } from '../keys/public-key.ts';
import { findKeys } from '../keys/store.ts';
import { clockToleranceS, parseScope, scopes, serviceTokenType, tokenIdPattern } from './issue.ts';
import { findPublicKey } from './signing-key-store.ts';
import { isTokenGood } from './store.ts';

const maxTokens = 10_000;
const maxInvalidated = 10_000;

/**
 * Caches the callers of verified tokens, by the hash of the token, until the token expires or anything about the
 * account changes on any node: a revocation, a removed key, an erasure.
 */
class TokenCache {
  readonly #callers = new LRUCache<string, { caller: Caller; verifiedAt: number }>({ max: maxTokens });
  /** For each account, the value of `#changes` when its tokens were last invalidated. */
  readonly #invalidated = new Map<string, number>();
  readonly #now: () => Date;
  #changes = 0;

  constructor(now: () => Date) {
    this.#now = now;
  }

  recognize(token: string): Caller | undefined {
    const known = this.#callers.get(hashToken(token));
    if (known === undefined || known.caller.expiresAt <= this.#now().getTime()) return undefined;
    const invalidatedAt = this.#invalidated.get(known.caller.accountId) ?? 0;
    return invalidatedAt > known.verifiedAt ? undefined : known.caller;
  }

  /**
   * Verifies an unknown token, and caches the result with the number of changes at its start, so that a change during
   * the verification invalidates it.
   */
  async verify(token: string, verify: (token: string) => Promise<Caller>): Promise<Caller> {
    const verifiedAt = this.#changes;
    const caller = await verify(token);
    // A token whose verification began before the last `clear` is not cached.
    if (verifiedAt >= this.#cleared) this.#callers.set(hashToken(token), { caller, verifiedAt });
    return caller;
  }

  /** Invalidates the tokens of an account. */
  invalidate(accountId: string): void {
    if (this.#invalidated.size >= maxInvalidated) this.clear();
    this.#changes += 1;
    this.#invalidated.set(accountId, this.#changes);
  }

  clear(): void {
    this.#changes += 1;
    this.#cleared = this.#changes;
    this.#invalidated.clear();
    this.#callers.clear();
  }

  #cleared = 0;
}

interface VerifyContext {
  connection: Connection;
  now: () => Date;
  /** Returns the issuer and the audience of tokens: the URL of this service. */
  publicUrl: () => string;
}

const maxTokenLength = 4096;
const longestLifeS = 86_400;
/** Headers by which a token could choose its own key or rules. */
const refusedHeaders = ['jwk', 'jku', 'x5c', 'x5t', 'x5t#S256', 'x5u', 'crit', 'b64', 'zip', 'enc'];
const serviceKeyId = /^[\w-]{43}$/;
const ownerKeyId = /^[0-9a-f]{64}$/;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Verifies a service token: one that this service issued, or one that an owner signed with a registered key.
 * @throws AppError `unauthenticated`; its message gives the reason only when the signature is valid.
 */
export async function verifyToken(context: VerifyContext, token: string): Promise<Caller> {
  const { kid, alg } = readHeader(token);
  try {
    const caller = serviceKeyId.test(kid)
      ? await verifyIssued(context, token, kid)
      : ownerKeyId.test(kid)
        ? await verifySigned(context, token, { kid, alg })
        : undefined;
    if (caller !== undefined && (await isTokenGood(context.connection, caller))) return caller;
  } catch (error) {
    if (error instanceof errors.JOSEError) throw explain(error);
    throw error;
  }
  throw invalid();
}

function readHeader(token: string): { kid: string; alg: string } {
  if (token.length > maxTokenLength) throw invalid();
  const header = parseHeader(token);
  const { kid, alg } = header;
  if (typeof kid !== 'string' || typeof alg !== 'string') throw invalid();
  if (refusedHeaders.some((name) => name in header)) throw invalid();
  return { kid, alg };
}

function parseHeader(token: string): Record<string, unknown> {
  try {
    return { ...decodeProtectedHeader(token) };
  } catch {
    throw invalid();
  }
}

/**
 * Verifies a token that this service issued. The token ends exactly at its `exp`, because the clock of this service set
 * it.
 */
async function verifyIssued(context: VerifyContext, token: string, kid: string): Promise<Caller | undefined> {
  const publicKey = await findPublicKey(context.connection, kid, context.now());
  if (publicKey === undefined) return undefined;
  const { payload } = await jwtVerify(token, await importJWK({ kty: 'OKP', ...publicKey }, 'EdDSA'), {
    algorithms: ['EdDSA'],
    typ: serviceTokenType,
    issuer: context.publicUrl(),
    audience: context.publicUrl(),
    requiredClaims: ['sub', 'provider', 'name', 'scope', 'iat', 'nbf', 'exp', 'jti'],
    clockTolerance: clockToleranceS,
    currentDate: context.now(),
  });
  // This service must be the only audience.
  if (typeof payload.aud !== 'string') return undefined;
  checkLife(payload, context.now());
  const { exp = 0 } = payload;
  if (exp * 1000 <= context.now().getTime()) throw expired();
  return toCaller(payload, { accountId: payload.sub ?? '', keyId: null }, exp);
}

/** Verifies a token that an owner signed with a key that its account has registered. */
async function verifySigned(
  context: VerifyContext,
  token: string,
  { kid, alg }: { kid: string; alg: string },
): Promise<Caller | undefined> {
  const { sub }: { sub?: unknown } = decodePayload(token);
  if (typeof sub !== 'string') return undefined;
  const registered = await findKeys(context.connection, kid);
  const key = registered.find(
    ({ accountId, provider, name }) => sub === accountId || nameKey(sub) === nameKey(`${provider}/${name}`),
  );
  if (key === undefined) return undefined;
  const algorithms: readonly string[] = keyKinds[key.kind];
  if (!algorithms.includes(alg)) return undefined;
  const { payload, protectedHeader } = await jwtVerify(token, fromSpki(key.spki), {
    algorithms: [...algorithms],
    audience: context.publicUrl(),
    requiredClaims: ['sub', 'exp'],
    clockTolerance: clockToleranceS,
    currentDate: context.now(),
  });
  const { typ }: { typ?: unknown } = protectedHeader;
  const isAllowed = typeof typ === 'string' && ['jwt', serviceTokenType].includes(typ.toLowerCase());
  if (typ !== undefined && !isAllowed) {
    throw new AppError('unauthenticated', `The token's typ must be ${serviceTokenType}, JWT, or absent.`);
  }
  checkLife(payload, context.now());
  const { state, worksUntil } = assessHolding(key.holding, context.now());
  if (state !== 'active') {
    throw new AppError('unauthenticated', `The key that signed the token is ${state}; GET .../keys shows why.`);
  }
  const endS = Math.min((payload.exp ?? 0) + clockToleranceS, (worksUntil?.getTime() ?? Infinity) / 1000);
  return toCaller(payload, { accountId: key.accountId, keyId: key.id }, endS);
}

function decodePayload(token: string): JWTPayload {
  try {
    return decodeJwt(token);
  } catch {
    throw invalid();
  }
}

function checkLife({ exp = 0, iat }: JWTPayload, now: Date): void {
  const nowS = now.getTime() / 1000;
  const isTooLong = exp > nowS + longestLifeS + clockToleranceS || (iat !== undefined && exp - iat > longestLifeS);
  if (isTooLong) throw new AppError('unauthenticated', 'The token lives too long: at most 24 hours are allowed.');
  if (iat !== undefined && iat > nowS + clockToleranceS) {
    throw new AppError('unauthenticated', 'The token was issued in the future.');
  }
}

/** @param endS the time until which the token is accepted, in seconds since 1970. */
function toCaller(
  payload: JWTPayload,
  owner: { accountId: string; keyId: string | null },
  endS: number,
): Caller | undefined {
  const { jti }: { jti?: unknown } = payload;
  if (!uuid.test(owner.accountId)) return undefined;
  const tokenId = jti ?? null;
  if (tokenId !== null && (typeof tokenId !== 'string' || !tokenIdPattern.test(tokenId))) return undefined;
  const scope = parseScope(payload['scope'], scopes);
  if (scope === undefined) throw new AppError('unauthenticated', `The token's scope must be of ${scopes.join(', ')}.`);
  return {
    ...owner,
    tokenId,
    mayManage: scope.includes('manage'),
    expiresAt: endS * 1000,
  };
}

const reportableClaims = new Set(['aud', 'iss', 'typ', 'exp', 'nbf', 'iat', 'sub', 'jti', 'scope', 'provider', 'name']);

/** Returns the error of a refused token. It may name a claim, because claims are checked only after the signature. */
function explain(error: errors.JOSEError): AppError {
  if (error instanceof errors.JWTExpired) return expired();
  if (error instanceof errors.JWTClaimValidationFailed && reportableClaims.has(error.claim)) {
    return new AppError('unauthenticated', `The token's ${error.claim} is missing or wrong.`);
  }
  return invalid();
}

function expired(): AppError {
  return new AppError('unauthenticated', 'The token has expired. Get a new one.');
}

function invalid(): AppError {
  return new AppError('unauthenticated', 'The token is not valid.');
}

/** Hashes a token, so that no token stays in memory. */
function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}

/** Verifies service tokens, and caches the results. */
export interface Access {
  /** @throws AppError `unauthenticated` */
  authenticate(token: string): Promise<Caller>;
  /** Returns the caller of a token that was verified before and is still valid; undefined otherwise. */
  recognize(token: string): Caller | undefined;
  /** Invalidates the verified tokens of an account; called after each change of the account. */
  invalidate(accountId: string): void;
  /** Invalidates all verified tokens; called when this node may have missed changes. */
  clear(): void;
}

/**
 * Creates the verification of service tokens.
 * @param context.isLive returns whether this node receives changes; while it does not, no cached result is used.
 */
export function createAccess(context: VerifyContext & { isLive: () => boolean }): Access {
  const cache = new TokenCache(context.now);
  const recognize = (token: string): Caller | undefined => (context.isLive() ? cache.recognize(token) : undefined);
  return {
    recognize,
    authenticate: async (token) =>
      recognize(token) ?? (await cache.verify(token, (unknown) => verifyToken(context, unknown))),
    invalidate: (accountId) => cache.invalidate(accountId),
    clear: () => cache.clear(),
  };
}

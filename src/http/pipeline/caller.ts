/** The account that a verified service token stands for, and the rights of the token. */
export interface Caller {
  /** The account whose private data may be read. */
  accountId: string;
  /** The token's `jti`; null when it has none. */
  tokenId: string | null;
  /** The long-term key that signed the token; null when the service itself issued it. */
  keyId: string | null;
  /** True when the token may change data; false when it may only read. */
  mayManage: boolean;
  /** Milliseconds since 1970. */
  expiresAt: number;
  /** The person who signed in on the pages; absent: the caller has a service token. */
  person?: { id: string; name: string };
}

/** The kind of token that a route accepts: a service token, a token of the provider, or either. */
type CredentialKind = 'service' | 'provider' | 'either';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for a request without a service token. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    credential?: CredentialKind;
  }
}

/** Returns the token of an `Authorization: Bearer` header (RFC 6750); undefined when there is none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '')?.[1];
}

/** Returns whether a credential has the form of a JWT, which no provider's token has. */
export function isServiceToken(token: string): boolean {
  return /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
}

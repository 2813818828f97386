/** Whom a verified service token speaks for. */
export interface Caller {
  /** The account whose private data may be read. */
  accountId: string;
  /** The token's `jti`; null: it has none. */
  tokenId: string | null;
  /** The long-term key that the token was signed with; null: the service itself issued it. */
  keyId: string | null;
  /** Whether it may change anything, or only read. */
  mayManage: boolean;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** Which credential a route takes: a service token, where any is presented; the provider's; or either. */
export type CredentialKind = 'service' | 'provider' | 'either';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null: nobody in particular. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    credential?: CredentialKind;
  }
}

/** The token of an `Authorization: Bearer` header (RFC 6750); undefined when there is none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '')?.[1];
}

/** Whether a credential has the form of a JWT, which no provider's token has. */
export function isServiceToken(token: string): boolean {
  return /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
}

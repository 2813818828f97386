import { createHash } from 'node:crypto';

/** What a credential is sent as: known from the start, or asked for when it is needed. */
export interface Secret {
  get(signal: AbortSignal): Promise<string>;
  /** GitHub does not take it. @returns whether there may be another one. */
  reject(secret: string): boolean;
}

export function fixedSecret(secret: string): Secret {
  return { get: async () => secret, reject: () => false };
}

/** Tells credentials apart and says nothing of them. */
export function fingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 16);
}

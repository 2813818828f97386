import { createHash } from 'node:crypto';

/** The secret of a credential: configured, or fetched when it is needed. */
export interface Secret {
  get(signal: AbortSignal): Promise<string>;
  /** Records that the host rejected a secret. @returns whether there may be another one. */
  reject(secret: string): boolean;
}

export function fixedSecret(secret: string): Secret {
  return { get: async () => secret, reject: () => false };
}

/** Returns a name for a credential that reveals nothing of it. */
export function fingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 16);
}

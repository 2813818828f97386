import type { KeyObject } from 'node:crypto';

/** Who the service is as a GitHub App: its number or client id, and its private key. */
export interface AppIdentity {
  id: string;
  privateKey: KeyObject;
}

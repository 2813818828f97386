import type { KeyObject } from 'node:crypto';

/** The service's identity as a GitHub App: the App id or the client id, and the private key. */
export interface AppIdentity {
  id: string;
  privateKey: KeyObject;
}

import { createClient } from './generated/client/index.js';
import { PlauditApi } from './generated/sdk.gen.js';
import { patientFetch } from './patient-fetch.ts';

export type { PlauditApi } from './generated/sdk.gen.js';
export type * from './generated/types.gen.js';
export { type ItemOf, items, type Outcome, PlauditError, unwrap } from './result.ts';

export interface PlauditOptions {
  /** The address of the service, such as `https://plaudit.example.org`. */
  baseUrl: string;
  /** A service token, or a function that returns the present one. Without it only public data is visible. */
  token?: string | (() => string | Promise<string>);
  /**
   * The longest time, in ms, that a call waits for data that is being collected, or for a limit or a failure to end.
   * Default: 60,000; 0: a call does not wait.
   */
  maxWaitMs?: number;
  fetch?: typeof globalThis.fetch;
}

const defaultMaxWaitMs = 60_000;

/** Creates a client. Each endpoint of the API is a method of it, named by its operation id. */
export function createPlaudit(options: PlauditOptions): PlauditApi {
  const { baseUrl, token, maxWaitMs = defaultMaxWaitMs, fetch = globalThis.fetch } = options;
  const client = createClient({
    baseUrl,
    fetch: patientFetch(fetch, maxWaitMs),
    ...(token !== undefined && { auth: token }),
  });
  return new PlauditApi({ client, key: baseUrl });
}

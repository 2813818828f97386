import type { Headers } from '../http/client.ts';

/** In what hosts with a REST interface of numbered pages differ, as far as asking them goes. */
export interface Dialect {
  /** How a path of the interface begins on its host, also where it redirects to. */
  apiPath: string;
  /** How lists are cut into pages: the parameter that says how much is on one, and how much is asked for at most. */
  pageSize: { parameter: string; most: number };
  /** Header that says how long a list is, where it does. */
  totalHeader: string;
  /** @param secret of a token; undefined: it is asked without. */
  requestHeaders: (secret: string | undefined) => Record<string, string>;
  /** The scopes that a token lacks, in the host's words; undefined when that is not why it refused. */
  missingScopes: (text: string) => string | undefined;
  /**
   * It limits single endpoints, too, and then does not say until when: what was refused without a time says nothing of all
   * else.
   */
  limitsEndpoints: boolean;
  /** What it tells of its limits; undefined: nothing. */
  limitReport: (headers: Headers) => LimitReport | undefined;
}

/** How many requests may still be sent with a token until when. */
export interface LimitReport {
  limit: number;
  remaining: number;
  resetAt: Date;
}

/** Whether it, or a proxy before it, was asked too much. */
export function isLimited(status: number, headers: Headers): boolean {
  return status === 429 || (status === 503 && headers['retry-after'] !== undefined);
}

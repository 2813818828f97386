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

/** When to come back (RFC 9110, 10.2.3: seconds or a date); undefined when it does not say. */
export function retryTime(headers: Headers, now: Date): Date | undefined {
  const after = headers['retry-after'];
  if (typeof after !== 'string') return undefined;
  if (/^\d{1,6}$/.test(after)) return new Date(now.getTime() + Math.max(1, Number(after)) * 1000);
  const at = Date.parse(after);
  return Number.isNaN(at) ? undefined : new Date(Math.max(at, now.getTime() + 1000));
}

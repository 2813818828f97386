import type { Headers } from '../transport/http-transport.ts';
import type { LimitReport } from '../transport/quota.ts';

/** The differences between hosts with a REST API of numbered pages, as far as requests go. */
export interface Dialect {
  /** The beginning of every path of the API, also in redirects. */
  apiPath: string;
  /** The parameter for the size of a page, and the greatest size that is requested. */
  pageSize: { parameter: string; most: number };
  /** The header with the length of a list; not every list has it. */
  totalHeader: string;
  /** @param secret of a token; undefined: the request is sent without one. */
  requestHeaders: (secret: string | undefined) => Record<string, string>;
  /** The scopes that a token lacks, in the host's words; undefined when the host refused for another reason. */
  missingScopes: (text: string) => string | undefined;
  /**
   * True when the host limits single endpoints, too, and then names no time. A refusal without a time says nothing
   * about other endpoints.
   */
  limitsEndpoints: boolean;
  /** Reads the host's rate limit from a response; undefined: the response does not state it. */
  limitReport: (headers: Headers) => LimitReport | undefined;
}

/** Returns whether the host, or a proxy in front of it, limits the rate of requests. */
export function isLimited(status: number, headers: Headers): boolean {
  return status === 429 || (status === 503 && headers['retry-after'] !== undefined);
}

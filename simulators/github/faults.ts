import { Random } from '../world/random.ts';

/** The kinds of faults of one request. */
export const faultKinds = [
  'bad_gateway',
  'unavailable',
  'gateway_timeout',
  'slow',
  'never',
  'drop_before',
  'drop_midway',
  'drop_after',
  'primary_limit',
  'primary_limit_429',
  'primary_limit_in_200',
  'secondary_limit',
  'secondary_limit_without_time',
  'secondary_limit_in_200',
  'resource_limits',
  'timeout_in_200',
  'internal_in_200',
  'field_error',
  'bad_credentials',
  'lost_page',
  'reordered',
  'repeated',
  'surprise',
  'malformed',
  'error_in_200',
  'truncated',
  'huge',
  'redirect',
  'somebody_else',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** The kinds of faults of single fields, beside which the rest of the query succeeds. */
export const fieldErrorKinds = [
  'resource_limits',
  'timeout',
  'internal',
  'forbidden',
  'not_found',
  'excessive_pagination',
] as const;
export type FieldErrorKind = (typeof fieldErrorKinds)[number];

export interface Fault {
  kind: FaultKind;
  /** The affected requests: a part of the REST path, or of the GraphQL operation's name. Default: every request. */
  on?: string;
  /** The name of the token whose requests are affected. Default: every token. */
  token?: string;
  /** The number of requests that pass first. Default 0. */
  after?: number;
  /** The number of requests that the fault affects. Default 1. */
  times?: number;
  /** The probability that the fault affects one of these requests. Default 1. */
  probability?: number;
  /** For `slow`: the delay, in ms. Default 1000. */
  delayMs?: number;
  /** For limits: the value of `retry-after`; a text need not be a number of seconds. Default 60. */
  retryAfterS?: number | string;
  /** For limits: the value of `x-ratelimit-reset`, in s since 1970. Default: the true time. */
  resetS?: number;
  /** For `surprise`: the place in the response where `value` replaces the original. */
  path?: (string | number)[];
  /**
   * For `field_error`: replaces the field, and the error then lacks its path. GitHub reports fields that it gave up on
   * as zero in this way.
   */
  value?: unknown;
  /** For `field_error`: `User.contributionsCollection`, or the place in the response (`account.y2024`). */
  fields?: string[];
  /** For `field_error`: arguments that the field must have. */
  where?: Record<string, unknown>;
  /** For `field_error`: the kind of the error. Default `resource_limits`. */
  error?: FieldErrorKind;
  /** For `redirect`: the target. */
  location?: string;
}

/** Faults that wait for matching requests. */
export class Faults {
  readonly #random: Random;
  #waiting: { fault: Fault; after: number; times: number }[] = [];

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  add(fault: Fault): void {
    this.#waiting.push({ fault, after: fault.after ?? 0, times: fault.times ?? 1 });
  }

  clear(): void {
    this.#waiting = [];
  }

  /** The number of requests that the faults will still affect. */
  get pending(): number {
    return this.#waiting.reduce((sum, { times }) => sum + times, 0);
  }

  /** Returns the fault that affects a request, if one does, and counts it. */
  take(request: { name: string; token: string }): Fault | undefined {
    for (const waiting of this.#waiting) {
      const { fault } = waiting;
      if (waiting.times <= 0) continue;
      if (fault.on !== undefined && !request.name.includes(fault.on)) continue;
      if (fault.token !== undefined && fault.token !== request.token) continue;
      if (waiting.after > 0) {
        waiting.after -= 1;
        continue;
      }
      if (fault.probability !== undefined && !this.#random.chance(fault.probability)) continue;
      waiting.times -= 1;
      return fault;
    }
    return undefined;
  }
}

import { Random } from './world/random.ts';

/** What can go wrong with one request. */
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

/** How single fields fail while the rest of the query is answered. */
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
  /** Which requests: a part of the REST path, or of the GraphQL operation's name. Every request, when absent. */
  on?: string;
  /** Only with the token of that name. */
  token?: string;
  /** How many requests are let through first. Default 0. */
  after?: number;
  /** How many requests it strikes. Default 1. */
  times?: number;
  /** Of those requests, how many it strikes by chance. Default 1: all. */
  probability?: number;
  /** For `slow`. Default 1000. */
  delayMs?: number;
  /** For limits: what `retry-after` says; as text, it need not be seconds. Default 60. */
  retryAfterS?: number | string;
  /** For limits: what `x-ratelimit-reset` says, in seconds since 1970. Default: the truth. */
  resetS?: number;
  /** For `surprise`: the place in the answer, and what stands there instead. */
  path?: (string | number)[];
  /**
   * For `field_error`: stands in place of the field, and the error lacks its path. GitHub reports fields that it gave
   * up on as zero in this way.
   */
  value?: unknown;
  /** For `field_error`: `User.contributionsCollection`, or the place in the response (`account.y2024`). */
  fields?: string[];
  /** For `field_error`: arguments that the field must have. */
  where?: Record<string, unknown>;
  /** For `field_error`. Default `resource_limits`. */
  error?: FieldErrorKind;
  /** For `redirect`: where to. */
  location?: string;
}

/** Faults that wait for the requests that they are for. */
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

  /** How many strikes are still to come. */
  get pending(): number {
    return this.#waiting.reduce((sum, { times }) => sum + times, 0);
  }

  /** The fault that strikes a request, if one does. */
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

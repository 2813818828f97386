import { setTimeout as wait } from 'node:timers/promises';
import { callbackify } from 'node:util';
import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import type { App } from './app.ts';

/** How often something was done within its present period, by anybody who shares the counts. */
export interface Counts {
  add(key: string, periodMs: number): Promise<{ count: number; resetsAt: Date }>;
}

const minuteMs = 60_000;
/** What proves or changes something: by one address, and about one account by all. */
const sensitive = { perAddress: 20, perAccount: 60 };
/** On loopback there is the operator, or a proxy that speaks for everybody; it is counted and not held up. */
const loopbackPerMinute = 1_000_000;
/** A database that does not answer must not hold up those whom it can't count. */
const countTimeoutMs = 1000;

/**
 * Limits how often one address asks. Answers from the cache are not counted. Where the counts cannot be kept nobody is
 * refused for that: without its database the service answers nothing else either.
 */
export async function addRateLimits(
  app: App,
  options: { counts: Counts; now: () => Date; readsPerMinute: number },
): Promise<void> {
  await app.register(rateLimit, {
    global: true,
    hook: 'onRequest',
    timeWindow: minuteMs,
    max: ({ ip }: FastifyRequest) => (isLoopback(ip) ? loopbackPerMinute : options.readsPerMinute),
    store: storeOver(options),
    enableDraftSpec: true,
    skipOnError: true,
    errorResponseBuilder: (_request, { ttl }) => tooMany(options.now().getTime() + ttl),
  });
}

/** For a route's `config`: what may be tried only seldom from one address. */
export const seldomByAddress = {
  timeWindow: minuteMs,
  max: sensitive.perAddress,
  groupId: ' sensitive',
};

/** Counts an attempt at an account, whoever makes it. @throws AppError `rate_limited` */
export async function countAttempt(counts: Counts, account: { provider: string; name: string }): Promise<void> {
  const { count, resetsAt } = await counts.add(`account ${account.provider}/${account.name.toLowerCase()}`, minuteMs);
  if (count > sensitive.perAccount) throw tooMany(resetsAt.getTime());
}

function tooMany(until: number): AppError {
  const message = 'Too many requests; wait as long as Retry-After says.';
  return new AppError('rate_limited', message, { retryAt: new Date(until) });
}

function storeOver({ counts, now }: { counts: Counts; now: () => Date }): new () => FastifyRateLimitStore {
  const count = async (key: string, periodMs: number): Promise<{ current: number; ttl: number }> => {
    const timeOut = wait(countTimeoutMs, undefined, { ref: false });
    const counted = await Promise.race([counts.add(key, periodMs), timeOut]);
    if (counted === undefined) throw new Error('the database does not answer');
    return { current: counted.count, ttl: Math.max(0, counted.resetsAt.getTime() - now().getTime()) };
  };
  const countWithCallback = callbackify(count);
  return class Store implements FastifyRateLimitStore {
    incr(
      key: string,
      done: (error: Error | null, result?: { current: number; ttl: number }) => void,
      periodMs = minuteMs,
    ): void {
      countWithCallback(key, periodMs, done);
    }

    child(): FastifyRateLimitStore {
      return this;
    }
  };
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

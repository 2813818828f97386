import { setTimeout as wait } from 'node:timers/promises';
import { callbackify } from 'node:util';
import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../model/errors.ts';
import type { App } from '../server/app.ts';

/** Counts of attempts within a period, shared by all nodes. */
export interface Counts {
  add(key: string, periodMs: number): Promise<{ count: number; resetsAt: Date }>;
}

const minuteMs = 60_000;
/** The most deliveries a minute from one address; no known host sends this many. */
const deliveriesPerMinute = 6000;
/** The most requests a minute that prove ownership or change data: from one address, and about one account. */
const sensitive = { perAddress: 20, perAccount: 60 };
/** The most searches a minute from one address. Each takes milliseconds of a process that serves all others. */
const searchesPerMinute = 60;
/**
 * Reads and deliveries from loopback are counted but not limited: they come from the operator, or from a proxy for all
 * clients. Proofs and changes are limited, because a local user may guess as well as a remote one.
 */
const loopbackPerMinute = 1_000_000;
/** The longest wait for the count of a request; a request must not wait for a database that does not respond. */
const countTimeoutMs = 1000;

/**
 * Limits the requests of each address, and sends the limits in header fields. Responses from the cache are not counted.
 * A request that cannot be counted is let through, because without the database it can get little else than an error.
 */
export async function addRateLimits(
  app: App,
  options: { counts: Counts; now: () => Date; readsPerMinute: number },
): Promise<void> {
  await app.register(rateLimit, {
    global: true,
    hook: 'onRequest',
    timeWindow: minuteMs,
    max: exceptLoopback(options.readsPerMinute),
    store: storeOver(options),
    enableDraftSpec: true,
    skipOnError: true,
    errorResponseBuilder: (_request, { ttl }) => tooMany(options.now().getTime() + ttl),
  });
  app.addHook('onSend', async (request, reply) => sendLimit(request, reply));
}

/** The header fields that `@fastify/rate-limit` sets, those of revision 6 of the draft. */
const formerFields = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'] as const;

/**
 * Replaces the fields of the plugin by the two of draft-ietf-httpapi-ratelimit-headers-10. Clients that are not limited
 * receive none.
 */
function sendLimit({ routeOptions }: FastifyRequest, reply: FastifyReply): void {
  const [limit, remaining, reset] = formerFields.map((name) => reply.getHeader(name));
  for (const name of formerFields) reply.removeHeader(name);
  if (limit === undefined || limit === loopbackPerMinute) return;
  const { rateLimit: routeLimit } = routeOptions.config;
  const name = (typeof routeLimit === 'object' ? routeLimit.groupId : undefined)?.trim() ?? readsGroup;
  reply.headers({
    'ratelimit-policy': formatPolicy(name, Number(limit)),
    ratelimit: `"${name}";r=${Number(remaining)};t=${Number(reset)}`,
  });
}

const readsGroup = 'reads';

/**
 * Returns the `RateLimit-Policy` of a response from the cache. The response has no `RateLimit`, because it is not
 * counted.
 * @param address the address of the other end of the connection.
 * @returns undefined for a client that is not limited.
 */
export function cachedPolicy(
  { readsPerMinute, trustedProxies }: { readsPerMinute: number; trustedProxies: readonly string[] },
  address: string | undefined,
): string | undefined {
  const isUnlimited = trustedProxies.length === 0 && isLoopback(address ?? '');
  return isUnlimited ? undefined : formatPolicy(readsGroup, readsPerMinute);
}

function formatPolicy(name: string, limit: number): string {
  return `"${name}";q=${limit};w=${minuteMs / 1000}`;
}

/**
 * The limit of attempts from one address, for a route's `config`. The plugin appends `groupId` to the address; the
 * space separates them.
 */
export const sensitiveByAddress = {
  timeWindow: minuteMs,
  max: sensitive.perAddress,
  groupId: ' sensitive',
};

/** The limit of deliveries from one address, for a route's `config`. */
export const deliveriesByAddress = {
  timeWindow: minuteMs,
  max: exceptLoopback(deliveriesPerMinute),
  groupId: ' deliveries',
};

/** The limit of searches in the documents from one address, for a route's `config`. */
export const searchesByAddress = {
  timeWindow: minuteMs,
  max: exceptLoopback(searchesPerMinute),
  groupId: ' searches',
};

function exceptLoopback(perMinute: number): (request: FastifyRequest) => number {
  return ({ ip }) => (isLoopback(ip) ? loopbackPerMinute : perMinute);
}

/**
 * Counts an attempt by any caller that makes the host check the ownership of an account.
 * @throws AppError `rate_limited` after 60 attempts a minute.
 */
export async function countAttempt(counts: Counts, account: { provider: string; name: string }): Promise<void> {
  const { count, resetsAt } = await counts.add(`account ${account.provider}/${account.name.toLowerCase()}`, minuteMs);
  if (count > sensitive.perAccount) throw tooMany(resetsAt.getTime());
}

function tooMany(retryAtMs: number): AppError {
  const message = 'Too many requests; wait as long as Retry-After says.';
  return new AppError('rate_limited', message, { retryAt: new Date(retryAtMs) });
}

function storeOver({ counts, now }: { counts: Counts; now: () => Date }): new () => FastifyRateLimitStore {
  const count = async (key: string, periodMs: number): Promise<{ current: number; ttl: number }> => {
    const timeOut = wait(countTimeoutMs, undefined, { ref: false });
    const counted = await Promise.race([counts.add(key, periodMs), timeOut]);
    if (counted === undefined) throw new Error('the database does not respond');
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

/** Returns whether an IP address is a loopback address. */
export function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address.startsWith('::ffff:127.') || address === '::1';
}

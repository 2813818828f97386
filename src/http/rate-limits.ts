import { setTimeout as wait } from 'node:timers/promises';
import { callbackify } from 'node:util';
import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import type { App } from './app.ts';

/** Counts of attempts within a period, shared by all nodes. */
export interface Counts {
  add(key: string, periodMs: number): Promise<{ count: number; resetsAt: Date }>;
}

const minuteMs = 60_000;
/** The limit a minute of deliveries from one address. No host is known to send this many from one address. */
const deliveriesPerMinute = 6000;
/** The limits a minute of requests that prove or change something: from one address, and about one account. */
const sensitive = { perAddress: 20, perAccount: 60 };
/**
 * Reads and deliveries from loopback are counted but not limited: they come from the operator, or from a proxy for all
 * clients. Proofs and changes are limited, because a local user may guess as well as a remote one.
 */
const loopbackPerMinute = 1_000_000;
/** A request that cannot be counted must not wait for a database that does not respond. */
const countTimeoutMs = 1000;

/**
 * Limits the requests of one address, and sends the limits. Responses from the cache are not counted. When the counts cannot be stored, no
 * request is refused for that: without its database the service can serve nothing else either.
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

/** The fields that `@fastify/rate-limit` sends, of revision 6 of the draft. */
const formerFields = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'] as const;

/**
 * Sends the limit of a request in the fields of draft-ietf-httpapi-ratelimit-headers-10, which has two in the place of
 * the former ones. Clients that are not limited receive neither.
 */
function sendLimit({ routeOptions }: FastifyRequest, reply: FastifyReply): void {
  const [limit, remaining, reset] = formerFields.map((name) => reply.getHeader(name));
  for (const name of formerFields) reply.removeHeader(name);
  if (limit === undefined || limit === loopbackPerMinute) return;
  const { rateLimit: ofRoute } = routeOptions.config;
  const name = (typeof ofRoute === 'object' ? ofRoute.groupId : undefined)?.trim() ?? readsGroup;
  reply.headers({
    'ratelimit-policy': policyOf(name, Number(limit)),
    ratelimit: `"${name}";r=${Number(remaining)};t=${Number(reset)}`,
  });
}

const readsGroup = 'reads';

/**
 * Returns the policy that a response from the cache names, for a client at the other end of a socket. Such a response is
 * not counted, so that no remaining number is known. Undefined for a client that is not limited.
 */
export function cachedPolicy(
  { readsPerMinute, trustedProxies }: { readsPerMinute: number; trustedProxies: readonly string[] },
  address: string | undefined,
): string | undefined {
  const isUnlimited = trustedProxies.length === 0 && isLoopback(address ?? '');
  return isUnlimited ? undefined : policyOf(readsGroup, readsPerMinute);
}

function policyOf(name: string, limit: number): string {
  return `"${name}";q=${limit};w=${minuteMs / 1000}`;
}

/**
 * The limit of attempts from one address, for a route's `config`. The plugin appends `groupId` to the address; the space
 * separates them.
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

function exceptLoopback(perMinute: number): (request: FastifyRequest) => number {
  return ({ ip }) => (isLoopback(ip) ? loopbackPerMinute : perMinute);
}

/**
 * Counts an attempt at an account by any caller.
 * @throws AppError `rate_limited`
 */
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

/** Returns whether an IP address is one of this machine. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

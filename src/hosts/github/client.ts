import { type Static, type TSchema, Type } from 'typebox';
import type { AppError } from '../../model/errors.ts';
import { toFields } from '../../model/fields.ts';
import { parseClean, placeIn } from '../http/checks.ts';
import type { Refusals } from '../http/tolerant.ts';
import type { Call, ReadersByClient } from '../interface/provider.ts';
import { HostTransport } from '../transport/host-transport.ts';
import { type Headers, type OnExchange, type RawResponse, withinOrigin } from '../transport/http-transport.ts';
import { believable, type LimitReport, numberIn, readLimit, readRetryAfter, waitUntil } from '../transport/limits.ts';
import { type AppIdentity, Credentials, type Resource, type Token } from './credentials.ts';
import {
  areLocated,
  checkPayload,
  classifyGraphqlErrors,
  denied,
  formatReasons,
  GraphqlResponse,
  invalid,
  reasonIn,
  refusalsIn,
  refusingOrganizations,
  TooHeavy,
  throwTrouble,
  unavailable,
} from './failures.ts';

/** The versions of the REST API whose responses this provider reads, the oldest first. */
const known = ['2022-11-28', '2026-03-10'] as const;
const relearnAfterMs = 3_600_000;

/**
 * The version of the REST API that requests name. github.com and ghe.com have the newest. Every Enterprise Server since 3.9 has
 * the oldest, and lists all of its versions (https://docs.github.com/rest/about-the-rest-api/api-versions).
 */
export class RestVersion {
  #version: string;
  readonly #mayLearn: boolean;
  #learnAt = 0;

  constructor(apiUrl: string) {
    this.#mayLearn = isEnterpriseServer(apiUrl);
    this.#version = this.#mayLearn ? known[0] : known[1];
  }

  /** Returns the headers of every request to the REST API. */
  headers(): Record<string, string> {
    return {
      accept: 'application/vnd.github+json',
      'user-agent': 'plaudit',
      'x-github-api-version': this.#version,
    };
  }

  /**
   * Reads, once an hour, the versions that the server has, and names the newest known one from then on. Requests do not wait for it, and a server that lists none of the
   * known versions keeps the last one.
   */
  learn(list: () => Promise<readonly string[]>, now: Date): void {
    if (!this.#mayLearn || now.getTime() < this.#learnAt) return;
    this.#learnAt = now.getTime() + relearnAfterMs;
    list().then(
      (listed) => {
        this.#version = known.findLast((version) => listed.includes(version)) ?? this.#version;
      },
      () => {},
    );
  }
}

/** A GraphQL query and the schema of its response. */
export interface Query<Schema extends TSchema> {
  /** The operation's name. */
  name: string;
  text: string;
  schema: Schema;
}

interface RestResponse<Schema extends TSchema> {
  data: Static<Schema>;
  /** The length of the list in the response, including unreadable items; 0 when the response is not a list. */
  listed: number;
  headers: Headers;
}

export interface ClientOptions {
  /** The address for people; undefined: that of github.com. */
  url?: string;
  apiUrl: string;
  tokens: readonly string[];
  /** The service's identity as a GitHub App; undefined: it is not an App. */
  app?: AppIdentity | undefined;
  /** The limit for connecting. It is shorter than a caller's wait, to distinguish a dead network from a slow response. */
  connectTimeoutMs: number;
  onExchange?: OnExchange | undefined;
  now: () => Date;
}

/** The limits of a response. GitHub itself gives up after 10 seconds. */
const limits = { responseTimeoutMs: 15_000, maxResponseBytes: 32 * 1024 * 1024 };

const VersionsPayload = Type.Array(Type.String());
const learnWithinMs = 15_000;

/** The data of a query, the credential that it was sent with, and the parts that GitHub left empty with an error. */
interface GraphqlResult<Schema extends TSchema> {
  data: Static<Schema>;
  token: Token;
  refusals: Refusals;
}

/** The functions that read from GitHub. */
export type GitHubReaders = ReadersByClient<GitHubClient>;

/** Sends requests to GitHub's API by the quotas and limits of the credentials, and checks every response. */
export class GitHubClient {
  readonly credentials: Credentials;
  /** The host in the no-reply addresses of its accounts. */
  readonly noReplyHost: string;
  /** The version that requests to the REST API name. */
  readonly restVersion: RestVersion;
  readonly apiUrl: string;
  readonly #now: () => Date;
  readonly #transport: HostTransport<Token>;

  constructor(options: ClientOptions) {
    const { apiUrl, tokens, app, connectTimeoutMs, onExchange, now } = options;
    this.noReplyHost = toNoReplyHost(options);
    this.credentials = new Credentials(tokens, { now, isApp: app !== undefined });
    this.apiUrl = apiUrl;
    this.#now = now;
    this.restVersion = new RestVersion(apiUrl);
    this.#transport = new HostTransport({
      limits: { ...limits, connectTimeoutMs, onExchange },
      scheduler: this.credentials.scheduler,
      now,
      rules: {
        redirectTo: withinOrigin,
        recordLimits: (token, resource, response) => recordLimits(token, resource, response, now()),
        isLimited: ({ status, headers, text }) => isLimited(status, headers, text),
        block: (token, { headers }) => token.backoff.block(retryTime(headers, now()), now()),
        garbled,
        unavailable,
      },
    });
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /**
   * Sends a query. Accepts a response with data and errors: the schema defines how refused and failed parts are left
   * out.
   * @param options.takesParts true: parts that GitHub cannot compute are left out as well; false: they throw
   * `TooHeavy`.
   * @returns the data, in which objects that are not found are null, and the parts that GitHub left empty with an
   * error.
   * @throws TooHeavy when the query has to be made smaller; AppError otherwise.
   */
  async graphql<Schema extends TSchema>(
    query: Query<Schema>,
    variables: Record<string, unknown>,
    call: Call,
    { takesParts = false }: { takesParts?: boolean } = {},
  ): Promise<GraphqlResult<Schema>> {
    const body = JSON.stringify({ query: query.text, variables, operationName: query.name });
    return this.#send('graphql', graphqlUrl(this.apiUrl), body, call, (raw, token) => {
      if (raw.status === 502 || raw.status === 504) throw new TooHeavy();
      if (raw.status >= 500) throw unavailable();
      if (raw.status !== 200) throw denied(reasonIn(raw));
      const { data = null, errors = [] } = checkPayload(GraphqlResponse, parseJson(raw.text), query.name);
      const trouble = classifyGraphqlErrors(errors);
      if (trouble === 'limited') return 'limited';
      const reason = formatReasons(errors, raw.headers);
      if (data === null) throwTrouble(trouble, query.name, reason);
      if (trouble === 'too_heavy' && !(takesParts && areLocated(errors))) throw new TooHeavy();
      call.cost.points += readPoints(data);
      const refusals = refusalsIn(data, errors, refusingOrganizations(raw.headers['x-github-sso']));
      try {
        return { data: checkPayload(query.schema, data, query.name, call, refusals), token, refusals };
      } catch (error) {
        // The errors explain the failure better than the part that they left empty.
        throwTrouble(trouble, query.name, reason);
        throw error;
      }
    });
  }

  /**
   * Sends a GET request to the REST API.
   * @returns null when GitHub says that the resource does not exist.
   * @throws AppError of a provider
   */
  async rest<Schema extends TSchema>(
    path: string,
    schema: Schema,
    call: Call,
    resource: Resource = 'core',
  ): Promise<RestResponse<Schema> | null> {
    this.restVersion.learn(() => this.#listVersions(), this.#now());
    return this.#send(resource, `${this.apiUrl}${path}`, undefined, call, (raw) => {
      // 409: the repository is empty (https://docs.github.com/rest/commits/commits#list-commits).
      if (raw.status === 404 || raw.status === 409 || raw.status === 410) return null;
      if (raw.status >= 500) throw unavailable();
      if (raw.status !== 200) throw denied(reasonIn(raw));
      const payload = parseJson(raw.text);
      const listed = Array.isArray(payload) ? payload.length : 0;
      return { data: checkPayload(schema, payload, placeIn(path), call), listed, headers: raw.headers };
    });
  }

  async #listVersions(): Promise<string[]> {
    const signal = AbortSignal.timeout(learnWithinMs);
    const call: Call = { urgency: 'background', signal, cost: { requests: 0, points: 0 } };
    return (await this.rest('/versions', VersionsPayload, call))?.data ?? [];
  }

  #send<Result>(
    resource: Resource,
    address: string,
    body: string | undefined,
    call: Call,
    read: (raw: RawResponse, token: Token) => Result | 'limited',
  ): Promise<Result> {
    return this.#transport.send(
      {
        address,
        body,
        resource,
        candidates: () => this.credentials.candidates(resource, call.credentialName),
        headers: (secret) => ({
          ...this.restVersion.headers(),
          ...(body !== undefined && { accept: 'application/json' }),
          ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
        }),
        read,
      },
      call,
    );
  }
}

/**
 * Returns the host in the no-reply addresses of a GitHub. One on this machine that has not the API of an Enterprise
 * Server stands for github.com, as a simulator does.
 */
function toNoReplyHost({ url = 'https://github.com', apiUrl }: ClientOptions): string {
  const { hostname } = new URL(url);
  const isStandIn = /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname) && !isEnterpriseServer(apiUrl);
  return isStandIn ? 'github.com' : hostname;
}

function recordLimits(token: Token, resource: string, { status, headers }: RawResponse, now: Date): void {
  const report = limitReport(headers, now);
  if (report !== undefined) token.updateQuota(readResource(headers) ?? resource, report);
  const scopes = headers['x-oauth-scopes'];
  if (typeof scopes === 'string' || status < 500) token.recordScopes(typeof scopes === 'string' ? scopes : undefined);
}

function parseJson(text: string): unknown {
  try {
    return parseClean(text);
  } catch (cause) {
    throw new Garbled('not JSON', { cause });
  }
}

/** The error for a response that is not JSON; `HostTransport` repeats the request once. */
class Garbled extends Error {}

function garbled(error: unknown): AppError | undefined {
  return error instanceof Garbled ? invalid('not JSON', error) : undefined;
}

/** Returns the URL of the GraphQL API. GitHub Enterprise serves it beside its REST API (`/api/v3`), not below it. */
export function graphqlUrl(apiUrl: string): string {
  return isEnterpriseServer(apiUrl) ? apiUrl.replace(/v3$/, 'graphql') : `${apiUrl}/graphql`;
}

function readPoints(data: unknown): number {
  const { cost } = toFields(toFields(data)['rateLimit']);
  return typeof cost === 'number' ? cost : 1;
}

/** Reads the quota from the headers of a response; undefined when there are none. */
function limitReport(headers: Headers, now: Date): LimitReport | undefined {
  const report = readLimit(headers, 'x-ratelimit');
  return report && { ...report, resetAt: believable(report.resetAt, now) };
}

/** Returns the resource whose quota the headers of a response state; undefined when they name none that is used. */
function readResource(headers: Headers): Resource | undefined {
  const named = headers['x-ratelimit-resource'];
  return named === 'core' || named === 'graphql' || named === 'search' ? named : undefined;
}

/**
 * Returns whether a response with status 403 or 429 reports a rate limit: the primary one (nothing remains) or a
 * secondary one (`retry-after`, or a message).
 */
export function isLimited(status: number, headers: Headers, text: string): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  const isUsedUp = numberIn(headers['x-ratelimit-remaining']) === 0;
  return isUsedUp || headers['retry-after'] !== undefined || /rate limit|abuse detection/i.test(text.slice(0, 10_000));
}

/**
 * Returns the time to retry: `retry-after`, otherwise the reset of a used-up quota; undefined when GitHub names none.
 */
export function retryTime(headers: Headers, now: Date): Date | undefined {
  const after = readRetryAfter(headers, now);
  if (after !== undefined) return after;
  const reset = numberIn(headers['x-ratelimit-reset']);
  const isUsedUp = numberIn(headers['x-ratelimit-remaining']) === 0;
  return isUsedUp && reset !== undefined ? waitUntil(new Date(reset * 1000), now) : undefined;
}

/** Returns whether an address is that of the API of an Enterprise Server, which github.com and ghe.com have elsewhere. */
export function isEnterpriseServer(apiUrl: string): boolean {
  return apiUrl.endsWith('/api/v3');
}

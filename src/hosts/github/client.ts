import { type Static, type TSchema, Type } from 'typebox';
import type { AppError } from '../../model/errors.ts';
import { toFields } from '../../model/fields.ts';
import { parseClean, placeIn } from '../http/checks.ts';
import type { Refusals } from '../http/tolerant.ts';
import type { Call } from '../interface/provider.ts';
import type { ReadersByClient } from '../interface/repository-readers.ts';
import { HostTransport } from '../transport/host-transport.ts';
import type { Headers, OnExchange, RawResponse } from '../transport/http-transport.ts';
import { withinOrigin } from '../transport/redirects.ts';
import type { AppIdentity } from './app/identity.ts';
import { checkPayload, invalid, unavailable } from './checks.ts';
import { Credentials, type Resource, type Token } from './credentials.ts';
import {
  areLocated,
  classifyGraphqlErrors,
  denied,
  formatReasons,
  GraphqlResponse,
  reasonIn,
  refusalsIn,
  refusingOrganizations,
  TooHeavy,
  throwTrouble,
} from './failures.ts';
import { isLimited, limitReport, readResource, retryTime } from './limits.ts';
import { isEnterpriseServer, RestVersion } from './rest-version.ts';

/** A GraphQL query and the schema of its response. */
export interface Query<Schema extends TSchema> {
  /** The operation's name. */
  name: string;
  text: string;
  schema: Schema;
}

export interface RestResponse<Schema extends TSchema> {
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
export interface GraphqlResult<Schema extends TSchema> {
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

import { setTimeout as wait } from 'node:timers/promises';
import type { Static, TSchema } from 'typebox';
import { AppError } from '../../errors.ts';
import { parseClean, placeIn } from '../http/checks.ts';
import {
  createDispatcher,
  type Dispatcher,
  exchange,
  type Headers,
  isTimeout,
  type RawResponse as Raw,
  redirectOf,
} from '../http/client.ts';
import type { Refusals } from '../http/tolerant.ts';
import type { Call } from '../provider.ts';
import type { AppIdentity } from './app/identity.ts';
import { Budget, type Resource, type Token } from './budget.ts';
import { checkPayload, invalid, unavailable } from './checks.ts';
import { denied, reasonIn, reasonOf, TooHeavy, throwTrouble } from './failures.ts';
import {
  areLocated,
  classifyGraphqlErrors,
  GraphqlResponse,
  refusalsIn,
  refusingOrganizations,
} from './graphql-errors.ts';
import { isLimited, limitReport, retryTime } from './limits.ts';

/** A GraphQL query and the schema of its response. */
export interface Query<Schema extends TSchema> {
  /** The operation's name. */
  name: string;
  text: string;
  answer: Schema;
}

export interface RestResponse<Schema extends TSchema> {
  data: Static<Schema>;
  /** The length of the list in the response, including unreadable items; 0 when the response is not a list. */
  listed: number;
  headers: Headers;
}

export interface ClientOptions {
  apiUrl: string;
  tokens: readonly string[];
  /** The service's identity as a GitHub App; undefined: it is not an App. */
  app?: AppIdentity | undefined;
  /** Shorter than the time for which a caller waits, so that a dead network is distinguished from a slow response. */
  connectTimeoutMs: number;
  now: () => Date;
}

const limits = {
  /** GitHub itself gives up after 10 seconds. */
  answerTimeoutMs: 15_000,
  maxAnswerBytes: 32 * 1024 * 1024,
  /** A request is repeated once after a dropped connection or a garbled response. */
  attempts: 2,
  redirects: 2,
};

/** The headers of every request to the REST API. */
export const restHeaders = {
  accept: 'application/vnd.github+json',
  'user-agent': 'plaudit',
  'x-github-api-version': '2022-11-28',
};

interface RawAnswer extends Raw {
  token: Token;
}

/** The data of a query, the credential that it was sent with, and the parts that GitHub left empty with an error. */
export interface GraphqlResult<Schema extends TSchema> {
  data: Static<Schema>;
  token: Token;
  refusals: Refusals;
}

/** The client of GitHub's API. It spends the quota, obeys the limits and checks every response. */
export class GitHubClient {
  readonly budget: Budget;
  readonly #options: ClientOptions;
  readonly #dispatcher: Dispatcher;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.budget = new Budget(options.tokens, {
      now: options.now,
      isApp: options.app !== undefined,
      sleep: (ms, signal) => wait(ms, undefined, { signal }),
    });
    this.#dispatcher = createDispatcher({ ...options, ...limits });
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  /**
   * Sends a query. A response with data and errors is used: the schema says how refused and failed parts are left out.
   * @param options.takesParts true when parts that are too much for GitHub are left out as well; else they throw
   * `TooHeavy`.
   * @returns the data, in which objects that are not found are null, and the parts that were left empty with an error.
   * @throws TooHeavy when the query has to be made smaller; AppError otherwise.
   */
  async graphql<Schema extends TSchema>(
    query: Query<Schema>,
    variables: Record<string, unknown>,
    call: Call,
    { takesParts = false }: { takesParts?: boolean } = {},
  ): Promise<GraphqlResult<Schema>> {
    const body = JSON.stringify({ query: query.text, variables, operationName: query.name });
    return this.#send('graphql', graphqlUrl(this.#options.apiUrl), body, call, (raw) => {
      if (raw.status === 502 || raw.status === 504) throw new TooHeavy();
      if (raw.status >= 500) throw unavailable();
      if (raw.status !== 200) throw denied(reasonIn(raw));
      const { data = null, errors = [] } = checkPayload(GraphqlResponse, parseJson(raw.text), query.name);
      const trouble = classifyGraphqlErrors(errors);
      if (trouble === 'limited') return 'limited';
      const reason = reasonOf(errors, raw.headers);
      if (data === null) throwTrouble(trouble, query.name, reason);
      if (trouble === 'too_heavy' && !(takesParts && areLocated(errors))) throw new TooHeavy();
      call.cost.points += pointsOf(data);
      const refusals = refusalsIn(errors, refusingOrganizations(raw.headers['x-github-sso']));
      try {
        return { data: checkPayload(query.answer, data, query.name, call, refusals), token: raw.token, refusals };
      } catch (error) {
        // The errors explain the failure better than the part that they left empty.
        throwTrouble(trouble, query.name, reason);
        throw error;
      }
    });
  }

  /** @returns null when GitHub says that the resource does not exist. */
  async rest<Schema extends TSchema>(
    path: string,
    schema: Schema,
    call: Call,
    resource: Resource = 'core',
  ): Promise<RestResponse<Schema> | null> {
    return this.#send(resource, `${this.#options.apiUrl}${path}`, undefined, call, (raw) => {
      // 409: the repository is empty (https://docs.github.com/rest/commits/commits#list-commits).
      if (raw.status === 404 || raw.status === 409 || raw.status === 410) return null;
      if (raw.status >= 500) throw unavailable();
      if (raw.status !== 200) throw denied(reasonIn(raw));
      const payload = parseJson(raw.text);
      const listed = Array.isArray(payload) ? payload.length : 0;
      return { data: checkPayload(schema, payload, placeIn(path), call), listed, headers: raw.headers };
    });
  }

  /** Sends until a usable response comes: with another token after a limit, and once more after a broken connection. */
  async #send<Result>(
    resource: Resource,
    url: string,
    body: string | undefined,
    call: Call,
    read: (raw: RawAnswer) => Result | 'limited',
  ): Promise<Result> {
    let attempts = 0;
    for (;;) {
      const token = await this.budget.acquire(resource, call);
      try {
        const secret = await this.#secretOf(token, call.signal);
        if (secret === 'refused') continue;
        const raw = await this.#exchange(resource, url, body, { token, secret }, call);
        if (raw.status === 401) {
          if (token.secret === undefined || secret === null) throw denied();
          // The next iteration takes another token, or throws when there is none.
          if (!token.secret.reject(secret.value)) token.refuse(this.#options.now());
          continue;
        }
        const result = isLimited(raw.status, raw.headers, raw.text) ? 'limited' : read(raw);
        if (result !== 'limited') {
          token.forgivePenalty();
          return result;
        }
        token.block(retryTime(raw.headers, this.#options.now()), this.#options.now());
      } catch (error) {
        if (!isTransient(error)) throw error;
        attempts += 1;
        if (attempts >= limits.attempts || call.signal.aborted) throw asAppError(error);
      } finally {
        token.release();
      }
    }
  }

  /** Returns the secret of a token; null: the request is sent without a credential. */
  async #secretOf(token: Token, signal: AbortSignal): Promise<{ value: string } | null | 'refused'> {
    if (token.secret === undefined) return null;
    try {
      return { value: await token.secret.get(signal) };
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'provider_denied') throw error;
      token.refuse(this.#options.now());
      return 'refused';
    }
  }

  async #exchange(
    resource: Resource,
    url: string,
    body: string | undefined,
    { token, secret }: { token: Token; secret: { value: string } | null },
    call: Call,
  ): Promise<RawAnswer> {
    let address = url;
    for (let redirects = 0; ; redirects += 1) {
      call.cost.requests += 1;
      const raw = await exchange(address, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...restHeaders,
          ...(body !== undefined && { accept: 'application/json' }),
          ...(secret !== null && { authorization: `Bearer ${secret.value}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body,
        dispatcher: this.#dispatcher,
        signal: AbortSignal.any([call.signal, AbortSignal.timeout(limits.answerTimeoutMs)]),
      });
      this.#learn(token, resource, raw);
      const next = redirectTarget(raw, address);
      if (next === undefined || body !== undefined || redirects >= limits.redirects) return { ...raw, token };
      address = next;
    }
  }

  #learn(token: Token, resource: Resource, { status, headers }: Raw): void {
    const report = limitReport(headers, resource, this.#options.now());
    if (report !== undefined) token.learn(report);
    const scopes = headers['x-oauth-scopes'];
    if (typeof scopes === 'string' || status < 500) token.learnScopes(typeof scopes === 'string' ? scopes : undefined);
  }
}

function parseJson(text: string): unknown {
  try {
    return parseClean(text);
  } catch (cause) {
    throw new Garbled('not JSON', { cause });
  }
}

/** The error for a response that arrived broken; the request is repeated once. */
class Garbled extends Error {}

/** Returns whether an immediate repetition may succeed; throws after a time-out, which leaves no time to repeat. */
function isTransient(error: unknown): boolean {
  if (error instanceof AppError || error instanceof TooHeavy) return false;
  if (isTimeout(error)) throw unavailable(error);
  return true;
}

function asAppError(error: unknown): AppError {
  return error instanceof Garbled ? invalid('not JSON', error) : unavailable(error);
}

/** Returns the target of a redirect within GitHub's origin, because tokens must not be sent to other hosts. */
function redirectTarget(raw: Raw, address: string): string | undefined {
  const target = redirectOf(raw, address);
  return target?.origin === new URL(address).origin ? target.href : undefined;
}

/** GitHub Enterprise serves GraphQL beside its REST interface, not below it. */
export function graphqlUrl(apiUrl: string): string {
  return apiUrl.endsWith('/api/v3') ? apiUrl.replace(/v3$/, 'graphql') : `${apiUrl}/graphql`;
}

function pointsOf(data: unknown): number {
  const { rateLimit }: { rateLimit?: { cost?: unknown } | null } = Object(data);
  return typeof rateLimit?.cost === 'number' ? rateLimit.cost : 1;
}

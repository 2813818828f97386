import { setTimeout as wait } from 'node:timers/promises';
import type { Static, TSchema } from 'typebox';
import { AppError } from '../../errors.ts';
import type { Call } from '../call.ts';
import { placeIn } from '../http/checks.ts';
import {
  createDispatcher,
  type Dispatcher,
  exchange,
  type Headers,
  isTimeout,
  type RawResponse,
  redirectOf,
} from '../http/client.ts';
import { readRetryAfter } from '../http/retry-after.ts';
import { checkPayload, invalid, parseJson, unavailable } from './checks.ts';
import { type Dialect, isLimited } from './dialect.ts';
import { limited, noToken, RequestScheduler, type Token } from './request-scheduler.ts';

export interface ClientOptions {
  url: string;
  apiUrl: string;
  tokens: readonly string[];
  /** Shorter than the time that a caller waits, so that a dead network is distinguishable from a slow response. */
  connectTimeoutMs: number;
  now: () => Date;
}

export interface HostResponse<Schema extends TSchema> {
  data: Static<Schema>;
  /** Length of the list in the response, including items that cannot be read; 0 where it is no list. */
  listed: number;
  headers: Headers;
}

export interface RequestOptions {
  /** Sends the request without a token. */
  isAnonymous?: boolean;
}

interface Question extends RequestOptions {
  /** A path of the API, or an absolute address outside of it. */
  path: string;
  /** Sent as JSON; undefined: the request has no body. */
  body?: object;
  /**
   * The request changes something. It is sent once, because it may have had its effect even where no response arrives.
   */
  isWriting?: boolean;
}

/** The wait after an endpoint with a limit of its own refused a request without naming a time, in ms. */
const endpointRestMs = 60_000;
const limits = {
  answerTimeoutMs: 20_000,
  maxAnswerBytes: 32 * 1024 * 1024,
  /** A dropped connection or a garbled response is retried once. */
  attempts: 2,
  redirects: 2,
};

/** The error when the host accepts the token, but the token lacks a scope for this request. */
export class MissingScope extends AppError {
  constructor(scopes: string) {
    super('provider_denied', `The code host wants the scope ${scopes} of the configured token.`);
  }
}

/** Calls a REST API: sends few requests at once, obeys rate limits and checks every response. */
export class RestClient {
  readonly dialect: Dialect;
  readonly pace: RequestScheduler;
  readonly now: () => Date;
  /** The address of the host's website. */
  readonly url: string;
  readonly #options: ClientOptions;
  readonly #dispatcher: Dispatcher;

  constructor(options: ClientOptions, dialect: Dialect) {
    this.#options = options;
    this.dialect = dialect;
    this.now = options.now;
    this.url = options.url;
    this.pace = new RequestScheduler(options.tokens, {
      now: options.now,
      sleep: (ms, signal) => wait(ms, undefined, { signal }),
    });
    this.#dispatcher = createDispatcher({ ...options, ...limits });
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  /** Returns the address of a path of the host that is not below the API. */
  besideApi(path: string): string {
    const { apiUrl } = this.#options;
    const { apiPath } = this.dialect;
    const base = apiUrl.endsWith(apiPath) ? apiUrl.slice(0, -apiPath.length) : new URL(apiUrl).origin;
    return `${base}${path}`;
  }

  /** @returns null when the host has nothing at this path, or does not show it. */
  get<Schema extends TSchema>(
    path: string,
    schema: Schema,
    call: Call,
    asked: RequestOptions = {},
  ): Promise<HostResponse<Schema> | null> {
    return this.#ask({ path, ...asked }, schema, call);
  }

  /** Sends a POST request that changes nothing, to an address outside of the API. */
  post<Schema extends TSchema>(
    address: string,
    body: object,
    schema: Schema,
    call: Call,
  ): Promise<HostResponse<Schema> | null> {
    return this.#ask({ path: address, body }, schema, call);
  }

  /**
   * Creates something at the host. The request is sent once: where no response arrives, look for the result before a
   * retry.
   * @returns null when the host has no such path, or does not show it.
   */
  create<Schema extends TSchema>(
    path: string,
    body: object,
    schema: Schema,
    call: Call,
  ): Promise<HostResponse<Schema> | null> {
    return this.#ask({ path, body, isWriting: true }, schema, call);
  }

  async #ask<Schema extends TSchema>(
    asked: Question,
    schema: Schema,
    call: Call,
  ): Promise<HostResponse<Schema> | null> {
    for (let attempts = 1; ; ) {
      const token = await this.pace.acquire(call, asked.isAnonymous ?? false);
      try {
        const raw = await this.#follow(asked, token, call);
        const report = this.dialect.limitReport(raw.headers);
        if (report !== undefined) this.pace.learn(token, report);
        if (isLimited(raw.status, raw.headers)) {
          const now = this.#options.now();
          const until = readRetryAfter(raw.headers, now);
          if (until === undefined && this.dialect.limitsEndpoints) {
            throw limited(new Date(now.getTime() + endpointRestMs));
          }
          // `acquire` throws with the time of the next request.
          this.pace.block(token, until);
          continue;
        }
        if (raw.status === 401 && token !== noToken) {
          // `acquire` takes another token, or throws when none is left.
          this.pace.refuse(token);
          continue;
        }
        const answer = this.#read(raw, schema, asked, call);
        this.pace.forgivePenalty();
        return answer;
      } catch (error) {
        if (!isTransient(error)) throw error;
        const isLast = asked.isWriting === true || attempts >= limits.attempts;
        if (isLast || call.signal.aborted) throw asAppError(error);
        attempts += 1;
      } finally {
        this.pace.release();
      }
    }
  }

  /** Follows redirects, which lead from an old name to the new one. */
  async #follow({ path, body }: Question, token: Token, call: Call): Promise<RawResponse> {
    let address = path.startsWith('/') ? `${this.#options.apiUrl}${path}` : path;
    for (let redirects = 0; ; redirects += 1) {
      const raw = await this.#exchange(address, body, token, call);
      const next = this.#redirectTarget(raw, address);
      if (next === undefined || body !== undefined || redirects >= limits.redirects) return raw;
      address = next;
    }
  }

  async #exchange(address: string, body: object | undefined, { secret }: Token, call: Call): Promise<RawResponse> {
    call.cost.requests += 1;
    return exchange(address, {
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      headers: {
        ...this.dialect.requestHeaders(secret),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      dispatcher: this.#dispatcher,
      signal: AbortSignal.any([call.signal, AbortSignal.timeout(limits.answerTimeoutMs)]),
    });
  }

  /**
   * Returns the target of a redirect when it is in the same API; a token is sent nowhere else. Hosts write their public
   * address, also in responses to requests at another address.
   */
  #redirectTarget(raw: RawResponse, address: string): string | undefined {
    const { url, apiUrl } = this.#options;
    const target = redirectOf(raw, address);
    if (target === undefined) return undefined;
    if (target.origin !== new URL(apiUrl).origin && target.origin !== new URL(url).origin) return undefined;
    const { apiPath } = this.dialect;
    const begin = target.pathname.indexOf(`${apiPath}/`);
    return begin < 0 ? undefined : `${apiUrl}${target.pathname.slice(begin + apiPath.length)}${target.search}`;
  }

  #read<Schema extends TSchema>(
    { status, headers, text }: RawResponse,
    schema: Schema,
    { path, isWriting = false }: Question,
    call: Call,
  ): HostResponse<Schema> | null {
    if (status === 404 || status === 410) return null;
    // Status 409: the repository is empty (go-gitea/gitea, routers/api/v1/repo/commits.go).
    if (status === 409 && !isWriting) return null;
    if (status >= 500) throw unavailable();
    if (status === 401) throw new AppError('provider_denied', 'The code host answers nobody without a token.');
    if (status === 403) throw this.#denied(text);
    if (status === 423) throw new AppError('provider_denied', 'The code host lets nothing be written there.');
    if (status !== (isWriting ? 201 : 200)) throw invalid(`it has the status ${status}`);
    const payload = parseJson(text);
    const listed = Array.isArray(payload) ? payload.length : 0;
    return { data: checkPayload(schema, payload, nameOf(path), call), listed, headers };
  }

  #denied(text: string): AppError {
    const scopes = this.dialect.missingScopes(text);
    if (scopes !== undefined) return new MissingScope(scopes);
    return new AppError('provider_denied', 'The code host denies access with the configured token.');
  }
}

/** Returns the path of a request for messages, also of an address beside the interface. */
function nameOf(path: string): string {
  return placeIn(path.startsWith('/') ? path : new URL(path).pathname);
}

/**
 * Returns whether an immediate retry may help.
 * @throws AppError `provider_unavailable` after a time-out, which leaves no time.
 */
function isTransient(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'provider_invalid_response';
  if (isTimeout(error)) throw unavailable(error);
  return true;
}

function asAppError(error: unknown): AppError {
  return error instanceof AppError ? error : unavailable(error);
}

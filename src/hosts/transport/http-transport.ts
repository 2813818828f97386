import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { Agent, type Dispatcher, EnvHttpProxyAgent, interceptors, request } from 'undici';
import { AppError, formatRedirect } from '../../model/errors.ts';

/** Returns the address to which a redirect leads; undefined: the redirect is not followed. */
export type RedirectRule = (target: URL, from: URL) => URL | undefined;

/** The redirects of a moved resource. 303 leads to another resource, 300 to several. */
const followed: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/** The error for a redirect that is not followed. @param reason as `formatRedirect` returns it, for the operator alone. */
export class Redirected extends AppError {
  constructor(reason: string) {
    super('provider_invalid_response', 'The code host redirects to another address.', {
      reason,
      cause: new Error(reason),
    });
  }
}

/** Follows redirects within the origin of the request, because a token is sent nowhere else. */
export const withinOrigin: RedirectRule = (target, from) => (target.origin === from.origin ? target : undefined);

export type Headers = Dispatcher.ResponseData['headers'];

/** A response as the host sent it, with any status and unparsed. */
export interface RawResponse {
  status: number;
  headers: Headers;
  text: string;
  /** The redirect that was not followed, as `formatRedirect` returns it. */
  redirect?: string | undefined;
}

interface HttpRequest {
  method?: 'GET' | 'POST' | 'PATCH';
  headers: Record<string, string>;
  body?: string | undefined;
  signal: AbortSignal;
  /** Returns where a redirect leads, undefined where it is not followed. Only GET requests follow redirects. */
  redirectTo?: RedirectRule;
  /** Called before each request, also before those that follow a redirect. */
  onSend?: () => void;
}

/** Receives the status of each response, undefined when none came, and the time in seconds until all of it came. */
export type OnExchange = (status: number | undefined, seconds: number) => void;

export interface ConnectionLimits {
  /** Shorter than the time that a caller waits, so that a dead network is distinguishable from a slow response. */
  connectTimeoutMs: number;
  /** The time for the whole response, with the redirects that lead to it. */
  responseTimeoutMs: number;
  maxResponseBytes: number;
  onExchange?: OnExchange | undefined;
}

const maxRedirects = 2;
/** Does nothing until tracing has begun. */
const tracer = trace.getTracer('plaudit');

/** Sends single requests to a host, through a proxy where the environment names one. */
export class HttpTransport {
  readonly #agent: Dispatcher;
  readonly #responseTimeoutMs: number;
  readonly #onExchange: OnExchange;

  constructor({ connectTimeoutMs, responseTimeoutMs, maxResponseBytes, onExchange }: ConnectionLimits) {
    const options = {
      connect: { timeout: connectTimeoutMs },
      headersTimeout: responseTimeoutMs,
      bodyTimeout: responseTimeoutMs,
      maxResponseSize: maxResponseBytes,
    };
    this.#agent = isBehindProxy() ? new EnvHttpProxyAgent(options) : new Agent(options);
    this.#responseTimeoutMs = responseTimeoutMs;
    this.#onExchange = onExchange ?? (() => {});
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  /** Sends one request and reads the whole response. Errors of the connection pass through unchanged. */
  async send(address: string, { method = 'GET', headers, body, ...options }: HttpRequest): Promise<RawResponse> {
    const { redirectTo, onSend = () => {} } = options;
    let redirect: string | undefined;
    const onRedirect = (latest: string | undefined): void => {
      redirect = latest;
    };
    const dispatcher = this.#agent.compose(
      limitRedirects(method === 'GET' ? redirectTo : undefined, onSend, onRedirect),
      interceptors.redirect({ maxRedirections: maxRedirects }),
    );
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(this.#responseTimeoutMs)]);
    const begunAt = performance.now();
    // The path would name accounts. The host receives no id of the trace.
    const attributes = { 'http.request.method': method, 'server.address': new URL(address).host };
    const span = tracer.startSpan(method, { kind: SpanKind.CLIENT, attributes });
    const end = (status?: number): void => this.#onExchange(status, (performance.now() - begunAt) / 1000);
    try {
      const response = await request(address, { method, headers, body: body ?? null, dispatcher, signal });
      const text = await response.body.text();
      end(response.statusCode);
      span.setAttribute('http.response.status_code', response.statusCode);
      const { statusCode: status, headers: received } = response;
      return { status, headers: received, text, ...(status >= 300 && status < 400 && { redirect }) };
    } catch (error) {
      // A caller that gives up says nothing about the host.
      if (!options.signal.aborted) end();
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }
}

function isBehindProxy(): boolean {
  return ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].some((name) => Boolean(process.env[name]));
}

/** Returns whether a connection failed because it took too long, which leaves no time for a retry. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && /timeout/i.test(`${error.name} ${'code' in error ? String(error.code) : ''}`);
}

/** Returns an error with only the name and the code of another, whose message may contain the request. */
export function withoutContent(error: unknown): Error {
  const known = error instanceof Error ? error : new Error('unknown');
  return Object.assign(new Error(known.name), { name: known.name, code: 'code' in known ? String(known.code) : '' });
}

/** A profile has a few kilobytes; the limit leaves ample room. */
const limits = { responseTimeoutMs: 15_000, maxResponseBytes: 1024 * 1024 };

/**
 * Sends requests with a token that a client presents. It has connections of its own, follows no redirect, retries
 * nothing and spends no quota but the token's; the token is in the request and nowhere else.
 */
export class BearerTransport {
  readonly #apiUrl: string;
  readonly #unavailable: () => Error;
  readonly #transport: HttpTransport;

  /** @param unavailable makes the error that is thrown when no response arrives. */
  constructor(
    options: { apiUrl: string; connectTimeoutMs: number; onExchange?: OnExchange | undefined },
    unavailable: () => Error,
  ) {
    this.#apiUrl = options.apiUrl;
    this.#unavailable = unavailable;
    this.#transport = new HttpTransport({ ...options, ...limits });
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async get(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<RawResponse> {
    try {
      return await this.#transport.send(`${this.#apiUrl}${path}`, { headers, signal });
    } catch {
      // The original error may contain the request, and with it the token.
      throw this.#unavailable();
    }
  }
}

/**
 * Returns an interceptor below undici's redirect interceptor. It removes the `Location` of redirects that must not be
 * followed, because undici follows redirects to every origin, and replaces the others by the rule's target.
 * @param rule undefined: no redirect is followed.
 * @param onRedirect receives each redirect, as `formatRedirect` returns it.
 */
function limitRedirects(
  rule: RedirectRule | undefined,
  onSend: () => void,
  onRedirect: (redirect: string | undefined) => void,
): Dispatcher.DispatcherComposeInterceptor {
  const visited = new Set<string>();
  return (dispatch) => (options, handler) => {
    const from = new URL(options.path, options.origin);
    visited.add(from.href);
    onSend();
    return dispatch(options, {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onResponseStart: (controller, status, headers, message) => {
        const { location, ...others } = headers;
        onRedirect(formatRedirect(location, from.href));
        const target = followed.has(status) ? toTarget(rule, location, from) : undefined;
        // undici throws an error for a loop; without a location it is a response with the status of a redirect.
        const isFollowed = target !== undefined && !visited.has(target.href);
        const rewrittenHeaders = isFollowed ? { ...others, location: target.href } : others;
        handler.onResponseStart?.(controller, status, rewrittenHeaders, message);
      },
      onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
      onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
    });
  };
}

function toTarget(rule: RedirectRule | undefined, location: string | string[] | undefined, from: URL): URL | undefined {
  if (rule === undefined || typeof location !== 'string' || !URL.canParse(location, from.href)) return undefined;
  return rule(new URL(location, from), from);
}

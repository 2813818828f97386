import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { Agent, type Dispatcher, EnvHttpProxyAgent, interceptors, request } from 'undici';
import { limitRedirects, type RedirectRule } from './redirects.ts';

export type Headers = Dispatcher.ResponseData['headers'];

/** A response as the host sent it, with any status and unparsed. */
export interface RawResponse {
  status: number;
  headers: Headers;
  text: string;
  /** The redirect that was not followed, as `formatRedirect` returns it. */
  redirect?: string | undefined;
}

export interface HttpRequest {
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

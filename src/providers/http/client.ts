import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';

/** The parts that all clients of code hosts share: connections, limits and redirects. */

export type Headers = Dispatcher.ResponseData['headers'];
export type { Dispatcher } from 'undici';

/** A response as the host sent it, with any status and unparsed. */
export interface RawResponse {
  status: number;
  headers: Headers;
  text: string;
}

export interface HostRequest {
  method?: 'GET' | 'POST' | 'PATCH';
  headers: Record<string, string>;
  body?: string | undefined;
  dispatcher: Dispatcher;
  signal: AbortSignal;
}

export interface ConnectionLimits {
  /** Shorter than the time that a caller waits, so that a dead network is distinguishable from a slow response. */
  connectTimeoutMs: number;
  answerTimeoutMs: number;
  maxAnswerBytes: number;
}

/** Creates connections to a host, through a proxy where the environment names one. They follow no redirects. */
export function createDispatcher({ connectTimeoutMs, answerTimeoutMs, maxAnswerBytes }: ConnectionLimits): Dispatcher {
  const agent = {
    connect: { timeout: connectTimeoutMs },
    headersTimeout: answerTimeoutMs,
    bodyTimeout: answerTimeoutMs,
    maxResponseSize: maxAnswerBytes,
  };
  return isBehindProxy() ? new EnvHttpProxyAgent(agent) : new Agent(agent);
}

function isBehindProxy(): boolean {
  return ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].some((name) => Boolean(process.env[name]));
}

/** Sends one request and reads the whole response. Errors of the connection pass through unchanged. */
export async function exchange(
  address: string,
  { method = 'GET', headers, body, dispatcher, signal }: HostRequest,
): Promise<RawResponse> {
  const answer = await request(address, { method, headers, body: body ?? null, dispatcher, signal });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

/** Returns the target of a redirect, if the response is one. The caller decides whether to follow it. */
export function redirectOf({ status, headers: { location } }: RawResponse, address: string): URL | undefined {
  if (![301, 302, 307, 308].includes(status) || typeof location !== 'string') return undefined;
  return URL.canParse(location, address) ? new URL(location, address) : undefined;
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

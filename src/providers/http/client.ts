import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';

/** What every client of a code host does alike: connections, bounds, and whom a redirect may lead to. */

export type Headers = Dispatcher.ResponseData['headers'];
export type { Dispatcher } from 'undici';

/** An answer as it came, whatever it says. */
export interface RawAnswer {
  status: number;
  headers: Headers;
  text: string;
}

export interface Question {
  method?: 'GET' | 'POST' | 'PATCH';
  headers: Record<string, string>;
  body?: string | undefined;
  dispatcher: Dispatcher;
  signal: AbortSignal;
}

export interface ConnectionLimits {
  /** Shorter than a caller waits, so that a dead network is told apart from a slow answer. */
  connectTimeoutMs: number;
  answerTimeoutMs: number;
  maxAnswerBytes: number;
}

/** Connections to a host, through the proxy that the environment names, if it does. No redirect is followed by itself. */
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

/** One request and its whole answer; throws whatever the connection does. */
export async function exchange(
  address: string,
  { method = 'GET', headers, body, dispatcher, signal }: Question,
): Promise<RawAnswer> {
  const answer = await request(address, { method, headers, body: body ?? null, dispatcher, signal });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

/** Where an answer points to, if it points anywhere. Whether that may be asked is for the caller to say. */
export function redirectOf({ status, headers: { location } }: RawAnswer, address: string): URL | undefined {
  if (![301, 302, 307, 308].includes(status) || typeof location !== 'string') return undefined;
  return URL.canParse(location, address) ? new URL(location, address) : undefined;
}

/** Whether a connection failed because it took too long: then there is no time left to ask once more. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && /timeout/i.test(`${error.name} ${'code' in error ? String(error.code) : ''}`);
}

/** Returns an error that keeps only the code of another, where its message may hold what was sent. */
export function withoutContent(error: unknown): Error {
  const known = error instanceof Error ? error : new Error('unknown');
  return Object.assign(new Error(known.name), { name: known.name, code: 'code' in known ? String(known.code) : '' });
}

import { setTimeout as wait } from 'node:timers/promises';
import type { Static, TSchema } from 'typebox';
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { AppError } from '../../errors.ts';
import type { Call } from '../provider.ts';
import { checkPayload, invalid, parseJson, unavailable } from './checks.ts';
import { noToken, Pace, type Token } from './pace.ts';
import { isLimited, missingScopes, retryTime } from './refusals.ts';

export interface ClientOptions {
  url: string;
  apiUrl: string;
  tokens: readonly string[];
  /** Shorter than a caller waits, so that a dead network is told apart from a slow answer. */
  connectTimeoutMs: number;
  now: () => Date;
}

type Headers = Dispatcher.ResponseData['headers'];

export interface Answer<Schema extends TSchema> {
  data: Static<Schema>;
  headers: Headers;
}

interface RawAnswer {
  status: number;
  headers: Headers;
  text: string;
}

const limits = {
  answerTimeoutMs: 20_000,
  maxAnswerBytes: 32 * 1024 * 1024,
  /** A dropped connection or a garbled answer is asked for once more. */
  attempts: 2,
  redirects: 2,
};

/** Talks to the REST interface of Gitea or Forgejo: few requests at once, obeys refusals, checks every answer. */
export class GiteaClient {
  readonly pace: Pace;
  readonly #options: ClientOptions;
  readonly #dispatcher: Dispatcher;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.pace = new Pace(options.tokens, {
      now: options.now,
      sleep: (ms, signal) => wait(ms, undefined, { signal }),
    });
    this.#dispatcher = createDispatcher(options, limits.maxAnswerBytes);
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  /**
   * @param options.isAnonymous asks as somebody without a token would.
   * @returns null when there is no such thing, or it is not shown.
   */
  async get<Schema extends TSchema>(
    path: string,
    schema: Schema,
    call: Call,
    { isAnonymous = false }: { isAnonymous?: boolean } = {},
  ): Promise<Answer<Schema> | null> {
    for (let attempts = 1; ; ) {
      const token = await this.pace.acquire(call, isAnonymous);
      try {
        const raw = await this.#follow(path, token, call);
        if (isLimited(raw.status, raw.headers)) {
          // The next turn says until when.
          this.pace.block(retryTime(raw.headers, this.#options.now()));
          continue;
        }
        if (raw.status === 401 && token !== noToken) {
          // The next turn takes another token, or says that there is none.
          this.pace.refuse(token);
          continue;
        }
        const answer = readAnswer(raw, schema, path);
        this.pace.forgivePenalty();
        return answer;
      } catch (error) {
        if (!isTransient(error)) throw error;
        if (attempts >= limits.attempts || call.signal.aborted) throw asAppError(error);
        attempts += 1;
      } finally {
        this.pace.release();
      }
    }
  }

  /** What was renamed leads on to its new name. */
  async #follow(path: string, token: Token, call: Call): Promise<RawAnswer> {
    let address = `${this.#options.apiUrl}${path}`;
    for (let redirects = 0; ; redirects += 1) {
      const raw = await this.#exchange(address, token, call);
      const next = redirectTarget(raw, address, this.#options);
      if (next === undefined || redirects >= limits.redirects) return raw;
      address = next;
    }
  }

  async #exchange(address: string, { secret }: Token, call: Call): Promise<RawAnswer> {
    call.cost.requests += 1;
    const { statusCode, headers, body } = await request(address, {
      headers: requestHeaders(secret),
      dispatcher: this.#dispatcher,
      signal: AbortSignal.any([call.signal, AbortSignal.timeout(limits.answerTimeoutMs)]),
    });
    return { status: statusCode, headers, text: await body.text() };
  }
}

/** https://docs.gitea.com/development/api-usage#authentication */
export function requestHeaders(secret: string | undefined): Record<string, string> {
  return {
    accept: 'application/json',
    'user-agent': 'plaudit',
    ...(secret !== undefined && { authorization: `token ${secret}` }),
  };
}

function readAnswer<Schema extends TSchema>(
  { status, headers, text }: RawAnswer,
  schema: Schema,
  path: string,
): Answer<Schema> | null {
  if (status === 404 || status === 410) return null;
  if (status >= 500) throw unavailable();
  if (status === 401) throw new AppError('provider_denied', 'The code host answers nobody without a token.');
  if (status === 403) throw denied(text);
  if (status !== 200) throw invalid(`it has the status ${status}`);
  return { data: checkPayload(schema, parseJson(text), path.split('?', 1)[0] ?? ''), headers };
}

function denied(text: string): AppError {
  const scopes = missingScopes(text);
  const reason = scopes === undefined ? 'denies access with' : `wants the scope ${scopes} of`;
  return new AppError('provider_denied', `The code host ${reason} the configured token.`);
}

/** Whether asking once more may help at once; after a time-out there is no time left for that. */
function isTransient(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'provider_invalid_response';
  const name = error instanceof Error ? `${error.name} ${'code' in error ? String(error.code) : ''}` : '';
  if (/timeout/i.test(name)) throw unavailable(error);
  return true;
}

function asAppError(error: unknown): AppError {
  return error instanceof AppError ? error : unavailable(error);
}

/**
 * Where an answer points to, if that is the same interface still: a token is shown to nobody else. Gitea writes its public
 * address, also when it was asked by another.
 */
function redirectTarget(
  { status, headers: { location } }: RawAnswer,
  address: string,
  { url, apiUrl }: ClientOptions,
): string | undefined {
  if (![301, 302, 307, 308].includes(status) || typeof location !== 'string') return undefined;
  if (!URL.canParse(location, address)) return undefined;
  const { origin, pathname, search } = new URL(location, address);
  if (origin !== new URL(apiUrl).origin && origin !== new URL(url).origin) return undefined;
  const [, path] = /\/api\/v1(\/.*)$/.exec(pathname) ?? [];
  return path === undefined ? undefined : `${apiUrl}${path}${search}`;
}

/** Connections to the host, through the proxy that the environment names, if it does. */
export function createDispatcher(
  { connectTimeoutMs }: Pick<ClientOptions, 'connectTimeoutMs'>,
  maxResponseSize: number,
): Dispatcher {
  const agent = {
    connect: { timeout: connectTimeoutMs },
    headersTimeout: limits.answerTimeoutMs,
    bodyTimeout: limits.answerTimeoutMs,
    maxResponseSize,
  };
  return isBehindProxy() ? new EnvHttpProxyAgent(agent) : new Agent(agent);
}

function isBehindProxy(): boolean {
  return ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].some((name) => Boolean(process.env[name]));
}

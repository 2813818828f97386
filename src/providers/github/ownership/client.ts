import type { Static, TSchema } from 'typebox';
import { type Dispatcher, request } from 'undici';
import { AppError } from '../../../errors.ts';
import { checkPayload } from '../checks.ts';
import { type ClientOptions, createDispatcher, invalid, restHeaders, unavailable } from '../client.ts';
import { isLimited, retryTime } from '../limits.ts';

/** A profile is some kilobytes. */
const maxAnswerBytes = 1024 * 1024;

interface RawAnswer {
  status: number;
  headers: Dispatcher.ResponseData['headers'];
  text: string;
}

/**
 * Asks GitHub on behalf of those who present a token of theirs. It has connections of its own, follows no redirect, repeats
 * nothing and spends nobody else's budget; the token is in the request and nowhere else.
 */
export class BearerClient {
  readonly #options: ClientOptions;
  readonly #dispatcher: Dispatcher;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#dispatcher = createDispatcher(options, maxAnswerBytes);
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  /**
   * @returns null when GitHub says that there is no such thing, or not for this token.
   * @throws AppError `unauthenticated` when the token is none.
   */
  async rest<Schema extends TSchema>(
    token: string,
    path: string,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<Static<Schema> | null> {
    const { status, headers, text } = await this.#ask(token, path, signal);
    if (status === 401) throw new AppError('unauthenticated', 'GitHub does not accept this token.');
    if (isLimited(status, headers, text)) {
      const retryAt = retryTime(headers, this.#options.now());
      const message = "GitHub's request budget of this token is used up for now.";
      throw new AppError('provider_rate_limited', message, { retryAt });
    }
    if (status === 403 || status === 404 || status === 410) return null;
    if (status >= 500) throw unavailable();
    if (status !== 200) throw invalid('it is neither a yes nor a no');
    return checkPayload(schema, parseJson(text), path.split('/', 3).join('/'));
  }

  async #ask(token: string, path: string, signal: AbortSignal): Promise<RawAnswer> {
    try {
      const answer = await request(`${this.#options.apiUrl}${path}`, {
        headers: { ...restHeaders, authorization: `Bearer ${token}` },
        dispatcher: this.#dispatcher,
        signal,
      });
      return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
    } catch {
      // What went wrong may hold what was sent.
      throw unavailable();
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('not JSON');
  }
}

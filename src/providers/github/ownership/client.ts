import type { Static, TSchema } from 'typebox';
import { AppError } from '../../../errors.ts';
import { createDispatcher, type Dispatcher, exchange, type RawAnswer } from '../../http/client.ts';
import { checkPayload, invalid, parseJson, unavailable } from '../checks.ts';
import { type ClientOptions, restHeaders } from '../client.ts';
import { isLimited, retryTime } from '../limits.ts';

/** A profile is some kilobytes. */
const limits = { answerTimeoutMs: 15_000, maxAnswerBytes: 1024 * 1024 };

/**
 * Asks GitHub on behalf of those who present a token of theirs. It has connections of its own, follows no redirect, repeats
 * nothing and spends nobody else's budget; the token is in the request and nowhere else.
 */
export class BearerClient {
  readonly #options: ClientOptions;
  readonly #dispatcher: Dispatcher;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#dispatcher = createDispatcher({ ...options, ...limits });
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
    const headers = { ...restHeaders, authorization: `Bearer ${token}` };
    try {
      return await exchange(`${this.#options.apiUrl}${path}`, { headers, dispatcher: this.#dispatcher, signal });
    } catch {
      // What went wrong may hold what was sent.
      throw unavailable();
    }
  }
}

import type { Static, TSchema } from 'typebox';
import { AppError } from '../../../errors.ts';
import { createDispatcher, type Dispatcher, exchange, type RawAnswer } from '../../http/client.ts';
import { checkPayload, invalid, parseJson, unavailable } from '../checks.ts';
import type { ClientOptions } from '../client.ts';
import { type Dialect, isLimited, retryTime } from '../dialect.ts';

/** A profile is some kilobytes. */
const limits = { answerTimeoutMs: 20_000, maxAnswerBytes: 1024 * 1024 };

/**
 * Asks on behalf of those who present a token of theirs. It has connections of its own, follows no redirect and repeats
 * nothing; the token is in the request and nowhere else.
 */
export class BearerClient {
  readonly #options: ClientOptions;
  readonly #dialect: Dialect;
  readonly #dispatcher: Dispatcher;

  constructor(options: ClientOptions, dialect: Dialect) {
    this.#options = options;
    this.#dialect = dialect;
    this.#dispatcher = createDispatcher({ ...options, ...limits });
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  /**
   * @returns null when there is no such thing, or not under this name.
   * @throws AppError `unauthenticated` when the token is none; `forbidden` when it may not ask, with the scope that it lacks.
   */
  async get<Schema extends TSchema>(
    token: string,
    path: string,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<Static<Schema> | null> {
    const { status, headers, text } = await this.#ask(token, path, signal);
    if (status === 401) throw new AppError('unauthenticated', 'The code host does not accept this token.');
    if (isLimited(status, headers)) {
      const retryAt = retryTime(headers, this.#options.now());
      throw new AppError('provider_rate_limited', 'The code host wants to be asked less for now.', { retryAt });
    }
    if (status === 403) throw this.#refused(text);
    if (status === 404 || status === 410 || (status >= 300 && status < 400)) return null;
    if (status >= 500) throw unavailable();
    if (status !== 200) throw invalid('it is neither a yes nor a no');
    return checkPayload(schema, parseJson(text), path.split('/', 2).join('/'));
  }

  async #ask(token: string, path: string, signal: AbortSignal): Promise<RawAnswer> {
    const headers = this.#dialect.requestHeaders(token);
    try {
      return await exchange(`${this.#options.apiUrl}${path}`, { headers, dispatcher: this.#dispatcher, signal });
    } catch {
      // What went wrong may hold what was sent.
      throw unavailable();
    }
  }

  #refused(text: string): AppError {
    const scopes = this.#dialect.missingScopes(text);
    return new AppError(
      'forbidden',
      scopes === undefined
        ? 'The code host denies what is asked with this token.'
        : `This token lacks a scope at the code host: ${scopes}.`,
    );
  }
}

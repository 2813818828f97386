import type { Static, TSchema } from 'typebox';
import { type Dispatcher, request } from 'undici';
import { AppError } from '../../../errors.ts';
import { checkPayload, invalid, parseJson, unavailable } from '../checks.ts';
import { type ClientOptions, createDispatcher, requestHeaders } from '../client.ts';
import { isLimited, missingScopes, retryTime } from '../refusals.ts';

/** A profile is some kilobytes. */
const maxAnswerBytes = 1024 * 1024;

/**
 * Asks on behalf of those who present a token of theirs. It has connections of its own, follows no redirect and repeats
 * nothing; the token is in the request and nowhere else.
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
    if (status === 403) throw refused(text);
    if (status === 404 || status === 410 || (status >= 300 && status < 400)) return null;
    if (status >= 500) throw unavailable();
    if (status !== 200) throw invalid('it is neither a yes nor a no');
    return checkPayload(schema, parseJson(text), path.split('/', 2).join('/'));
  }

  async #ask(
    token: string,
    path: string,
    signal: AbortSignal,
  ): Promise<{ status: number; headers: Dispatcher.ResponseData['headers']; text: string }> {
    try {
      const answer = await request(`${this.#options.apiUrl}${path}`, {
        headers: requestHeaders(token),
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

function refused(text: string): AppError {
  const scopes = missingScopes(text);
  return new AppError(
    'forbidden',
    scopes === undefined
      ? 'The code host denies what is asked with this token.'
      : `This token lacks a scope at the code host: ${scopes}.`,
  );
}

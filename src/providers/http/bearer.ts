import { createDispatcher, type Dispatcher, exchange, type RawAnswer } from './client.ts';

/** A profile is some kilobytes. */
const limits = { answerTimeoutMs: 15_000, maxAnswerBytes: 1024 * 1024 };

/**
 * Asks on behalf of those who present a token of theirs. It has connections of its own, follows no redirect, repeats nothing
 * and spends nobody else's budget; the token is in the request and nowhere else.
 */
export class BearerConnections {
  readonly #apiUrl: string;
  readonly #unavailable: () => Error;
  readonly #dispatcher: Dispatcher;

  /** @param unavailable what is thrown when there is no answer. */
  constructor(options: { apiUrl: string; connectTimeoutMs: number }, unavailable: () => Error) {
    this.#apiUrl = options.apiUrl;
    this.#unavailable = unavailable;
    this.#dispatcher = createDispatcher({ ...options, ...limits });
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  async ask(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<RawAnswer> {
    try {
      return await exchange(`${this.#apiUrl}${path}`, { headers, dispatcher: this.#dispatcher, signal });
    } catch {
      // What went wrong may hold what was sent.
      throw this.#unavailable();
    }
  }
}

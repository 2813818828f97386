import { createDispatcher, type Dispatcher, exchange, type RawResponse } from './client.ts';

/** A profile has a few kilobytes; the limit leaves ample room. */
const limits = { answerTimeoutMs: 15_000, maxAnswerBytes: 1024 * 1024 };

/**
 * Sends requests with a token that a client presents. It has connections of its own, follows no redirect, retries
 * nothing and spends no quota but the token's; the token is in the request and nowhere else.
 */
export class BearerConnections {
  readonly #apiUrl: string;
  readonly #unavailable: () => Error;
  readonly #dispatcher: Dispatcher;

  /** @param unavailable makes the error that is thrown when no response arrives. */
  constructor(options: { apiUrl: string; connectTimeoutMs: number }, unavailable: () => Error) {
    this.#apiUrl = options.apiUrl;
    this.#unavailable = unavailable;
    this.#dispatcher = createDispatcher({ ...options, ...limits });
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  async ask(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<RawResponse> {
    try {
      return await exchange(`${this.#apiUrl}${path}`, { headers, dispatcher: this.#dispatcher, signal });
    } catch {
      // The original error may contain the request, and with it the token.
      throw this.#unavailable();
    }
  }
}

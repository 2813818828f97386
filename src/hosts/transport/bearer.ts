import { HttpTransport, type OnExchange, type RawResponse } from './http-transport.ts';

/** A profile has a few kilobytes; the limit leaves ample room. */
const limits = { responseTimeoutMs: 15_000, maxResponseBytes: 1024 * 1024 };

/**
 * Sends requests with a token that a client presents. It has connections of its own, follows no redirect, retries
 * nothing and spends no quota but the token's; the token is in the request and nowhere else.
 */
export class BearerTransport {
  readonly #apiUrl: string;
  readonly #unavailable: () => Error;
  readonly #transport: HttpTransport;

  /** @param unavailable makes the error that is thrown when no response arrives. */
  constructor(
    options: { apiUrl: string; connectTimeoutMs: number; onExchange?: OnExchange | undefined },
    unavailable: () => Error,
  ) {
    this.#apiUrl = options.apiUrl;
    this.#unavailable = unavailable;
    this.#transport = new HttpTransport({ ...options, ...limits });
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async get(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<RawResponse> {
    try {
      return await this.#transport.send(`${this.#apiUrl}${path}`, { headers, signal });
    } catch {
      // The original error may contain the request, and with it the token.
      throw this.#unavailable();
    }
  }
}

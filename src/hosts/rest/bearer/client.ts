import type { Static, TSchema } from 'typebox';
import { AppError } from '../../../model/errors.ts';
import { BearerTransport } from '../../transport/bearer.ts';
import { readRetryAfter } from '../../transport/retry-after.ts';
import { checkPayload, invalid, parsePayload, unavailable } from '../checks.ts';
import type { ClientOptions } from '../client.ts';
import { type Dialect, isLimited } from '../dialect.ts';

/** Sends requests with a token that a client presents. */
export class BearerClient {
  readonly #now: () => Date;
  readonly #url: string;
  readonly #dialect: Dialect;
  readonly #transport: BearerTransport;

  constructor(options: ClientOptions, dialect: Dialect) {
    this.#now = options.now;
    this.#url = options.url;
    this.#dialect = dialect;
    this.#transport = new BearerTransport(options, unavailable);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /**
   * @returns null when the host has nothing at this path, or redirects to another name.
   * @throws AppError `unauthenticated` when the token is invalid; `forbidden` when it lacks a scope, with the scope's
   * name.
   */
  async get<Schema extends TSchema>(
    token: string,
    path: string,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<Static<Schema> | null> {
    const { status, headers, text } = await this.#transport.get(path, this.#dialect.requestHeaders(token), signal);
    if (status === 401) throw new AppError('unauthenticated', 'The code host does not accept this token.');
    if (isLimited(status, headers)) {
      const retryAt = readRetryAfter(headers, this.#now());
      throw new AppError('provider_rate_limited', 'Rate limited by the code host. Retry later.', { retryAt });
    }
    if (status === 403) throw this.#refused(text);
    if (status === 404 || status === 410 || (status >= 300 && status < 400)) return null;
    if (status >= 500) throw unavailable();
    if (status !== 200) throw invalid('it is neither a yes nor a no');
    return checkPayload(schema, parsePayload(text, this.#url), path.split('/', 2).join('/'));
  }

  #refused(text: string): AppError {
    const scopes = this.#dialect.missingScopes(text);
    return new AppError(
      'forbidden',
      scopes === undefined
        ? 'The code host denies this request to this token.'
        : `This token lacks a scope at the code host: ${scopes}.`,
    );
  }
}

import type { Static, TSchema } from 'typebox';
import { AppError } from '../../../model/errors.ts';
import { BearerTransport } from '../../transport/bearer.ts';
import { checkPayload, invalid, parseJson, unavailable } from '../checks.ts';
import type { ClientOptions } from '../client.ts';
import { isLimited, retryTime } from '../limits.ts';
import type { RestVersion } from '../rest-version.ts';

/** Sends requests to GitHub with the tokens that callers present. */
export class BearerClient {
  readonly #now: () => Date;
  readonly #version: RestVersion;
  readonly #transport: BearerTransport;

  /** @param version the version that requests name. */
  constructor(options: ClientOptions, version: RestVersion) {
    this.#now = options.now;
    this.#version = version;
    this.#transport = new BearerTransport(options, unavailable);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /**
   * Sends a GET request with a token.
   * @returns null when the resource does not exist, or GitHub does not show it to the bearer of the token.
   * @throws AppError `unauthenticated` when GitHub does not accept the token.
   */
  async rest<Schema extends TSchema>(
    token: string,
    path: string,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<Static<Schema> | null> {
    const credentials = { ...this.#version.headers(), authorization: `Bearer ${token}` };
    const { status, headers, text } = await this.#transport.get(path, credentials, signal);
    if (status === 401) throw new AppError('unauthenticated', 'GitHub does not accept this token.');
    if (isLimited(status, headers, text)) {
      const retryAt = retryTime(headers, this.#now());
      const message = "GitHub's request budget of this token is used up for now.";
      throw new AppError('provider_rate_limited', message, { retryAt });
    }
    if (status === 403 || status === 404 || status === 410) return null;
    if (status >= 500) throw unavailable();
    if (status !== 200) throw invalid('it is neither a yes nor a no');
    return checkPayload(schema, parseJson(text), path.split('/', 3).join('/'));
  }
}

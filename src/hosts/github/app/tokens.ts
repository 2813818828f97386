import { AppError } from '../../../model/errors.ts';
import type { Secret } from '../../transport/secret.ts';
import type { AppClient } from './client.ts';
import { InstallationTokenPayload } from './payloads.ts';

/** The rest of a token's life, of an hour, at which a new one is requested: enough for the longest job. */
const renewBeforeMs = 15 * 60_000;
/** When a new token cannot be fetched, the old one is used until a minute before its end. */
const lastUseBeforeMs = 60_000;
/** The age, in ms, below which a refused token is not replaced, because GitHub would refuse a new one too. */
const youthMs = 60_000;
/** The limit for a request for a token. It has no caller's signal, because further callers may wait for its result. */
const makingTimeoutMs = 20_000;

interface IssuedToken {
  secret: string;
  createdAt: number;
  endsAt: number;
  /** `read`, `write` or `admin`, by name of permission. */
  permissions: Readonly<Record<string, string>>;
}

/** The tokens of one installation, each replaced by a new one before it expires. */
export class InstallationTokens implements Secret {
  readonly #client: AppClient;
  readonly #path: string;
  readonly #now: () => Date;
  #token: IssuedToken | undefined;
  #making: Promise<IssuedToken> | undefined;

  constructor(client: AppClient, installation: string, now: () => Date) {
    this.#client = client;
    this.#path = `/app/installations/${installation}/access_tokens`;
    this.#now = now;
  }

  /**
   * Returns a valid token. While no new one can be fetched, returns the old one until a minute before its end.
   * @throws AppError `provider_denied` when the installation is suspended or removed, or GitHub rejects the App.
   */
  async get(signal: AbortSignal): Promise<string> {
    const token = this.#token;
    const leftMs = (token?.endsAt ?? 0) - this.#now().getTime();
    if (token !== undefined && leftMs > renewBeforeMs) return token.secret;
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    try {
      return (await orAborted(this.#making, signal)).secret;
    } catch (error) {
      const isPassing = error instanceof AppError && error.code !== 'provider_denied';
      if (isPassing && token !== undefined && leftMs > lastUseBeforeMs) return token.secret;
      throw error;
    }
  }

  /** Returns the permissions of the current token: `read`, `write` or `admin`, by name. */
  async permissions(signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    await this.get(signal);
    return this.#token?.permissions ?? {};
  }

  reject(secret: string): boolean {
    // The token was replaced already, after another request had rejected it.
    if (this.#token?.secret !== secret) return true;
    const { createdAt } = this.#token;
    this.#token = undefined;
    return this.#now().getTime() - createdAt > youthMs;
  }

  async #make(): Promise<IssuedToken> {
    const response = await this.#client.send(
      { method: 'POST', path: this.#path },
      InstallationTokenPayload,
      AbortSignal.timeout(makingTimeoutMs),
    );
    if ('refusal' in response)
      throw new AppError('provider_denied', 'The installation of the App is suspended or was removed.');
    const token = {
      secret: response.data.token,
      createdAt: this.#now().getTime(),
      endsAt: Date.parse(response.data.expires_at),
      permissions: response.data.permissions ?? {},
    };
    this.#token = token;
    return token;
  }
}

async function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<'aborted'>();
  const abort = (): void => resolve('aborted');
  signal.addEventListener('abort', abort, { once: true });
  try {
    const first = await Promise.race([work.then((result) => ({ result })), promise]);
    if (first !== 'aborted') return first.result;
    signal.throwIfAborted();
    return await work;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

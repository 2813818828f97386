import { AppError } from '../../../errors.ts';
import type { Secret } from '../secret.ts';
import type { AppClient } from './client.ts';
import { InstallationTokenPayload } from './payloads.ts';

/** GitHub's tokens live an hour. A new one is asked for while the old one would still last for the longest work. */
const renewBeforeMs = 15 * 60_000;
/** Where a new one cannot be had just now, the old one is used until shortly before its end. */
const lastUseBeforeMs = 60_000;
/** A token that is refused this soon after it was made: another one would be refused too. */
const youthMs = 60_000;
/** Long enough for GitHub, for nobody who asks may end what others wait for too. */
const makingTimeoutMs = 20_000;

interface Made {
  secret: string;
  madeAt: number;
  endsAt: number;
}

/** The tokens of one installation, one after the other. */
export class InstallationTokens implements Secret {
  readonly #client: AppClient;
  readonly #path: string;
  readonly #now: () => Date;
  #made: Made | undefined;
  #making: Promise<Made> | undefined;

  constructor(client: AppClient, installation: string, now: () => Date) {
    this.#client = client;
    this.#path = `/app/installations/${installation}/access_tokens`;
    this.#now = now;
  }

  /** @throws AppError `provider_denied` when the installation is suspended or gone, or the App is not accepted. */
  async get(signal: AbortSignal): Promise<string> {
    const made = this.#made;
    const leftMs = (made?.endsAt ?? 0) - this.#now().getTime();
    if (made !== undefined && leftMs > renewBeforeMs) return made.secret;
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    try {
      return (await orAborted(this.#making, signal)).secret;
    } catch (error) {
      const isPassing = error instanceof AppError && error.code !== 'provider_denied';
      if (isPassing && made !== undefined && leftMs > lastUseBeforeMs) return made.secret;
      throw error;
    }
  }

  reject(secret: string): boolean {
    // Somebody else has noticed before, and there is another one.
    if (this.#made?.secret !== secret) return true;
    const { madeAt } = this.#made;
    this.#made = undefined;
    return this.#now().getTime() - madeAt > youthMs;
  }

  async #make(): Promise<Made> {
    const answer = await this.#client.ask(
      { method: 'POST', path: this.#path },
      InstallationTokenPayload,
      AbortSignal.timeout(makingTimeoutMs),
    );
    if ('refusal' in answer) throw new AppError('provider_denied', 'The installation of the App is suspended or gone.');
    const made = {
      secret: answer.data.token,
      madeAt: this.#now().getTime(),
      endsAt: Date.parse(answer.data.expires_at),
    };
    this.#made = made;
    return made;
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

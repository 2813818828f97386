import { SignJWT } from 'jose';
import type { Static, TSchema } from 'typebox';
import { AppError } from '../../../model/errors.ts';
import {
  HttpTransport,
  type OnExchange,
  type RawResponse,
  Redirected,
  withoutContent,
} from '../../transport/http-transport.ts';
import { graphqlUrl, isLimited, type RestVersion, retryTime } from '../client.ts';
import type { AppIdentity } from '../credentials.ts';
import { checkPayload, invalid, parseJson, unavailable } from '../failures.ts';

export interface AppClientOptions {
  /** The version that requests name. */
  restVersion: RestVersion;
  apiUrl: string;
  app: AppIdentity;
  connectTimeoutMs: number;
  onExchange?: OnExchange | undefined;
  now: () => Date;
}

export interface AppRequest {
  method: 'GET' | 'POST' | 'PATCH';
  /** The path below the URL of the REST API; `/graphql` stands for the GraphQL API. */
  path: string;
  body?: object;
  /** An installation's token; undefined: the request is signed with the App's own JWT. */
  token?: string;
}

/** The data with the `Link` header, or the status with which GitHub refused the request. */
export type AppResponse<Data> = { data: Data; link: string } | { refusal: number };

/** The statuses that say that an object is absent, or that the request is not allowed or not possible. */
const refusals = new Set([400, 403, 404, 410, 422]);
/** A page of a hundred repositories or delivery attempts has a few hundred kilobytes. */
const limits = { responseTimeoutMs: 15_000, maxResponseBytes: 8 * 1024 * 1024 };
/**
 * The times of a JWT, in s. GitHub accepts ten minutes at most, and rejects one that was issued later than its clock.
 */
const proof = { sinceS: 60, forS: 540 };

/**
 * Sends requests to GitHub as the App itself. JWTs and tokens appear only in requests; redirects are not followed.
 * https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app
 */
export class AppClient {
  readonly #options: AppClientOptions;
  readonly #transport: HttpTransport;
  /** The time in ms by which GitHub's clock is ahead of the local one, measured when GitHub rejects a JWT. */
  #clockOffsetMs = 0;

  constructor(options: AppClientOptions) {
    this.#options = options;
    this.#transport = new HttpTransport({ ...options, ...limits });
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  /**
   * Sends a request. Repeats it once with the time of GitHub's clock when GitHub rejects the JWT because of its time.
   * @throws AppError `provider_denied` when GitHub does not accept the JWT or the token; `provider_rate_limited`;
   * `provider_unavailable`.
   */
  async send<Schema extends TSchema>(
    request: AppRequest,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<AppResponse<Static<Schema>>> {
    let raw = await this.#exchange(request, signal);
    if (raw.status === 401 && request.token === undefined && this.#setClock(raw)) {
      raw = await this.#exchange(request, signal);
    }
    const { status, headers, text, redirect } = raw;
    if (redirect !== undefined) throw new Redirected(redirect);
    if (status === 401) throw request.token === undefined ? unknownApp() : refusedToken();
    if (isLimited(status, headers, text)) {
      const retryAt = retryTime(headers, this.#options.now());
      throw new AppError('provider_rate_limited', "GitHub's request budget of the App is used up for now.", {
        retryAt,
      });
    }
    if (refusals.has(status)) return { refusal: status };
    if (status >= 500) throw unavailable();
    if (status < 200 || status > 299) throw invalid('it is neither a yes nor a no');
    const { link } = headers;
    const place = request.path.replace(/\d+/g, 'ID').split('?', 1)[0] ?? '';
    return { data: checkPayload(schema, parseJson(text), place), link: typeof link === 'string' ? link : '' };
  }

  async #exchange({ method, path, body, token }: AppRequest, signal: AbortSignal): Promise<RawResponse> {
    const credential = token ?? (await this.#prove());
    const { apiUrl, restVersion } = this.#options;
    try {
      return await this.#transport.send(path === '/graphql' ? graphqlUrl(apiUrl) : `${apiUrl}${path}`, {
        method,
        headers: {
          ...restVersion.headers(),
          authorization: `Bearer ${credential}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body && JSON.stringify(body),
        signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      // The error's message may hold the request's headers or body.
      throw unavailable(withoutContent(error));
    }
  }

  #prove(): Promise<string> {
    const { app, now } = this.#options;
    const issuedAt = Math.floor((now().getTime() + this.#clockOffsetMs) / 1000) - proof.sinceS;
    return new SignJWT()
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(app.id)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + proof.forS)
      .sign(app.privateKey);
  }

  /**
   * Adopts the time of GitHub's clock from a response that rejects a JWT. GitHub does not say whether the time or the
   * key was wrong.
   * @returns false when the clocks agreed, so that a repeated request would be rejected again.
   */
  #setClock({ headers }: RawResponse): boolean {
    const hostTimeMs = typeof headers['date'] === 'string' ? Date.parse(headers['date']) : Number.NaN;
    if (Number.isNaN(hostTimeMs)) return false;
    const offsetMs = hostTimeMs - this.#options.now().getTime();
    const isOff = Math.abs(offsetMs - this.#clockOffsetMs) > (proof.sinceS * 1000) / 2;
    if (isOff) this.#clockOffsetMs = offsetMs;
    return isOff;
  }
}

export function unknownApp(): AppError {
  return new AppError(
    'provider_denied',
    'GitHub does not know the configured App: its id or its private key is wrong, the key was revoked, or the App was deleted.',
  );
}

function refusedToken(): AppError {
  return new AppError('provider_denied', "GitHub does not take the installation's token.");
}

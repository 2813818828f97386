import * as oauth from 'oauth4webapi';
import { AppError } from '../../errors.ts';
import type { BegunSignIn, SignIn } from '../sign-in.ts';
import { HttpTransport, type OnExchange } from './http-transport.ts';

/** The registration of the service as a client of the host. */
export interface OAuthClient {
  id: string;
  secret: string;
}

interface OAuthOptions {
  client: OAuthClient;
  /** The base URL of the host for people. */
  url: string;
  /** The name of the authorization server in its responses. */
  issuer: string;
  /** Paths below `url`. */
  paths: { authorize: string; token: string };
  /** Empty: the host gives the rights of the registration. With `openid` the host issues an ID token. */
  scope: string;
  connectTimeoutMs: number;
  onExchange?: OnExchange | undefined;
  now: () => Date;
}

const limits = { responseTimeoutMs: 10_000, maxResponseBytes: 256 * 1024 };

/** Signs people in by the authorization code flow of OAuth 2.1: with PKCE, a state, and the issuer's name (RFC 9207). */
export class OAuthSignIn implements SignIn {
  readonly origin: string;
  readonly #options: OAuthOptions;
  readonly #server: oauth.AuthorizationServer;
  readonly #transport: HttpTransport;

  constructor(options: OAuthOptions) {
    const { url, issuer, paths } = options;
    this.origin = new URL(url).origin;
    this.#options = options;
    this.#server = {
      issuer,
      authorization_endpoint: `${url}${paths.authorize}`,
      token_endpoint: `${url}${paths.token}`,
    };
    this.#transport = new HttpTransport({ ...options, ...limits });
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async begin({ redirectUrl, state, nonce, codeVerifier }: BegunSignIn): Promise<string> {
    const { client, scope, url, paths } = this.#options;
    const address = new URL(`${url}${paths.authorize}`);
    const parameters = {
      client_id: client.id,
      redirect_uri: redirectUrl,
      response_type: 'code',
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ...(scope !== '' && { scope }),
      ...(this.#isOpenId && { nonce }),
    };
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    return address.href;
  }

  async finish(begun: BegunSignIn, response: URLSearchParams, signal: AbortSignal): Promise<string> {
    const { client, now, url } = this.#options;
    const skewS = Math.round((now().getTime() - Date.now()) / 1000);
    const ourselves: oauth.Client = { client_id: client.id, [oauth.clockSkew]: skewS };
    try {
      const parameters = oauth.validateAuthResponse(this.#server, ourselves, response, begun.state);
      const reply = await oauth.authorizationCodeGrantRequest(
        this.#server,
        ourselves,
        oauth.ClientSecretPost(client.secret),
        parameters,
        begun.redirectUrl,
        begun.codeVerifier,
        {
          signal,
          // The operator chose the scheme of the host's address.
          [oauth.allowInsecureRequests]: url.startsWith('http:'),
          [oauth.customFetch]: (address, request) => this.#send(address, request),
        },
      );
      const tokens = await oauth.processAuthorizationCodeResponse(this.#server, ourselves, reply, {
        ...(this.#isOpenId && { expectedNonce: begun.nonce, requireIdToken: true }),
      });
      return tokens.access_token;
    } catch (error) {
      throw toAppError(error);
    }
  }

  get #isOpenId(): boolean {
    return this.#options.scope.split(' ').includes('openid');
  }

  async #send(
    address: string,
    { headers, body, signal }: oauth.CustomFetchOptions<'POST', URLSearchParams>,
  ): Promise<Response> {
    const sent = {
      method: 'POST',
      headers,
      body: body.toString(),
      signal: signal ?? new AbortController().signal,
    } as const;
    const { status, headers: received, text } = await this.#transport.send(address, sent);
    return new Response(text, { status, headers: { 'content-type': String(received['content-type'] ?? '') } });
  }
}

/** Returns the error of a failed sign-in without its cause, which may hold the code, the token or the client's secret. */
function toAppError(error: unknown): AppError {
  if (error instanceof oauth.AuthorizationResponseError) {
    return new AppError('forbidden', 'The sign-in was not permitted at the code host.');
  }
  if (error instanceof oauth.ResponseBodyError || error instanceof oauth.WWWAuthenticateChallengeError) {
    return new AppError('forbidden', 'The code host did not accept this sign-in. Begin it again.');
  }
  if (error instanceof oauth.OperationProcessingError) {
    return new AppError('invalid_input', 'The response of the code host does not fit this sign-in. Begin it again.');
  }
  return new AppError('provider_unavailable', 'The code host did not respond to the sign-in. Try it again soon.');
}

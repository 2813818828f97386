import * as oauth from 'oauth4webapi';
import { AppError } from '../../model/errors.ts';
import { toFields } from '../../model/fields.ts';
import type { BegunSignIn, SignIn } from '../interface/ownership.ts';
import { HttpTransport, type OnExchange, Redirected } from './http-transport.ts';

/**
 * The errors about the registration of this service, which its operator has to correct.
 * https://docs.github.com/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-authorization-request-errors
 * https://docs.github.com/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors
 * https://www.rfc-editor.org/rfc/rfc6749#section-5.2
 */
const ofRegistration = new Set([
  'application_suspended',
  'incorrect_client_credentials',
  'redirect_uri_mismatch',
  'invalid_client',
  'invalid_scope',
]);

/** The errors of the host itself. https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1 */
const ofHost = new Set(['server_error', 'temporarily_unavailable']);

/** The registration of the service as a client of the host. */
export interface OAuthClient {
  id: string;
  secret: string;
}

/** The authorization server of a host. */
export interface AuthorizationServer {
  /**
   * The names of the authorization server in its responses, the usual one first. A response of another server that uses
   * one of them does no harm: the state of a sign-in belongs to one host, and so does its callback address.
   */
  issuers: readonly [string, ...string[]];
  /** Paths below the base URL of the host for people. */
  paths: { authorize: string; token: string };
  /** Empty: the host gives the rights of the registration. With `openid` the host issues an ID token. */
  scope: string;
}

interface OAuthOptions extends AuthorizationServer {
  client: OAuthClient;
  /** The base URL of the host for people. */
  url: string;
  connectTimeoutMs: number;
  onExchange?: OnExchange | undefined;
  now: () => Date;
}

const limits = { responseTimeoutMs: 10_000, maxResponseBytes: 256 * 1024 };

/**
 * Signs people in by the authorization code flow of OAuth 2.1: with PKCE, a state, and the issuer's name (RFC 9207).
 */
export class OAuthSignIn implements SignIn {
  readonly origin: string;
  readonly #options: OAuthOptions;
  readonly #server: oauth.AuthorizationServer;
  readonly #transport: HttpTransport;

  constructor(options: OAuthOptions) {
    const { url, issuers, paths } = options;
    this.origin = new URL(url).origin;
    this.#options = options;
    this.#server = {
      issuer: issuers[0],
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
    const { client, now, url, issuers } = this.#options;
    const issuer = issuers.find((name) => name === response.get('iss')) ?? issuers[0];
    const server = { ...this.#server, issuer };
    const skewS = Math.round((now().getTime() - Date.now()) / 1000);
    const ourselves: oauth.Client = { client_id: client.id, [oauth.clockSkew]: skewS };
    try {
      const parameters = oauth.validateAuthResponse(server, ourselves, response, begun.state);
      const reply = await oauth.authorizationCodeGrantRequest(
        server,
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
      const tokens = await oauth.processAuthorizationCodeResponse(server, ourselves, reply, {
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
    const { status, headers: received, text, redirect } = await this.#transport.send(address, sent);
    if (redirect !== undefined) throw new Redirected(redirect);
    return new Response(text, {
      status: toStatus(status, text),
      headers: { 'content-type': String(received['content-type'] ?? '') },
    });
  }
}

/**
 * Returns the status of a response to a request for a token. GitHub sends errors with 200.
 * https://docs.github.com/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors
 */
function toStatus(status: number, text: string): number {
  return status === 200 && holdsError(text) ? 400 : status;
}

function holdsError(text: string): boolean {
  try {
    return typeof toFields(JSON.parse(text))['error'] === 'string';
  } catch {
    return false;
  }
}

/** Returns the error of a failed sign-in without its cause, which may hold the code, the token or the client's secret. */
function toAppError(error: unknown): AppError {
  if (error instanceof oauth.AuthorizationResponseError) {
    if (ofRegistration.has(error.error)) return misregistered(error.error);
    if (ofHost.has(error.error)) return unavailable();
    return new AppError('forbidden', 'The sign-in was not permitted at the code host.');
  }
  if (error instanceof oauth.ResponseBodyError) {
    if (isOfRegistration(error)) return misregistered(error.error);
    if (error.error === 'unverified_user_email') {
      return new AppError('forbidden', 'Verify your primary email address at the code host, then sign in again.');
    }
    return refused();
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError) return refused();
  if (error instanceof oauth.OperationProcessingError) {
    return new AppError('invalid_input', 'The response of the code host does not fit this sign-in. Begin it again.');
  }
  return unavailable(error instanceof Redirected ? error : undefined);
}

/** @param cause one that holds no secret, for the operator's log. */
function unavailable(cause?: Redirected): AppError {
  const message = 'The code host could not complete the sign-in. Try it again soon.';
  return new AppError('provider_unavailable', message, { cause });
}

/**
 * Gitea has one code for a wrong secret and for a wrong code (go-gitea/gitea, routers/web/auth/oauth2_provider.go,
 * handleAuthorizationCode).
 */
function isOfRegistration({ error, error_description: description = '' }: oauth.ResponseBodyError): boolean {
  return ofRegistration.has(error) || (error === 'unauthorized_client' && description.includes('client secret'));
}

/** @param code one of those that this file names, so that it may be shown. */
function misregistered(code: string): AppError {
  const message = `The registration of this service at the code host (${code}) does not fit. Its operator has to compare client ID, client secret and callback address.`;
  // An error with a cause is in the operator's log.
  return new AppError('forbidden', message, { cause: new Error(code) });
}

function refused(): AppError {
  return new AppError('forbidden', 'The code host did not accept this sign-in. Begin it again.');
}

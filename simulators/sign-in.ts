import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { SignJWT } from 'jose';
import type { TokenName } from './github/tokens.ts';

export interface SignInHost {
  url: string;
  paths: { authorize: string; token: string };
  /** True when it issues ID tokens. */
  isOpenId: boolean;
  /** The `iss` of its authorization responses (RFC 9207); absent: it sends none. */
  issuer?: string;
  /** The members of its token responses beside the token itself. */
  tokenMembers: Readonly<Record<string, string | number>>;
  /** The errors of its token endpoint, for a wrong client or secret, and for anything else. */
  errors: Readonly<Record<'client' | 'code', { status: number; error: string; description: string }>>;
}

type Shape = Pick<SignInHost, 'isOpenId' | 'tokenMembers' | 'errors'>;

/**
 * GitHub sends errors with status 200.
 * https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app
 * https://docs.github.com/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors
 */
export const gitHubSignIn: Shape = {
  isOpenId: false,
  tokenMembers: {
    token_type: 'bearer',
    scope: '',
    expires_in: 28_800,
    refresh_token: 'ghr_simulated',
    refresh_token_expires_in: 15_811_200,
  },
  errors: {
    client: {
      status: 200,
      error: 'incorrect_client_credentials',
      description: 'The client_id and/or client_secret passed are incorrect.',
    },
    code: { status: 200, error: 'bad_verification_code', description: 'The code passed is incorrect or expired.' },
  },
};

/** doorkeeper-gem/doorkeeper, lib/doorkeeper/oauth/token_response.rb, error_response.rb, config/locales/en.yml */
export const gitLabSignIn: Shape = {
  isOpenId: true,
  tokenMembers: {
    token_type: 'Bearer',
    scope: 'openid read_api',
    expires_in: 7200,
    refresh_token: 'simulated',
    created_at: 1_700_000_000,
  },
  errors: {
    client: {
      status: 401,
      error: 'invalid_client',
      description: 'Client authentication failed due to unknown client.',
    },
    code: { status: 400, error: 'invalid_grant', description: 'The provided authorization grant is invalid.' },
  },
};

/**
 * Gitea has one code for both errors.
 * go-gitea/gitea, routers/web/auth/oauth2_provider.go (handleAuthorizationCode), services/oauth2_provider/access_token.go
 */
export const giteaSignIn: Shape = {
  isOpenId: false,
  tokenMembers: { token_type: 'bearer', expires_in: 3600, refresh_token: 'simulated' },
  errors: {
    client: { status: 400, error: 'unauthorized_client', description: 'invalid client secret' },
    code: { status: 400, error: 'unauthorized_client', description: 'client is not authorized' },
  },
};

/**
 * The authorization server of a simulated host: the authorization code flow with PKCE (RFC 6749, 7636). The person at the
 * browser has approved the client before, so that the host sends the browser back at once.
 */
export class SignInServer {
  /** The token of the person at the browser. */
  person: TokenName = 'user';
  /** The error with which it sends the browser back instead of a code. */
  refusal: string | undefined;
  /** The `iss` of its authorization responses. */
  issuer: string | undefined;
  readonly client = { id: 'a-client', secret: 'a-client-secret-0123456789' };
  readonly #codes = new Map<string, { token: string; challenge: string; redirectUri: string; nonce: string | null }>();
  readonly #host: SignInHost;
  readonly #tokens: Record<TokenName, string>;

  constructor(host: SignInHost, tokens: Record<TokenName, string>) {
    this.#host = host;
    this.issuer = host.issuer;
    this.#tokens = tokens;
  }

  /** Responds to a request to the authorization server. @returns false for other requests. */
  async handle(request: IncomingMessage, response: ServerResponse, { pathname, searchParams }: URL): Promise<boolean> {
    const { authorize, token } = this.#host.paths;
    if (pathname === authorize && request.method === 'GET') this.#authorize(searchParams, response);
    else if (pathname === token && request.method === 'POST') {
      await this.#exchange(new URLSearchParams(await text(request)), response);
    } else return false;
    return true;
  }

  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const redirectUri = query.get('redirect_uri') ?? '';
    const isFit =
      query.get('client_id') === this.client.id &&
      query.get('response_type') === 'code' &&
      query.get('code_challenge_method') === 'S256' &&
      URL.canParse(redirectUri);
    if (!isFit) {
      response.writeHead(400).end('this client may not send such a request');
      return;
    }
    const back = new URL(redirectUri);
    if (this.refusal === undefined) {
      const code = randomBytes(10).toString('hex');
      const challenge = query.get('code_challenge') ?? '';
      this.#codes.set(code, { token: this.#tokens[this.person], challenge, redirectUri, nonce: query.get('nonce') });
      back.searchParams.set('code', code);
    } else {
      back.searchParams.set('error', this.refusal);
      back.searchParams.set('error_description', 'A sentence of the host.');
    }
    back.searchParams.set('state', query.get('state') ?? '');
    if (this.issuer !== undefined) back.searchParams.set('iss', this.issuer);
    response.writeHead(302, { location: back.href }).end();
  }

  async #exchange(form: URLSearchParams, response: ServerResponse): Promise<void> {
    const authorization = this.#codes.get(form.get('code') ?? '');
    this.#codes.delete(form.get('code') ?? '');
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isKnown = form.get('client_id') === this.client.id && form.get('client_secret') === this.client.secret;
    const isFit =
      form.get('grant_type') === 'authorization_code' &&
      form.get('redirect_uri') === authorization?.redirectUri &&
      verifier === authorization.challenge;
    if (!isKnown) return this.#refuse(response, 'client');
    if (!isFit) return this.#refuse(response, 'code');
    const { isOpenId, tokenMembers } = this.#host;
    const body = {
      access_token: authorization.token,
      ...tokenMembers,
      ...(isOpenId && { id_token: await this.#idToken(authorization.nonce) }),
    };
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
  }

  #refuse(response: ServerResponse, reason: 'client' | 'code'): void {
    const { status, error, description } = this.#host.errors[reason];
    response
      .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
      .end(JSON.stringify({ error, error_description: description }));
  }

  #idToken(nonce: string | null): Promise<string> {
    return new SignJWT({ ...(nonce !== null && { nonce }) })
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuer(this.#host.url)
      .setAudience(this.client.id)
      .setSubject(this.person)
      .setIssuedAt()
      .setExpirationTime('2m')
      .sign(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
  }
}

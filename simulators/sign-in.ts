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
  /** The status of its errors: GitHub sends 200, the others as RFC 6749 says. */
  errorStatus: 200 | 400;
}

/**
 * The authorization server of a simulated host: the authorization code flow with PKCE (RFC 6749, 7636). The person at the
 * browser has approved the client before, so that the host sends the browser back at once.
 */
export class SignInServer {
  /** The token of the person at the browser. */
  person: TokenName = 'user';
  readonly client = { id: 'a-client', secret: 'a-client-secret-0123456789' };
  readonly #codes = new Map<string, { token: string; challenge: string; redirectUri: string; nonce: string | null }>();
  readonly #host: SignInHost;
  readonly #tokens: Record<TokenName, string>;

  constructor(host: SignInHost, tokens: Record<TokenName, string>) {
    this.#host = host;
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
    const code = randomBytes(10).toString('hex');
    const challenge = query.get('code_challenge') ?? '';
    this.#codes.set(code, { token: this.#tokens[this.person], challenge, redirectUri, nonce: query.get('nonce') });
    const back = new URL(redirectUri);
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    response.writeHead(302, { location: back.href }).end();
  }

  async #exchange(form: URLSearchParams, response: ServerResponse): Promise<void> {
    const known = this.#codes.get(form.get('code') ?? '');
    this.#codes.delete(form.get('code') ?? '');
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isFit =
      form.get('client_id') === this.client.id &&
      form.get('client_secret') === this.client.secret &&
      form.get('grant_type') === 'authorization_code' &&
      form.get('redirect_uri') === known?.redirectUri &&
      verifier === known.challenge;
    if (!isFit) return this.#refuse(response);
    const { isOpenId } = this.#host;
    const body = {
      access_token: known.token,
      token_type: isOpenId ? 'Bearer' : 'bearer',
      scope: '',
      ...(isOpenId && { id_token: await this.#idToken(known.nonce) }),
    };
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
  }

  #refuse(response: ServerResponse): void {
    const { errorStatus } = this.#host;
    const error = errorStatus === 200 ? 'bad_verification_code' : 'invalid_grant';
    response
      .writeHead(errorStatus, { 'content-type': 'application/json; charset=utf-8' })
      .end(JSON.stringify({ error, error_description: 'The code passed is incorrect or expired.' }));
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

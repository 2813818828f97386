import type { Static, TSchema } from 'typebox';
import type { Actor } from '../../model/account.ts';
import { AppError } from '../../model/errors.ts';
import { unlessDenied } from '../interface/denied.ts';
import { isSameName, type Ownership } from '../interface/ownership.ts';
import type { Administers, Call } from '../interface/provider.ts';
import { BearerTransport } from '../transport/http-transport.ts';
import { readRetryAfter } from '../transport/limits.ts';
import { checkPayload, invalid, parsePayload, unavailable } from './checks.ts';
import { type ClientOptions, type Dialect, isLimited, type RestClient } from './client.ts';
import { tokenCalls } from './views.ts';

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

/** The claim of the bearer of a token to administer the organization of a name. */
export interface Claim {
  client: BearerClient;
  token: string;
  bearer: Actor;
  name: string;
  signal: AbortSignal;
}

/**
 * Returns a proof that the bearer of a token is the user of a name, or administers the organization of that name. The
 * bearer's name comes from the host. A claim of another user's name costs the same two requests as one of an unknown
 * name, so that the time taken does not reveal which of them exists. A name that the host does not allow is never sent.
 * @param host.administered finds the organization of a claim if the bearer administers it.
 */
export function proofByToken<User extends TSchema>(
  client: BearerClient,
  host: {
    isPossibleName: (name: string) => boolean;
    user: User;
    toActor: (user: Static<User> | null) => Actor | null;
    administered: (claim: Claim) => Promise<Actor | null>;
  },
): Ownership['prove'] {
  return async (token, name, signal) => {
    const user = host.toActor(await client.get(token, '/user', host.user, signal));
    if (user === null) throw new AppError('unauthenticated', 'The code host does not show the owner of this token.');
    const bearer = { externalId: user.externalId, name: user.name };
    if (!host.isPossibleName(name)) return { bearer, owned: null };
    if (isSameName(user.name, name)) return { bearer, owned: user };
    return { bearer, owned: await host.administered({ client, token, bearer: user, name, signal }) };
  };
}

/**
 * Checks with one configured token after the other until one of them can see whether a person administers an
 * organization.
 */
export async function withEachToken(
  client: RestClient,
  call: Call,
  check: (call: Call) => Promise<Administers>,
): Promise<Administers> {
  for (const tokenCall of tokenCalls(client, call)) {
    // The token may lack a scope, or the host refuse it.
    const response = await check(tokenCall).catch(unlessDenied('cannot_check'));
    if (response !== 'cannot_check') return response;
  }
  return 'cannot_check';
}

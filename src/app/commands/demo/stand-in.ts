import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { isThisMachine } from '../../../accounts/access/sessions/session.ts';
import { unreportedBy } from '../../../hosts/index.ts';
import type { Ownership, OwnershipProof, Provider } from '../../../hosts/interface/provider.ts';
import { OAuthSignIn } from '../../../hosts/transport/oauth.ts';
import type { Actor } from '../../../model/account.ts';
import { AppError } from '../../../model/errors.ts';

/** A person of the sample as whom a visitor of the demonstration can sign in. */
export interface StandInPerson {
  account: Actor;
  /** The organizations that the person administers. */
  administers: readonly Actor[];
}

/** The parameters of an authorization request with which the service sends a browser to the stand-in. */
export interface AuthorizationRequest {
  client_id: string;
  redirect_uri: string;
  state: string;
  code_challenge: string;
}

const callbackPath = '/sign-in/github/callback';
const maxCodes = 100;
const secretBytes = 20;

/**
 * A local stand-in for the code host of the demonstration: the authorization code flow with PKCE (RFC 6749, 7636), in
 * which a visitor chooses a person of the sample instead of entering a password. Its codes and tokens are random and
 * end with the process.
 */
export class StandIn {
  readonly paths = { authorize: '/login/oauth/authorize', token: '/login/oauth/access_token' };
  readonly client = { id: 'plaudit-demo', secret: randomSecret() };
  readonly people: readonly StandInPerson[];
  readonly #tokens: ReadonlyMap<string, StandInPerson>;
  readonly #codes = new Map<string, { person: StandInPerson; request: AuthorizationRequest }>();

  constructor(people: readonly StandInPerson[]) {
    this.people = people;
    this.#tokens = new Map(people.map((person) => [`demo_${randomSecret()}`, person]));
  }

  /** Returns the token of a person, which endpoint 5 accepts like one of the host. */
  findToken(person: StandInPerson): string {
    for (const [token, owner] of this.#tokens) if (owner === person) return token;
    throw new Error('the stand-in has no such person');
  }

  /**
   * Signs a person in.
   * @returns the address to which the browser is redirected.
   * @throws AppError `invalid_input` for an unknown person or request.
   */
  choose(name: string, request: AuthorizationRequest): string {
    this.requireOwn(request);
    const person = this.people.find(({ account }) => account.name === name);
    if (person === undefined) throw new AppError('invalid_input', 'The sample has no person of this name.');
    const [oldest] = this.#codes.keys();
    if (this.#codes.size >= maxCodes && oldest !== undefined) this.#codes.delete(oldest);
    const code = randomSecret();
    this.#codes.set(code, { person, request });
    const back = new URL(request.redirect_uri);
    back.searchParams.set('code', code);
    back.searchParams.set('state', request.state);
    return back.href;
  }

  /** @throws AppError `invalid_input` when the request does not come from the demonstration on this machine. */
  requireOwn({ client_id: id, redirect_uri: address, code_challenge: challenge }: AuthorizationRequest): void {
    const isOwn = id === this.client.id && challenge !== '' && URL.canParse(address) && isReturn(new URL(address));
    if (isOwn) return;
    throw new AppError('invalid_input', 'This page only serves the sign-in of its demonstration. Begin there.');
  }

  /**
   * Exchanges a code for the token of a person. A code works once.
   * @returns undefined when the code or another field of the form is wrong.
   */
  exchange(form: Readonly<Record<string, string>>): string | undefined {
    const { code = '', code_verifier: verifier = '', client_id: id, client_secret: secret = '' } = form;
    const known = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const isValid =
      known !== undefined &&
      id === this.client.id &&
      isSame(secret, this.client.secret) &&
      isSame(challenge, known.request.code_challenge) &&
      form['redirect_uri'] === known.request.redirect_uri;
    return isValid ? this.findToken(known.person) : undefined;
  }

  /**
   * Returns a provider with which the people of the sample sign in and prove ownership. The host checks other tokens.
   */
  replaceParts(provider: Provider, origin: string, now: () => Date): Provider {
    const { paths, client } = this;
    const signIn = new OAuthSignIn({
      client,
      url: origin,
      issuers: [origin],
      paths,
      scope: '',
      connectTimeoutMs: 2000,
      now,
    });
    const close = async (): Promise<void> => {
      await Promise.all([provider.close(), signIn.close()]);
    };
    // The sample was read with a token, which the demonstration does not have.
    const unreported = unreportedBy('github', true);
    return { ...provider, signIn, ownership: this.#toOwnership(provider.ownership), unreported, close };
  }

  #toOwnership(real: Ownership | undefined): Ownership {
    return {
      prove: async (credential, name, signal) => {
        const person = this.#tokens.get(credential);
        if (person !== undefined) return toProof(person, name);
        if (real === undefined) throw new AppError('unauthenticated', 'The host does not accept this token.');
        return real.prove(credential, name, signal);
      },
      administers: async (organization, person, call) => {
        const found = this.people.find(({ account }) => account.externalId === person);
        if (found === undefined) return (await real?.administers?.(organization, person, call)) ?? 'cannot_check';
        return found.administers.some(({ externalId }) => externalId === organization.externalId) ? 'yes' : 'no';
      },
    };
  }
}

function toProof({ account, administers }: StandInPerson, name: string): OwnershipProof {
  const wanted = name.toLowerCase();
  const owned = [account, ...administers].find((owner) => owner.name.toLowerCase() === wanted) ?? null;
  return { bearer: { externalId: account.externalId, name: account.name }, owned };
}

/** Returns whether an address is the callback of the demonstration, because codes must not be sent elsewhere. */
function isReturn({ protocol, hostname, pathname }: URL): boolean {
  return protocol === 'http:' && isThisMachine(hostname) && pathname === callbackPath;
}

function randomSecret(): string {
  return randomBytes(secretBytes).toString('base64url');
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

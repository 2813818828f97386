import { AppError } from '../../model/errors.ts';
import type { Call } from '../interface/call.ts';
import type { CredentialUse } from '../interface/credential-use.ts';
import { Backoff } from '../transport/backoff.ts';
import { Credential } from '../transport/credential.ts';
import { fingerprint, fixedSecret } from '../transport/secret.ts';
import { Slots } from '../transport/slots.ts';

/** The limits are low, because self-hosted code hosts are often small machines. */
const slotLimits = { all: 6, background: 3, waiting: 1000 };

/** A configured token, or its absence. */
export class Token extends Credential {
  /** Undefined: there is no token. */
  readonly value: string | undefined;

  constructor(value: string | undefined, host: { slots: Slots; backoff: Backoff }) {
    const [secret, name] = value === undefined ? [undefined, ''] : [fixedSecret(value), fingerprint(value)];
    super({ ...host, secret, name });
    this.value = value;
  }
}

/** The tokens of one host, which share its slots, and its backoff after a refusal. */
export class Credentials {
  readonly tokens: readonly Token[];
  readonly #anonymous: Token;

  constructor(secrets: readonly string[]) {
    const host = { slots: new Slots(slotLimits), backoff: new Backoff() };
    this.tokens = secrets.map((secret) => new Token(secret, host));
    this.#anonymous = secrets.length === 0 ? new Token(undefined, host) : new AnonymousBesideTokens(host);
  }

  uses(now: Date): CredentialUse[] {
    if (this.tokens.length === 0) return [{ kind: 'none', ...this.#anonymous.use(now) }];
    return this.tokens.map((token) => ({ kind: 'token', ...token.use(now) }));
  }

  /** Returns the tokens for a request in the order of the settings. */
  candidates({ credentialName }: Pick<Call, 'credentialName'>, isAnonymous: boolean): readonly Token[] {
    if (isAnonymous || (this.tokens.length === 0 && credentialName === undefined)) return [this.#anonymous];
    return this.tokens.filter((token) => credentialName === undefined || token.name === credentialName);
  }
}

/**
 * Requests without a token at a host that has tokens. Their refusals do not concern requests with a token, but they
 * wait while the host refuses all.
 */
class AnonymousBesideTokens extends Token {
  readonly #hostBackoff: Backoff;

  constructor({ slots, backoff }: { slots: Slots; backoff: Backoff }) {
    super(undefined, { slots, backoff: new Backoff() });
    this.#hostBackoff = backoff;
  }

  override freeAt(resource: string, urgency: Call['urgency'], now: Date): Date {
    const free = super.freeAt(resource, urgency, now);
    return free > this.#hostBackoff.until ? free : this.#hostBackoff.until;
  }
}

export function refused(): AppError {
  return new AppError('provider_denied', 'The code host does not accept the configured token.');
}

export function limited(retryAt: Date): AppError {
  return new AppError('provider_rate_limited', 'Rate limited by the code host. Retry later.', { retryAt });
}

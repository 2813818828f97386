import { AppError } from '../../model/errors.ts';
import { Redirected } from '../transport/http-transport.ts';

/** A rate limit that a host sets for a credential. */
export interface Quota {
  /** The host's name for the limited resource, such as `graphql`. */
  resource: string;
  unit: 'points' | 'requests';
  limit: number;
  remaining: number;
  resetAt: Date;
}

/** An action that a credential does not permit. */
export interface MissingPermission {
  /** The host's name for the permission, such as `read:issue`. */
  name: string;
  /** The data that the service cannot read without it, described for people. */
  neededFor: string;
  /** True when the service cannot read public data without it. */
  isRequired: boolean;
}

/**
 * The host's treatment of a credential. `accepted`: the host accepts it. `refused`: the host rejects it. `limited`: the
 * host refuses requests with it until `retryAt`. `unreachable`: the host sent no usable response.
 */
type CredentialState = 'accepted' | 'refused' | 'limited' | 'unreachable';

/** The current state of one credential at the host. The report never holds the credential itself. */
export interface CredentialReport {
  kind: 'none' | 'token' | 'app' | 'installation';
  /** A name for people, such as `token 1 of 2`. */
  label: string;
  /** The credential's name in stored private data that it shows; null: it shows nothing private. */
  credentialName: string | null;
  state: CredentialState;
  /** The reason why the state is not `accepted`, for people. */
  reason: string | null;
  retryAt: Date | null;
  /** The time until the first response, in ms; null: none came. */
  latencyMs: number | null;
  /** The account that the credential belongs to. */
  holder: string | null;
  /** The data that the credential shows; `unknown` where the host does not say. */
  sees: 'public' | 'private' | 'unknown';
  missing: MissingPermission[];
  expiresAt: Date | null;
  quotas: Quota[];
}

/** The current state of a host and of all credentials for it. */
export interface Diagnosis {
  /** The version of the host's software; null where it does not say. */
  version: string | null;
  /** The oldest version with everything that the service reads; absent: the version is not older, or unknown. */
  needs?: { version: string; because: string } | undefined;
  credentials: CredentialReport[];
}

/** The parts of a report that are known before the host is called. */
type Credential = Pick<CredentialReport, 'kind' | 'label' | 'credentialName'>;

/** Returns the report on a credential. An error of `examine` does not throw, but becomes the state of the report. */
export async function reportOn(
  credential: Credential,
  examine: () => Promise<Partial<CredentialReport>>,
): Promise<CredentialReport> {
  const blank: CredentialReport = {
    ...credential,
    state: 'accepted',
    reason: null,
    retryAt: null,
    latencyMs: null,
    holder: null,
    sees: credential.kind === 'none' ? 'public' : 'unknown',
    missing: [],
    expiresAt: null,
    quotas: [],
  };
  try {
    return { ...blank, ...(await examine()) };
  } catch (error) {
    return { ...blank, ...stateAfter(error) };
  }
}

/**
 * Returns a part of a report; undefined when the request to the host fails, so that the report lacks only this part.
 */
export async function orUnknown<Part>(part: Promise<Part>): Promise<Part | undefined> {
  return part.catch((error: unknown) => {
    if (error instanceof AppError) return undefined;
    throw error;
  });
}

/** Returns a label for a token. It shows the last 4 characters of the token, but none of a short token. */
export function tokenLabel(secret: string, index: number, count: number): string {
  const label = count === 1 ? 'the token' : `token ${index + 1} of ${count}`;
  return secret.length < shortestWithEnding ? label : `${label} (ends with ${secret.slice(-endingLength)})`;
}

const shortestWithEnding = 20;
const endingLength = 4;

function stateAfter(error: unknown): Pick<CredentialReport, 'state' | 'reason' | 'retryAt'> {
  if (!(error instanceof AppError)) return { state: 'unreachable', reason: 'does not respond in time', retryAt: null };
  const { code, message, retryAt = null, cause } = error;
  if (error instanceof Redirected) return { state: 'unreachable', reason: error.reason ?? message, retryAt: null };
  if (code === 'provider_denied') return { state: 'refused', reason: message, retryAt: null };
  if (code === 'provider_rate_limited') return { state: 'limited', reason: message, retryAt };
  const reason =
    code === 'provider_invalid_response' ? `sends a response that cannot be used (${message})` : formatReason(cause);
  return { state: 'unreachable', reason, retryAt: null };
}

/**
 * Reasons by the error codes of Node and OpenSSL: https://nodejs.org/api/errors.html and
 * https://nodejs.org/api/tls.html#x509-certificate-error-codes
 */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/^(ENOTFOUND|EAI_)/, 'has a name that cannot be resolved'],
  [/^ECONNREFUSED$/, 'refuses connections'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'breaks connections off'],
  [/^(EHOSTUNREACH|ENETUNREACH)$/, 'cannot be reached over the network'],
  [/TIMEOUT|TIMEDOUT/i, 'does not respond in time'],
  [/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME|ERR_TLS|ERR_SSL/, 'has a certificate that is not trusted'],
];

function formatReason(cause: unknown): string {
  if (!(cause instanceof Error)) return 'responds with an error of its own';
  const code = ('code' in cause && String(cause.code)) || cause.name;
  const known = reasons.find(([pattern]) => pattern.test(code) || pattern.test(cause.name));
  return known === undefined ? `cannot be called (${code})` : known[1];
}

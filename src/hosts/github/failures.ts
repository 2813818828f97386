import { type Static, Type } from 'typebox';
import { AppError } from '../../model/errors.ts';
import { toFields } from '../../model/fields.ts';
import { createChecks, parseClean } from '../http/checks.ts';
import { optional, type Refusal, type Refusals, toPointer } from '../http/tolerant.ts';
import type { Headers, RawResponse } from '../transport/http-transport.ts';

export const { checkPayload, parseJson, existing, invalid, unavailable } = createChecks('GitHub');

const GraphqlError = Type.Object({
  type: optional(Type.String()),
  message: optional(Type.String()),
  path: optional(Type.Array(Type.Union([Type.String(), Type.Integer()]))),
});
type GraphqlError = Static<typeof GraphqlError>;

/** The outer object of every GraphQL response. */
export const GraphqlResponse = Type.Object({
  data: Type.Optional(Type.Unknown()),
  errors: Type.Optional(Type.Array(GraphqlError)),
});

/**
 * The meaning of errors for a request. `none`: no error, or an object was not found. `later`: a repetition may succeed.
 * `too_heavy`: only smaller requests may succeed.
 */
type Trouble = 'none' | 'limited' | 'too_heavy' | 'later' | 'denied' | 'unknown';

/**
 * Messages about policies of organizations and about limits. They give the remedy, and name no repository or person.
 */
const publicMessages =
  /SAML enforcement|IP allow list|OAuth App access restrictions|Resource not accessible by|resource limits|something went wrong|required scopes/i;
const maxExplanation = 300;

/** The error for a request whose response GitHub cannot compute: it may succeed in smaller pieces, but not repeated. */
export class TooHeavy extends Error {}

/** The maximum number of different reasons that are named for one response. */
const maxReasons = 3;

export function denied(reason?: string): AppError {
  return new AppError('provider_denied', 'GitHub denies access with the configured token.', { reason });
}

/** Throws the error for a failed response; returns for `none` and `limited`, which the caller handles. */
export function throwTrouble(trouble: Trouble, query: string, reason: string): void {
  if (trouble === 'too_heavy') throw new TooHeavy();
  if (trouble === 'later') throw unavailable();
  if (trouble === 'denied') throw denied(reason);
  if (trouble === 'unknown') throw invalid(`${query} has errors`);
}

export function formatReasons(errors: readonly GraphqlError[], headers: Headers): string {
  const organizations = refusingOrganizations(headers['x-github-sso']);
  const reasons = errors.map((error) => explain(error, organizations)).filter((reason) => reason !== '');
  return [...new Set(reasons)].slice(0, maxReasons).join('; ');
}

/** Returns GitHub's message from a response with an error status. */
export function reasonIn({ text, headers }: RawResponse): string {
  const { message } = toFields(tryParse(text));
  return typeof message === 'string' ? formatReasons([{ message }], headers) : '';
}

function tryParse(text: string): unknown {
  try {
    return parseClean(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the worst of the errors that GitHub puts into responses with status 200. The types were seen in GitHub's
 * responses; the message decides only for an error without a type.
 */
export function classifyGraphqlErrors(errors: readonly GraphqlError[]): Trouble {
  const troubles = new Set(errors.map(classify));
  const order: Trouble[] = ['limited', 'too_heavy', 'later', 'denied', 'unknown'];
  return order.find((trouble) => troubles.has(trouble)) ?? 'none';
}

function classify({ type = '', message = '' }: GraphqlError): Trouble {
  if (type === 'NOT_FOUND') return 'none';
  if (type === 'RATE_LIMITED' || type === 'RATE_LIMIT' || /rate limit/i.test(message)) return 'limited';
  if (/RESOURCE_LIMITS|NODE_LIMIT|TIMEOUT|EXCESSIVE_PAGINATION/.test(type)) return 'too_heavy';
  if (/something went wrong while executing|timeout|timed out|resource limits/i.test(message)) return 'too_heavy';
  if (/SERVICE_UNAVAILABLE|INTERNAL/.test(type) || /something went wrong/i.test(message)) return 'later';
  if (type === 'FORBIDDEN' || type === 'INSUFFICIENT_SCOPES') return 'denied';
  return 'unknown';
}

/**
 * Finds the parts of a response that GitHub left empty with an error. An object that does not exist is null, which is a
 * valid response, so that an error `NOT_FOUND` counts only within lists, and where another part is missing because of
 * it.
 * @param organizations the organizations that refuse the credential, from a header; empty: the header names none.
 */
export function refusalsIn(data: unknown, errors: readonly GraphqlError[], organizations: string): Refusals {
  const refusals = new Map<string, Refusal>();
  for (const error of errors) {
    const { path = [] } = error;
    const trouble = classify(error);
    if (trouble === 'none' && isAbsence(data, path)) continue;
    const reason = trouble === 'denied' || trouble === 'none' ? 'refused' : 'unreadable';
    refusals.set(toPointer(path), { reason, explanation: explain(error, organizations) });
  }
  return refusals;
}

/** Returns whether an error `NOT_FOUND` says that the object at its path is absent, and no other part is. */
function isAbsence(data: unknown, path: readonly (string | number)[]): boolean {
  if (path.some((key) => typeof key === 'number')) return false;
  let holder = data;
  for (const key of path.slice(0, -1)) {
    if (typeof holder !== 'object' || holder === null) return false;
    holder = new Map<string, unknown>(Object.entries(holder)).get(String(key));
  }
  return holder !== null;
}

/**
 * Returns whether every error names the failed part. GitHub reports some exceeded limits without a path, together with
 * a number that is wrongly 0 (anuraghazra/github-readme-stats#4916): then no number can be trusted.
 */
export function areLocated(errors: readonly GraphqlError[]): boolean {
  return errors.every(({ path = [] }) => path.length > 0);
}

/** Returns GitHub's message if it contains no private data, otherwise the type of the error. */
function explain({ type = '', message = '' }: GraphqlError, organizations: string): string {
  if (!publicMessages.test(message)) return type;
  const suffix = /SAML/i.test(message) && organizations !== '' ? ` (organizations: ${organizations})` : '';
  return `${message.replaceAll(/https?:\/\/\S+/g, '').slice(0, maxExplanation)}${suffix}`;
}

/**
 * Reads the organizations that refuse a credential from the header `X-GitHub-SSO`, for example
 * `partial-results; organizations=1,2` or `required; url=https://github.com/orgs/NAME/sso?…`.
 * https://docs.github.com/rest/authentication/authenticating-to-the-rest-api
 */
export function refusingOrganizations(header: string | string[] | undefined): string {
  if (typeof header !== 'string') return '';
  const [, ids, name] = /organizations=([\d,]{1,200})|\/orgs\/([\w-]{1,39})\//.exec(header) ?? [];
  return ids ?? name ?? '';
}

export function isAboutIpAddress(explanation: string): boolean {
  return /IP allow list/i.test(explanation);
}

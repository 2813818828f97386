import { type Static, Type } from 'typebox';
import type { Refusal, Refusals } from '../http/tolerant.ts';
import { pointerOf } from '../http/tolerant.ts';

const GraphqlError = Type.Object({
  type: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  path: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Integer()]))),
});
export type GraphqlError = Static<typeof GraphqlError>;

/** The frame of every GraphQL response. */
export const GraphqlAnswer = Type.Object({
  data: Type.Optional(Type.Unknown()),
  errors: Type.Optional(Type.Array(GraphqlError)),
});

/** The meaning of errors for a request; `none` also where something was only not found, `later` where a repetition can help. */
export type Trouble = 'none' | 'limited' | 'too_heavy' | 'later' | 'denied' | 'unknown';

/**
 * Sorts the errors that GitHub puts into responses with status 200. The worst decides.
 * Kinds as seen in GitHub's responses; the wording is used only where there is no kind.
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
 * Finds the parts of a response that errors beside the data are about. A name without a bearer is null and an answer, so an
 * error `NOT_FOUND` counts within lists alone.
 * @param organizations the organizations that refuse the credential, as a header names them; empty: it does not.
 */
export function refusalsIn(errors: readonly GraphqlError[], organizations: string): Refusals {
  const refusals = new Map<string, Refusal>();
  for (const error of errors) {
    const { path = [] } = error;
    const trouble = classify(error);
    const isOfList = path.some((key) => typeof key === 'number');
    if (path.length === 0 || (trouble === 'none' && !isOfList)) continue;
    const reason = trouble === 'denied' || trouble === 'none' ? 'refused' : 'unreadable';
    refusals.set(pointerOf(path), { reason, explanation: explain(error, organizations) });
  }
  return refusals;
}

/**
 * Tells whether every error names the part that it is about. GitHub reports some exceeded limits without a path, beside a
 * number that reads 0 (anuraghazra/github-readme-stats#4916): then no number can be trusted.
 */
export function areLocated(errors: readonly GraphqlError[]): boolean {
  return errors.every(({ path = [] }) => path.length > 0);
}

/** Messages that name no repository and no person: reasons of organizations and limits, with the remedy. */
const publicMessages =
  /SAML enforcement|IP allow list|OAuth App access restrictions|Resource not accessible by|resource limits|something went wrong|required scopes/i;
const maxExplanation = 300;

/** Returns GitHub's own words where they hold no private data, else the kind of the error. */
export function explain({ type = '', message = '' }: GraphqlError, organizations: string): string {
  if (!publicMessages.test(message)) return type;
  const suffix = /SAML/i.test(message) && organizations !== '' ? ` (organizations: ${organizations})` : '';
  return `${message.replaceAll(/https?:\/\/\S+/g, '').slice(0, maxExplanation)}${suffix}`;
}

/**
 * Reads the organizations that refuse a credential from the header `X-GitHub-SSO`, which is
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

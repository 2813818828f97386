import { AppError } from '../../model/errors.ts';
import { parseClean } from '../http/checks.ts';
import type { Headers, RawResponse } from '../transport/http-transport.ts';
import { invalid, unavailable } from './checks.ts';
import { explain, type GraphqlError, refusingOrganizations, type Trouble } from './graphql-errors.ts';

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

export function reasonOf(errors: readonly GraphqlError[], headers: Headers): string {
  const organizations = refusingOrganizations(headers['x-github-sso']);
  const reasons = errors.map((error) => explain(error, organizations)).filter((reason) => reason !== '');
  return [...new Set(reasons)].slice(0, maxReasons).join('; ');
}

/** Returns GitHub's message from a response with an error status. */
export function reasonIn({ text, headers }: RawResponse): string {
  const { message }: { message?: unknown } = Object(tryParse(text));
  return typeof message === 'string' ? reasonOf([{ message }], headers) : '';
}

function tryParse(text: string): unknown {
  try {
    return parseClean(text);
  } catch {
    return undefined;
  }
}

import { AppError } from '../../errors.ts';
import type { Headers, RawAnswer } from '../http/client.ts';
import { invalid, unavailable } from './checks.ts';
import { explain, type GraphqlError, refusingOrganizations, type Trouble } from './graphql-errors.ts';

/** A request that GitHub can answer only in smaller pieces: repeating it as it is would fail again. */
export class TooHeavy extends Error {}

/** Different reasons of one response that are worth naming. */
const maxReasons = 3;

export function denied(reason?: string): AppError {
  return new AppError('provider_denied', 'GitHub denies access with the configured token.', { reason });
}

/** Throws the error that the errors of a response mean for the whole response. */
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

/** Reads GitHub's words from a refusal by status. */
export function reasonIn({ text, headers }: RawAnswer): string {
  const { message }: { message?: unknown } = Object(tryParse(text));
  return typeof message === 'string' ? reasonOf([{ message }], headers) : '';
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

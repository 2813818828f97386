import { Type } from 'typebox';
import { AppError, type ErrorCode, type Explanation } from '../../model/errors.ts';

/** An error as the API returns it. */
export interface Problem {
  status: number;
  body: { error: { code: number; type: string; message: string } };
  headers: Record<string, string>;
  /** The message for readers of an image; absent where only the English message exists. */
  explanations?: readonly Explanation[];
}

/** The numbers of errors in the API. */
const numbers = {
  unknown: 0,
  missingField: 1,
  noData: 2,
  format: 3,
  unauthenticated: 4,
  forbidden: 5,
  rateLimited: 6,
  providerUnavailable: 7,
  methodNotAllowed: 8,
  payloadTooLarge: 9,
  conflict: 10,
} as const;

export const ProblemSchema = Type.Object(
  {
    error: Type.Object({
      code: Type.Integer({
        description:
          '0 unknown, 1 missing required field, 2 no data, 3 format error, 4 unauthenticated, 5 forbidden, ' +
          '6 rate limited, 7 provider unavailable, 8 method not allowed, 9 payload too large, 10 conflict.',
        minimum: 0,
        maximum: Math.max(...Object.values(numbers)),
        examples: [numbers.noData],
      }),
      type: Type.String({ description: 'The kind of error, for programs.', examples: ['not_found'] }),
      message: Type.String({
        description: 'The cause and the way out, for people.',
        examples: ['There is no such account on this provider.'],
      }),
    }),
  },
  { title: 'Problem' },
);

/** The `Retry-After` of an error that does not say when a retry can help. */
const defaultRetryAfterS = 30;
const unavailableRetryAfterS = 5;

/** Converts any failure into the error that a caller may see. */
export function toProblem(error: unknown, now: Date): Problem {
  if (!(error instanceof AppError)) {
    return problem(500, numbers.unknown, 'internal_error', 'Something went wrong on our side; it has been logged.');
  }
  const { status, number } = responses[error.code];
  const headers = toHeaders(error, status, now);
  return { ...problem(status, number, error.code, error.message, headers), explanations: findExplanations(error) };
}

const hostUnavailable: readonly Explanation[] = [{ phrase: 'hostUnavailable' }];

/** The explanations of errors that hosts cause, which do not depend on the request. */
const hostExplanations: Readonly<Partial<Record<ErrorCode, readonly Explanation[]>>> = {
  provider_unavailable: hostUnavailable,
  provider_denied: hostUnavailable,
  provider_invalid_response: hostUnavailable,
  provider_rate_limited: [{ phrase: 'hostLimited' }],
};

function findExplanations({ code, explanations }: AppError): readonly Explanation[] {
  return explanations.length > 0 ? explanations : (hostExplanations[code] ?? []);
}

export function methodNotAllowed(allowed: readonly string[]): Problem {
  const message = `This address answers only ${allowed.join(', ')}.`;
  return problem(405, numbers.methodNotAllowed, 'method_not_allowed', message, { allow: allowed.join(', ') });
}

/** Returns the error for a request with an `Expect` header that the service does not know. */
export function expectationFailed(): Problem {
  const message = 'The only value of Expect that is met here is 100-continue.';
  return problem(417, numbers.format, 'expectation_failed', message);
}

/**
 * Returns the error for a temporary failure of this service. By default, the database is unreachable or does not respond in time.
 */
export function unavailable(message = 'The service cannot reach its database just now.'): Problem {
  const headers = { 'retry-after': String(unavailableRetryAfterS) };
  return problem(503, numbers.unknown, 'unavailable', message, headers);
}

export function payloadTooLarge(message: string, status: 413 | 431 = 413): Problem {
  return problem(status, numbers.payloadTooLarge, 'payload_too_large', message);
}

/** Returns the error for a request whose headers or body did not arrive in time. */
export function tooSlow(now: Date): Problem {
  return toProblem(new AppError('too_slow', 'The request did not arrive in time.'), now);
}

function problem(
  status: number,
  code: number,
  type: string,
  message: string,
  headers: Record<string, string> = {},
): Problem {
  return { status, body: { error: { code, type, message } }, headers };
}

const responses: Record<ErrorCode, { status: number; number: number }> = {
  missing_field: { status: 400, number: numbers.missingField },
  invalid_input: { status: 400, number: numbers.format },
  unauthenticated: { status: 401, number: numbers.unauthenticated },
  forbidden: { status: 403, number: numbers.forbidden },
  not_found: { status: 404, number: numbers.noData },
  conflict: { status: 409, number: numbers.conflict },
  payload_too_large: { status: 413, number: numbers.payloadTooLarge },
  too_slow: { status: 408, number: numbers.unknown },
  overloaded: { status: 503, number: numbers.unknown },
  rate_limited: { status: 429, number: numbers.rateLimited },
  provider_rate_limited: { status: 429, number: numbers.rateLimited },
  provider_unavailable: { status: 503, number: numbers.providerUnavailable },
  provider_denied: { status: 502, number: numbers.providerUnavailable },
  provider_invalid_response: { status: 502, number: numbers.providerUnavailable },
  misconfigured: { status: 500, number: numbers.unknown },
};

function toHeaders(error: AppError, status: number, now: Date): Record<string, string> {
  if (status === 401) return { 'www-authenticate': 'Bearer' };
  // The rest of the request may still arrive, and would be read as another one.
  if (status === 408) return { connection: 'close' };
  if (status !== 429 && status !== 502 && status !== 503) return {};
  const seconds = error.retryAt === undefined ? defaultRetryAfterS : secondsUntil(error.retryAt, now);
  return { 'retry-after': String(seconds) };
}

/** Returns the whole seconds until a time, for `Retry-After`; at least 1. */
export function secondsUntil(time: Date, now: Date): number {
  return Math.max(1, Math.ceil((time.getTime() - now.getTime()) / 1000));
}

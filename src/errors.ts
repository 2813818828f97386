/**
 * The closed set of ways in which a request or a job can fail.
 *
 * Told apart by `code`; `message` may be shown to anybody, so it never carries a secret, a stack, an upstream body or a
 * file path. The cause stays inside, for the log.
 */
export type ErrorCode =
  | 'invalid_input'
  | 'missing_field'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'rate_limited'
  | 'provider_rate_limited'
  | 'provider_unavailable'
  | 'provider_denied'
  | 'provider_invalid_response'
  | 'misconfigured';

export class AppError extends Error {
  readonly code: ErrorCode;
  /** When asking again can help; only where that is known. */
  readonly retryAt: Date | undefined;
  /** The host's own words, without private data: for the operator and the owner, never for other callers. */
  readonly reason: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; retryAt?: Date | undefined; reason?: string | undefined } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.retryAt = options.retryAt;
    this.reason = options.reason;
  }
}

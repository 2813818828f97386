/**
 * The closed set of ways in which a request or a job can fail.
 *
 * `code` distinguishes them; `message` may be shown to any caller, so it never carries a secret, a stack, an upstream
 * body or a file path. The cause is only for the log.
 */
export type ErrorCode =
  | 'invalid_input'
  | 'missing_field'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'payload_too_large'
  | 'too_slow'
  | 'rate_limited'
  | 'overloaded'
  | 'provider_rate_limited'
  | 'provider_unavailable'
  | 'provider_denied'
  | 'provider_invalid_response'
  | 'misconfigured';

/** The phrases in which an image says the cause of an error, in the reader's language. */
type ProblemPhrase =
  | 'didYouMean'
  | 'oneOf'
  | 'notCounted'
  | 'integerBetween'
  | 'colour'
  | 'atMostLetters'
  | 'noAccount'
  | 'noRepository'
  | 'noProvider'
  | 'hostUnavailable'
  | 'hostLimited'
  | 'needsToken';

/** A sentence of an error: a phrase, and the values of its placeholders. */
export interface Explanation {
  phrase: ProblemPhrase;
  values?: Readonly<Record<string, string>>;
}

/** The field of a body that caused an error. */
interface FieldFault {
  /** As the API calls the field, such as `data.key`. */
  name: string;
  /** The rest of a sentence that begins with the name, such as `must be a text.` */
  fault: string;
}

export class AppError extends Error {
  readonly code: ErrorCode;
  /** The time from which a retry can help; only where it is known. */
  readonly retryAt: Date | undefined;
  /** The host's own message, without private data: for the operator and the owner, never for other callers. */
  readonly reason: string | undefined;
  /** The message for readers of an image; empty where only the English message exists. */
  readonly explanations: readonly Explanation[];
  /** The field of the body at fault, for forms that call it by another name. */
  readonly field: FieldFault | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      cause?: unknown;
      retryAt?: Date | undefined;
      reason?: string | undefined;
      explanations?: readonly Explanation[];
      field?: FieldFault;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.retryAt = options.retryAt;
    this.reason = options.reason;
    this.explanations = options.explanations ?? [];
    this.field = options.field;
  }
}

/** Returns the error of a field of a body. @param fault the rest of a sentence that begins with the field. */
export function fieldError(name: string, fault: string, subject: string = name): AppError {
  return new AppError('invalid_input', `${subject} ${fault}`, { field: { name, fault } });
}

/** The longest target of a redirect that is shown, in characters. */
const maxTargetLength = 300;

/**
 * Returns the reason of an error for a redirect that is not followed. It leaves out user, query and fragment of the
 * target: sign-in pages receive states and tokens there. Undefined: the location is no address.
 */
export function formatRedirect(location: unknown, from: string): string | undefined {
  const target = typeof location === 'string' ? URL.parse(location, from) : null;
  if (target === null) return undefined;
  return `redirects to ${`${target.protocol}//${target.host}${target.pathname}`.slice(0, maxTargetLength)}`;
}

/** Returns the text of a failure for people: the message of an expected one, the stack of others. */
export function describeFailure(error: unknown): string {
  if (error instanceof AppError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/**
 * Returns the error about a parameter of a window.
 * @param nearest the parameter and its nearest valid value.
 */
export function invalid(message: string, nearest?: { name: string; meant: string }): AppError {
  if (nearest === undefined) return new AppError('invalid_input', message);
  const { name, meant } = nearest;
  return new AppError('invalid_input', `${name}: did you mean ${meant}? ${message}`, {
    explanations: [{ phrase: 'didYouMean', values: { name, meant } }],
  });
}

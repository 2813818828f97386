import { AppError } from '../errors.ts';

/** Returns whether an error says that the host refused a request, for example because the token is revoked. */
export function isDenied(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'provider_denied';
}

/** Returns a handler that turns a refusal into a value, and throws other errors. */
export function unlessDenied<const Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (isDenied(error)) return value;
    throw error;
  };
}

import { AppError } from '../../model/errors.ts';

/** Returns the error that stops a start. The message names the setting and never its value. */
export function misconfigured(message: string, cause?: unknown): AppError {
  return new AppError('misconfigured', message, { cause });
}

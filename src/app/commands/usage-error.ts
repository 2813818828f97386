import { AppError } from '../../model/errors.ts';

/** The failure of a command whose arguments do not fit it, before it does anything. The process ends with status 2. */
export class UsageError extends AppError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super('invalid_input', message, options);
  }
}

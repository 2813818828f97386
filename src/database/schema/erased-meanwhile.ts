import { AppError } from '../../model/errors.ts';
import { toFields } from '../../model/fields.ts';

const foreignKeyViolation = '23503';
/** The names of all foreign keys to accounts, which PostgreSQL forms from the columns. */
const keyToAccount = /_(?:account|owner)_id_fkey$/;

/** Returns the error of a request that stores something for an account that is erased meanwhile. */
export function erasedMeanwhile(): AppError {
  return new AppError('not_found', 'The account was erased meanwhile.', { explanations: [{ phrase: 'noAccount' }] });
}

/**
 * Returns whether a statement failed because it refers to an account that has been erased. Requests find their account
 * before they write, and nothing keeps an erasure from ending in between.
 */
export function refersToErased(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, constraint } = toFields(error);
  return code === foreignKeyViolation && typeof constraint === 'string' && keyToAccount.test(constraint);
}

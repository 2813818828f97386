import { AppError } from '../errors.ts';

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

import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { AppError } from '../../errors.ts';
import { checksOf } from '../http/checks.ts';

export const { checkPayload, parseJson, invalid, unavailable } = checksOf('The code host');

/** @throws AppError `not_found` when the host does not show the repository. */
export function existing<Node>(node: Node | null): Node {
  if (node === null) throw new AppError('not_found', 'The code host does not show this repository any more.');
  return node;
}

/**
 * Parses the position in a list.
 * @throws AppError `provider_invalid_response`, so that the list is read again from its start.
 */
export function readCursor<Schema extends TSchema>(schema: Schema, cursor: string): Static<Schema> {
  try {
    return Value.Parse(schema, JSON.parse(cursor));
  } catch {
    throw invalid('a list cannot be gone on with');
  }
}

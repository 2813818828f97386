import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { checksOf } from '../http/checks.ts';

export const { checkPayload, parseJson, existing, invalid, unavailable } = checksOf('The code host');

/**
 * Parses the position in a list.
 * @throws AppError `provider_invalid_response`, so that the list is read again from its start.
 */
export function readCursor<Schema extends TSchema>(schema: Schema, cursor: string): Static<Schema> {
  try {
    return Value.Parse(schema, JSON.parse(cursor));
  } catch {
    throw invalid('the position in a list cannot be read');
  }
}

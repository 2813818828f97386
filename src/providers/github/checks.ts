import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { AppError } from '../../errors.ts';

const compiled = new WeakMap<TSchema, Validator>();

/**
 * Makes sure that a payload has the fields that are used.
 * @throws AppError `provider_invalid_response` that names the place of the first fault.
 */
export function checkPayload<Schema extends TSchema>(schema: Schema, payload: unknown, what: string): Static<Schema> {
  const validator = compiled.get(schema) ?? Compile(schema);
  compiled.set(schema, validator);
  const isAsExpected = (value: unknown): value is Static<Schema> => validator.Check(value);
  if (isAsExpected(payload)) return payload;
  const path = validator.Errors(payload)[0]?.instancePath || '/';
  throw new AppError(
    'provider_invalid_response',
    `GitHub's answer cannot be used: ${what} is not as expected at ${path}.`,
  );
}

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
  throw invalid(`${what} is not as expected at ${validator.Errors(payload)[0]?.instancePath || '/'}`);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('not JSON');
  }
}

export function invalid(what: string): AppError {
  return new AppError('provider_invalid_response', `The code host's answer cannot be used: ${what}.`);
}

export function unavailable(cause?: unknown): AppError {
  return new AppError('provider_unavailable', 'The code host cannot be reached, or does not answer.', { cause });
}

/** @throws AppError `not_found` for what is not shown. */
export function existing<Node>(node: Node | null): Node {
  if (node === null) throw new AppError('not_found', 'The code host does not show this repository any more.');
  return node;
}

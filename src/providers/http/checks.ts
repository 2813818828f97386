import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { AppError } from '../../errors.ts';

const compiled = new WeakMap<TSchema, Validator>();

/** What an answer must be, and how it is told that it is not. */
export interface Checks {
  /**
   * Makes sure that a payload has the fields that are used.
   * @throws AppError `provider_invalid_response` that names the place of the first fault.
   */
  checkPayload: <Schema extends TSchema>(schema: Schema, payload: unknown, what: string) => Static<Schema>;
  /** @throws AppError `provider_invalid_response`. */
  parseJson: (text: string) => unknown;
  invalid: (what: string, cause?: unknown) => AppError;
  unavailable: (cause?: unknown) => AppError;
}

/** @param host what it is called where it begins a sentence. */
export function checksOf(host: string): Checks {
  const invalid = (what: string, cause?: unknown): AppError =>
    new AppError('provider_invalid_response', `${host}'s answer cannot be used: ${what}.`, { cause });
  return {
    checkPayload: <Schema extends TSchema>(schema: Schema, payload: unknown, what: string): Static<Schema> => {
      if (isOf(schema, payload)) return payload;
      throw invalid(`${what} is not as expected at ${faultIn(schema, payload) || '/'}`);
    },
    parseJson: (text) => {
      try {
        return JSON.parse(text);
      } catch (cause) {
        throw invalid('not JSON', cause);
      }
    },
    invalid,
    unavailable: (cause) =>
      new AppError('provider_unavailable', `${host} cannot be reached, or does not answer.`, { cause }),
  };
}

/**
 * Makes sure that a delivery is as it is documented.
 * @throws AppError `invalid_input` that names the place.
 */
export function checkDelivered<Schema extends TSchema>(schema: Schema, payload: unknown, host: string): Static<Schema> {
  if (isOf(schema, payload)) return payload;
  const place = faultIn(schema, payload) || 'the top';
  throw new AppError('invalid_input', `The payload is not as ${host} documents it, at ${place}.`);
}

function isOf<Schema extends TSchema>(schema: Schema, payload: unknown): payload is Static<Schema> {
  return validatorOf(schema).Check(payload);
}

/** @returns the place of the first fault, a JSON pointer; empty for the top. */
function faultIn(schema: TSchema, payload: unknown): string {
  return validatorOf(schema).Errors(payload)[0]?.instancePath ?? '';
}

function validatorOf(schema: TSchema): Validator {
  const validator = compiled.get(schema) ?? Compile(schema);
  compiled.set(schema, validator);
  return validator;
}

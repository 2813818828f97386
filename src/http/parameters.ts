import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { AppError } from '../errors.ts';

/** The parts of a parameter's JSON Schema that are read here. */
interface ParameterSchema {
  type?: string;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  /** The description, for people, of a text that has to match a pattern. */
  'x-expected'?: string;
}

/**
 * Returns a reader for the parameters of a route's URLs, made from their TypeBox object. It ignores parameters that are
 * not declared, because people add some to get past caches. It throws AppError `invalid_input`, naming the parameter
 * and the valid values.
 */
export function parameterReader(schema: TSchema): (given: unknown) => Record<string, unknown> {
  const declared = Object.entries<TSchema>('properties' in schema ? Object(schema.properties) : {}).map(
    ([name, property]) => ({ name, property: property as ParameterSchema, compiled: Compile(property) }),
  );
  return (given) => {
    const texts = new Map<string, unknown>(Object.entries(Object(given)));
    const values: Record<string, unknown> = {};
    for (const { name, property, compiled } of declared) {
      if (!texts.has(name)) continue;
      const value = toValue(texts.get(name), property);
      if (!compiled.Check(value)) throw new AppError('invalid_input', `${name} must be ${expectation(property)}.`);
      values[name] = value;
    }
    return values;
  };
}

/**
 * Returns a reader for a route's body, made from its TypeBox object. It throws AppError `missing_field` or
 * `invalid_input`, naming the field and the valid values.
 */
export function bodyReader(schema: TSchema): (given: unknown) => unknown {
  const compiled = Compile(schema);
  return (given) => {
    if (compiled.Check(given)) return given;
    const [fault] = compiled.Errors(given);
    const place = fault?.instancePath.slice(1).replaceAll('/', '.') ?? '';
    const missing = fault?.keyword === 'required' ? fault.params.requiredProperties.join(', ') : undefined;
    const prefix = place === '' ? '' : `${place}.`;
    if (missing !== undefined) throw new AppError('missing_field', `The body must have ${prefix}${missing}.`);
    throw new AppError(
      'invalid_input',
      `${place === '' ? 'The body' : `${place} of the body`} ${fault?.message ?? 'is not as documented'}.`,
    );
  };
}

/**
 * Converts the text of a parameter; undefined when it cannot be of the type. A parameter that is given twice is a list,
 * which is of no type.
 */
function toValue(text: unknown, { type }: ParameterSchema): unknown {
  if (typeof text !== 'string') return undefined;
  if (type === 'integer') return /^-?(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : undefined;
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : undefined);
  return text;
}

function expectation(schema: ParameterSchema): string {
  const { type, enum: choices, minimum, maximum, maxLength, 'x-expected': expected } = schema;
  if (expected !== undefined) return `given once, and ${expected}`;
  if (choices !== undefined) return `given once, and one of ${choices.join(', ')}`;
  if (type === 'integer') return `given once, and an integer from ${minimum ?? 0} to ${maximum ?? 'any'}`;
  if (type === 'boolean') return 'given once, and true or false';
  return `given once, and text of at most ${maxLength ?? 1000} characters`;
}

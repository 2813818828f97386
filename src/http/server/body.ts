import type { Static, TSchema } from 'typebox';
import { AppError, fieldError } from '../../model/errors.ts';
import { findControlCharacter, nearest } from '../../model/text.ts';
import { matches, toValidator } from '../pipeline/parameters.ts';

/** The parts of a JSON Schema that error messages use. */
interface Shape {
  type?: string;
  enum?: readonly unknown[];
  anyOf?: readonly Shape[];
  properties?: Record<string, Shape>;
  items?: Shape;
}

/** A fault that the validator reports: where it is, and which rule is not met. */
interface Fault {
  keyword: string;
  /** JSON pointer of the value. */
  instancePath: string;
  params: object;
  message?: string;
}

/**
 * Returns a reader for a route's body, made from its TypeBox object. The reader throws AppError `missing_field` or
 * `invalid_input`, naming the field and the valid values.
 */
export function bodyReader<Schema extends TSchema>(schema: Schema): (body: unknown) => Static<Schema> {
  const compiled = toValidator(schema);
  return (body) => {
    if (matches(schema, body)) {
      refuseControlCharacters(body, []);
      return body;
    }
    const faults: readonly Fault[] = compiled.Errors(body);
    throw missingField(faults) ?? unknownField(schema, faults) ?? wrongValue(schema, faults);
  };
}

/**
 * Refuses texts with characters that are not stored as they are: a reason that loses one is not what its author sent.
 * @throws AppError `invalid_input` that names the field.
 */
function refuseControlCharacters(part: unknown, keys: readonly string[]): void {
  if (typeof part === 'string') {
    const found = findControlCharacter(part);
    const name = fieldName(keys);
    if (found !== undefined) throw fieldError(name, `must not contain the character ${found}.`, `${name} of the body`);
  } else if (typeof part === 'object' && part !== null) {
    for (const [key, inner] of Object.entries(part)) refuseControlCharacters(inner, [...keys, cleaned(key)]);
  }
}

function missingField(faults: readonly Fault[]): AppError | undefined {
  const fault = faults.find(({ keyword }) => keyword === 'required');
  if (fault === undefined) return undefined;
  const { requiredProperties }: { requiredProperties?: string[] } = fault.params;
  const names = (requiredProperties ?? []).map((name) => fieldName([...toKeys(fault), name]));
  const [name = ''] = names;
  return new AppError('missing_field', `The body must have ${names.join(', ')}.`, {
    field: { name, fault: 'is missing.' },
  });
}

function unknownField(schema: TSchema, faults: readonly Fault[]): AppError | undefined {
  const fault = faults.find(({ keyword }) => keyword === 'additionalProperties');
  if (fault === undefined) return undefined;
  const { additionalProperties: [name = ''] = [] }: { additionalProperties?: string[] } = fault.params;
  const known = Object.keys(shapeAt(schema, toKeys(fault))?.properties ?? {});
  const meant = nearest(name, known);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  const field = fieldName([...toKeys(fault), cleaned(name)]);
  return new AppError('invalid_input', `The body has no field ${field}.${hint} Its fields are: ${known.join(', ')}.`);
}

/** Describes the outermost fault, because the faults that each member of a union reports contradict one another. */
function wrongValue(schema: TSchema, faults: readonly Fault[]): AppError {
  const fault = faults.toSorted((one, other) => one.instancePath.length - other.instancePath.length)[0];
  const keys = fault === undefined ? [] : toKeys(fault);
  const shape = shapeAt(schema, keys);
  const isOfOtherType = fault?.keyword === 'type' || fault?.keyword === 'anyOf' || fault?.keyword === 'enum';
  const expected = isOfOtherType && shape !== undefined ? describe(shape) : fault?.message?.replace(/^must /, '');
  const rule = `must ${isOfOtherType ? 'be ' : ''}${expected ?? 'be as documented'}.`;
  if (keys.length === 0) return new AppError('invalid_input', `The body ${rule}`);
  const name = fieldName(keys);
  return fieldError(name, rule, `${name} of the body`);
}

/** Names a type, or a list of values, in words. */
function describe({ type, enum: choices, anyOf, properties }: Shape): string {
  if (choices !== undefined) return `one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`;
  if (anyOf !== undefined) return [...new Set(anyOf.map(describe))].join(' or ');
  if (type === 'object' && properties !== undefined)
    return `a JSON object with the fields ${Object.keys(properties).join(', ')}`;
  if (type === 'boolean') return 'true or false';
  if (type === 'string') return 'a text';
  return type === 'integer' || type === 'array' || type === 'object' ? `an ${type}` : `a ${type ?? 'value'}`;
}

function shapeAt(schema: Shape, keys: readonly string[]): Shape | undefined {
  let shape: Shape | undefined = schema;
  for (const key of keys) shape = shape?.properties?.[key] ?? shape?.items;
  return shape;
}

function toKeys({ instancePath }: Fault): string[] {
  return instancePath.split('/').slice(1);
}

function fieldName(keys: readonly string[]): string {
  return keys.join('.');
}

/** Shortens a name that a caller chose, and removes all but visible letters. */
function cleaned(name: string): string {
  return name.replace(/[^\w.-]/g, '').slice(0, 50);
}

import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { AppError, type Explanation } from '../../model/errors.ts';
import { toFields } from '../../model/fields.ts';
import { nearest } from '../../model/text.ts';
import { imagesKey, isImageFormat } from './images.ts';

const validators = new WeakMap<TSchema, Validator>();

/** The parts of the JSON Schema of a route's parameters that are read here. */
interface ParametersSchema {
  properties?: Record<string, ParameterSchema>;
  [imagesKey]?: 'always' | 'by format';
}

/** The parts of a parameter's JSON Schema that are read here. */
interface ParameterSchema {
  type?: string;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  /** Describes, for error messages, a value that has to match a pattern. */
  'x-expected'?: string;
  /** The same for images, which show it in the reader's language; absent: they show the error message. */
  'x-explanation'?: Explanation;
  /** Set where the letter case does not matter: the value is read in lower case. */
  'x-lower-case'?: boolean;
  /** Set for names of accounts: a colon stands for the slash of a group below another. */
  'x-colons'?: boolean;
  /** Set for languages: only the first part of a language tag is read, `pt` of `pt-BR`. */
  'x-language'?: boolean;
}

/**
 * Returns a reader for the parameters of a route's URLs, made from their TypeBox object. The reader ignores parameters
 * that are not declared, because people add some to get past caches. In URLs of images the reader rejects names that
 * look like a misspelled declared one, because an image cannot show otherwise that a parameter had no effect. The
 * reader throws AppError `invalid_input`, naming the parameter and the valid values.
 */
export function parameterReader(schema: TSchema): (parameters: unknown) => Record<string, unknown> {
  const { properties = {}, [imagesKey]: images }: ParametersSchema = schema;
  const declared = Object.entries(properties).map(([name, property]) => ({
    name,
    property,
    compiled: toValidator(property),
  }));
  const names = declared.map(({ name }) => name);
  return (sent) => {
    const texts = new Map<string, unknown>(Object.entries(toFields(sent)));
    const values: Record<string, unknown> = {};
    if (images === 'always' || (images === 'by format' && isImageFormat(texts.get('format')))) {
      rejectMisspelled(texts.keys(), names);
    }
    for (const { name, property, compiled } of declared) {
      if (!texts.has(name)) continue;
      const value = toValue(texts.get(name), property);
      if (!compiled.Check(value)) throw invalidValue(name, property, texts.get(name));
      values[name] = value;
    }
    return values;
  };
}

/**
 * Returns parameters or a body with the type of their schema, by which the validators of their route have read them.
 * @param schema absent: everything fits.
 * @throws Error for a value that does not fit, which is a fault of the route.
 */
export function readAs<Schema extends TSchema>(schema: Schema | undefined, value: unknown): Static<Schema> {
  if (matches(schema, value)) return value;
  throw new Error('parameters do not fit the schema of their route');
}

/** Returns whether a value is of a schema; without one, every value is. */
export function matches<Schema extends TSchema>(schema: Schema | undefined, value: unknown): value is Static<Schema> {
  return schema === undefined || toValidator(schema).Check(value);
}

/** The number of undeclared names of a URL that are compared with the declared ones. A URL may have more than a thousand. */
const maxCompared = 20;

function rejectMisspelled(sentNames: Iterable<string>, names: readonly string[]): void {
  const undeclared = [...sentNames].filter((name) => !names.includes(name));
  for (const name of undeclared.slice(0, maxCompared)) {
    const meant = nearest(name, names);
    if (meant === undefined) continue;
    throw new AppError('invalid_input', `${name}: did you mean ${meant}?`, { explanations: [didYouMean(name, meant)] });
  }
}

function invalidValue(name: string, property: ParameterSchema, value: unknown): AppError {
  const meant = typeof value === 'string' ? nearest(value, (property.enum ?? []).map(String)) : undefined;
  const hint = meant === undefined ? '' : `${name}: did you mean ${meant}? `;
  return new AppError('invalid_input', `${hint}${name} must be ${expectation(property)}.`, {
    explanations: [...(meant === undefined ? [] : [didYouMean(name, meant)]), ...explainExpectation(name, property)],
  });
}

export function didYouMean(name: string, meant: string): Explanation {
  return { phrase: 'didYouMean', values: { name, meant } };
}

/**
 * Converts the text of a parameter; undefined when it cannot be of the type. A parameter that is given twice is a list,
 * which is of no type.
 */
function toValue(
  text: unknown,
  { type, 'x-lower-case': isLowerCase, 'x-colons': hasColons, 'x-language': isLanguage }: ParameterSchema,
): unknown {
  if (typeof text !== 'string') return undefined;
  if (isLowerCase === true) return text.toLowerCase();
  if (hasColons === true) return text.replaceAll(':', '/');
  if (isLanguage === true) return languagePart(text);
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

/** Returns the expectation as phrases, which images show in the reader's language. */
function explainExpectation(name: string, schema: ParameterSchema): Explanation[] {
  const { type, enum: choices, minimum = 0, maximum, maxLength = 1000 } = schema;
  const { 'x-expected': expected, 'x-explanation': explanation } = schema;
  if (explanation !== undefined) return [{ ...explanation, values: { name, ...explanation.values } }];
  if (expected !== undefined) return [];
  if (choices !== undefined || type === 'boolean') {
    return [{ phrase: 'oneOf', values: { name, choices: (choices ?? [true, false]).join(', ') } }];
  }
  if (type === 'integer') {
    return [{ phrase: 'integerBetween', values: { name, min: String(minimum), max: String(maximum ?? '∞') } }];
  }
  return [{ phrase: 'atMostLetters', values: { name, max: String(maxLength) } }];
}

/** Returns the language of a tag such as `pt-BR` or `zh_CN` (BCP 47): `pt`, `zh`. */
export function languagePart(tag: string): string {
  return tag.split(/[-_]/, 1).join('').toLowerCase();
}

/** Returns the validator of a schema. Routes share the schemas of their parameters, and compiling takes half of a start. */
export function toValidator(schema: TSchema): Validator {
  const validator = validators.get(schema) ?? Compile(schema);
  validators.set(schema, validator);
  return validator;
}

import {
  absent,
  type Candidate,
  enumChanges,
  integerChanges,
  type Path,
  textChanges,
  timeChanges,
} from './candidate.ts';

/** Lists every change that a JSON Schema, such as those of OpenAPI and TypeBox, allows in a response. */

export interface Schema {
  $ref?: string;
  type?: string | string[];
  nullable?: boolean;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
}

/** A description of responses, and how to read it. */
export interface Description {
  resolve: (reference: string) => Schema;
  /**
   * True for a description that does not name required properties: then every property may be absent, and values that a
   * Go program holds as a pointer or a slice may be null, with nulls inside.
   */
  isSilent: boolean;
}

export function jsonCandidates(description: Description, schema: Schema, body: unknown): Candidate[] {
  return ofValue(description, schema, body, []);
}

function ofValue(description: Description, described: Schema, value: unknown, path: Path): Candidate[] {
  if (value === null || value === undefined) return [];
  const alternatives = listAlternatives(description, described);
  const schema = alternatives.find((alternative) => fits(description, alternative, value));
  if (schema === undefined) return [];
  const others = alternatives.filter((alternative) => alternative !== schema && !isNull(alternative));
  return [
    ...(mayBeNull(description, alternatives, schema) ? [{ path, change: 'null', value: null }] : []),
    ...(path.length === 0 ? [] : others).map((alternative) => ({
      path,
      change: `member ${alternatives.indexOf(alternative)}`,
      value: toPlaceholder(description, alternative, value),
    })),
    ...ofSchema(description, schema, value, path),
  ];
}

function ofSchema(description: Description, schema: Schema, value: unknown, path: Path): Candidate[] {
  if (schema.enum !== undefined || schema.const !== undefined) return enumChanges(path);
  if (Array.isArray(value)) {
    const nulls = value.map((_element, index) => ({ path: [...path, index], change: 'null in list', value: null }));
    return [
      ...nulls,
      ...value.flatMap((element, index) => ofValue(description, schema.items ?? {}, element, [...path, index])),
    ];
  }
  if (typeof value === 'object' && value !== null) return ofProperties(description, schema, value, path);
  if (typeof value === 'number') return Number.isInteger(value) ? integerChanges(path) : [];
  if (typeof value !== 'string') return [];
  const isTime = schema.format === 'date-time' || schema.pattern?.startsWith('^\\d{4}-');
  return isTime ? timeChanges(path) : textChanges(path, value);
}

function ofProperties(description: Description, schema: Schema, value: object, path: Path): Candidate[] {
  const candidates: Candidate[] = [];
  for (const [name, content] of Object.entries(value)) {
    const property = schema.properties?.[name] ?? additional(schema);
    const propertyPath = [...path, name];
    const isOptional = description.isSilent || !schema.required?.includes(name);
    if (isOptional) candidates.push({ path: propertyPath, change: 'absent', value: absent });
    candidates.push(...ofValue(description, property, content, propertyPath));
  }
  return candidates;
}

function additional({ additionalProperties }: Schema): Schema {
  return typeof additionalProperties === 'object' ? additionalProperties : {};
}

/** Returns the alternatives of a schema, with references followed and combined schemas merged. */
function listAlternatives(description: Description, schema: Schema): Schema[] {
  if (schema.$ref !== undefined) return listAlternatives(description, description.resolve(schema.$ref));
  const { oneOf, anyOf, allOf, ...rest } = schema;
  const choice = oneOf ?? anyOf;
  if (choice !== undefined) {
    return choice.flatMap((option) => listAlternatives(description, option)).map((option) => together([rest, option]));
  }
  if (allOf !== undefined) {
    return [together([rest, ...allOf.map((part) => listAlternatives(description, part)[0] ?? {})])];
  }
  return [schema];
}

function together(schemas: readonly Schema[]): Schema {
  return {
    ...Object.assign({}, ...schemas),
    properties: Object.assign({}, ...schemas.map(({ properties }) => properties ?? {})) as Record<string, Schema>,
    required: schemas.flatMap(({ required }) => required ?? []),
  };
}

function isNull({ type, enum: values }: Schema): boolean {
  return type === 'null' || (values?.length === 1 && values[0] === null);
}

function mayBeNull(description: Description, alternatives: readonly Schema[], schema: Schema): boolean {
  const { type, nullable, format } = schema;
  const types = new Set([type].flat());
  const isPointer = types.has('object') || types.has('array') || format === 'date-time' || !type;
  return alternatives.some(isNull) || (description.isSilent ? isPointer : nullable === true || types.has('null'));
}

/** Returns whether a value matches an alternative, by its type and its required properties. */
function fits(description: Description, schema: Schema, value: unknown): boolean {
  const { type, required = [], properties = {}, enum: values, const: only } = schema;
  if (only !== undefined) return only === value;
  if (values !== undefined) return values.includes(value);
  const types = [type].flat().filter((name) => name !== undefined);
  if (types.length > 0 && !types.includes(toType(value)) && !(toType(value) === 'integer' && types.includes('number')))
    return false;
  if (toType(value) !== 'object' || description.isSilent) return true;
  return (
    required.every((name) => name in Object(value)) &&
    Object.keys(Object(value)).every(
      (name) => Object.keys(properties).length === 0 || name in properties || schema.additionalProperties !== false,
    )
  );
}

function toType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** Returns a value of another alternative: only the required properties, with the values of the present one. */
function toPlaceholder(description: Description, schema: Schema, from: unknown): unknown {
  const { enum: values, const: only, type, required = [], properties = {} } = schema;
  if (only !== undefined) return only;
  if (values !== undefined) return values[0];
  const [first = properties === undefined ? 'string' : 'object'] = [type].flat();
  if (first === 'array') return [];
  if (first === 'integer' || first === 'number') return 1;
  if (first === 'boolean') return false;
  if (first === 'string') return 'made-up';
  const source = Object(from) as Record<string, unknown>;
  return Object.fromEntries(
    required.map((name) => {
      const [property = {}] = listAlternatives(description, properties[name] ?? {});
      const isKept = name in source && fits(description, property, source[name]);
      return [name, isKept ? source[name] : toPlaceholder(description, property, undefined)];
    }),
  );
}

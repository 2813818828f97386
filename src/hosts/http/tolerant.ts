import { type Static, type TSchema, Type } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { AppError, type ErrorCode } from '../../model/errors.ts';
import type { Call, SkippedPart } from '../interface/call.ts';

/** Failures that concern the item and not the host: a retry would fail the same way. */
const itemFailures = new Set<ErrorCode>(['provider_denied', 'provider_invalid_response', 'not_found']);

/**
 * Reads responses part by part, so that one unexpected field affects the item that holds it and nothing else. Three
 * marks in a schema decide about a part that does not match:
 * - `orElse(schema, value)`, `optional(schema)`: the item is stored with this value, or nothing, in the field's place;
 * - `describeItems(kind, schema)`: the item is left out of its list;
 * - no mark: the object that holds the field is unreadable, too. Identity, ownership and visibility never have a mark.
 * A null that the host explains with an error matches no schema: it proves no absence. GraphQL moves a
 * null to the nearest place that may be null (https://spec.graphql.org/October2021/#sec-Handling-Field-Errors), so that
 * an error explains all nulls on the way to its own place.
 */

/** Describes a field that an item can do without. */
export function orElse<Schema extends TSchema>(schema: Schema, value: Static<Schema>): Schema {
  return marked(schema, { orElse: value });
}

/** Describes a field that may be absent and is dropped where it cannot be read. */
export function optional<Schema extends TSchema>(schema: Schema) {
  return marked(Type.Optional(schema), { orElse: undefined });
}

/**
 * Describes a field that numbers are counted from: the item is stored without it, and the numbers of its kind are
 * incomplete.
 */
export function orElseUncounted<Schema extends TSchema>(schema: Schema, value: Static<Schema>): Schema {
  return marked(schema, { orElse: value, counts: true });
}

/** Describes a list of items, each of which is read or left out by itself. */
export function describeItems<Schema extends TSchema>(kind: string, schema: Schema) {
  return Type.Array(schema, { itemKind: kind });
}

/**
 * Returns a copy of a schema with marks. The copy includes the properties that TypeBox keeps and that are not
 * enumerable.
 */
function marked<Schema extends TSchema>(schema: Schema, marks: object): Schema {
  return Object.create(Object.getPrototypeOf(schema), {
    ...Object.getOwnPropertyDescriptors(schema),
    ...Object.getOwnPropertyDescriptors(marks),
  });
}

/** The reason why the host left a part of a response empty. */
export interface Refusal {
  /** `unreadable`: the host failed to compute the part. */
  reason: SkippedPart['reason'];
  /** The host's own words, where they hold no private data. */
  explanation: string;
}

/** Parts that the host left empty, by JSON pointer; the empty pointer stands for an error that names no part. */
export type Refusals = ReadonlyMap<string, Refusal>;

type Reading = { value: unknown } | { faultAt: string };

/** The parts of a JSON schema that the walk uses. */
interface Shape {
  type?: string;
  properties?: Record<string, TSchema>;
  required?: string[];
  patternProperties?: Record<string, TSchema>;
  /** False: an object with further properties is not of this shape, which distinguishes members of a union. */
  additionalProperties?: boolean;
  anyOf?: TSchema[];
  items?: TSchema;
  itemKind?: string;
}

type Loss = Pick<SkippedPart, 'isStored' | 'isCounted'>;

interface Walk {
  refusals: Refusals;
  /** JSON pointers of the parts that were left out or replaced; refusals within them are already reported. */
  met: Set<string>;
  skipped: SkippedPart[];
}

/** A place in a response: keys and positions from the top, and the kind of the item there. */
interface Place {
  keys: readonly (string | number)[];
  kind: string;
}

/**
 * Reads a payload as far as it can be read.
 * @param kind of the whole payload, for parts outside every list of items.
 * @returns the payload with unreadable parts replaced or left out, or the place that makes all of it unreadable.
 */
export function readTolerantly(
  schema: TSchema,
  payload: unknown,
  kind: string,
  refusals: Refusals = new Map(),
): { reading: Reading; skipped: SkippedPart[] } {
  if (refusals.size === 0 && matches(schema, payload)) return { reading: { value: payload }, skipped: [] };
  const walk: Walk = { refusals, met: new Set(), skipped: [] };
  const reading = readPart(walk, schema, payload, { keys: [], kind });
  const others = [...refusals].filter(([pointer]) => ![...walk.met].some((met) => isWithin(pointer, met)));
  for (const [pointer, refusal] of others) {
    const keys = pointer.split('/').slice(1);
    const kindThere = kindAt(schema, keys) ?? kind;
    walk.skipped.push({ kind: kindThere, ...refusal, path: formatPath(keys), isStored: true, isCounted: true });
  }
  return { reading, skipped: walk.skipped };
}

/** Checks a payload, or a part of one, as it is. */
export function matches<Schema extends TSchema>(schema: Schema, payload: unknown): payload is Static<Schema> {
  return toValidator(schema).Check(payload);
}

function readPart(walk: Walk, schema: TSchema, value: unknown, place: Place): Reading {
  const shape: Shape = schema;
  if (value === null && refusalAt(walk.refusals, place.keys) !== undefined) return { faultAt: formatPath(place.keys) };
  if (walk.refusals.size === 0 && matches(schema, value)) return { value };
  if (shape.anyOf !== undefined) return readUnion(walk, shape.anyOf, value, place);
  if (shape.type === 'array' && shape.items !== undefined && Array.isArray(value)) {
    return readList(walk, shape.items, shape.itemKind, value, place);
  }
  if (shape.type === 'object' && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return readObject(walk, shape, { ...value }, place);
  }
  return matches(schema, value) ? { value } : { faultAt: formatPath(place.keys) };
}

/** Takes the first member that can be read. Where none can, the fault is that of the first member. */
function readUnion(walk: Walk, members: readonly TSchema[], value: unknown, place: Place): Reading {
  let fault: Reading | undefined;
  for (const member of members) {
    const before = walk.skipped.length;
    const reading = readPart(walk, member, value, place);
    if ('value' in reading) return reading;
    walk.skipped.length = before;
    fault ??= reading;
  }
  return fault ?? { faultAt: formatPath(place.keys) };
}

function readList(
  walk: Walk,
  schema: TSchema,
  kind: string | undefined,
  list: readonly unknown[],
  { keys, kind: around }: Place,
): Reading {
  const items: unknown[] = [];
  for (const [index, item] of list.entries()) {
    const place = { keys: [...keys, index], kind: kind ?? around };
    const before = walk.skipped.length;
    const reading = readPart(walk, schema, item, place);
    if ('value' in reading) {
      items.push(reading.value);
      continue;
    }
    const isReplaced = 'orElse' in schema;
    if (kind === undefined && !isReplaced) return reading;
    walk.skipped.length = before;
    walk.skipped.push(skipAt(walk, place, reading.faultAt, { isStored: isReplaced, isCounted: isReplaced }));
    if ('orElse' in schema) items.push(schema.orElse);
  }
  return { value: items };
}

function readObject(walk: Walk, shape: Shape, value: Record<string, unknown>, { keys, kind }: Place): Reading {
  const required = new Set(shape.required);
  const isClosed = shape.additionalProperties === false && shape.patternProperties === undefined;
  if (isClosed && Object.keys(value).some((key) => !Object.hasOwn(shape.properties ?? {}, key))) {
    return { faultAt: formatPath(keys) };
  }
  for (const [key, schema] of listProperties(shape, value)) {
    if (!(key in value) && !required.has(key)) continue;
    const place = { keys: [...keys, key], kind };
    const before = walk.skipped.length;
    const reading = readPart(walk, schema, value[key], place);
    if ('value' in reading) {
      value[key] = reading.value;
      continue;
    }
    if (!('orElse' in schema)) return reading;
    walk.skipped.length = before;
    walk.skipped.push(skipAt(walk, place, reading.faultAt, { isStored: true, isCounted: !('counts' in schema) }));
    if (schema.orElse === undefined) delete value[key];
    else value[key] = schema.orElse;
  }
  return { value };
}

function listProperties(shape: Shape, value: Record<string, unknown>): [string, TSchema][] {
  const named = Object.entries(shape.properties ?? {});
  const patterns = Object.entries(shape.patternProperties ?? {});
  const matching = Object.keys(value).flatMap((key): [string, TSchema][] =>
    patterns.filter(([pattern]) => new RegExp(pattern, 'u').test(key)).map(([, schema]) => [key, schema]),
  );
  return [...named, ...matching];
}

function skipAt(walk: Walk, { keys, kind }: Place, faultAt: string, loss: Loss): SkippedPart {
  const pointer = toPointer(keys);
  const refusal = refusalAt(walk.refusals, keys);
  walk.met.add(pointer);
  if (refusal === undefined) return { kind, reason: 'unreadable', path: faultAt, explanation: '', ...loss };
  return { kind, ...refusal, path: formatPath(keys), ...loss };
}

/**
 * Finds the error that explains a null at a place: one there or below it, or, for a field of the whole response, one
 * that names no place.
 */
export function refusalAt(refusals: Refusals, keys: readonly (string | number)[]): Refusal | undefined {
  const pointer = toPointer(keys);
  const found = [...refusals].find(([refused]) => isWithin(refused, pointer));
  return found?.[1] ?? (keys.length === 1 ? refusals.get('') : undefined);
}

/** Finds the kind of the innermost list of items on the way to a place. */
function kindAt(schema: TSchema, [key, ...rest]: readonly string[]): string | undefined {
  const shape: Shape = schema;
  for (const member of shape.anyOf ?? []) {
    const kind = key === undefined ? undefined : kindAt(member, [key, ...rest]);
    if (kind !== undefined) return kind;
  }
  if (key === undefined) return undefined;
  const next = shape.items ?? shape.properties?.[key];
  return (next && kindAt(next, rest)) ?? shape.itemKind;
}

function isWithin(pointer: string, outer: string): boolean {
  return pointer === outer || pointer.startsWith(`${outer}/`);
}

export function toPointer(keys: readonly (string | number)[]): string {
  return keys.map((key) => `/${key}`).join('');
}

/** Returns a place as people read it: positions in lists are `*`, so that the same fault in many items is one place. */
function formatPath(keys: readonly (string | number)[]): string {
  return keys.map((key) => (/^\d+$/.test(String(key)) ? '/*' : `/${key}`)).join('') || '/';
}

const compiled = new WeakMap<TSchema, Validator>();

export function toValidator(schema: TSchema): Validator {
  const validator = compiled.get(schema) ?? Compile(schema);
  compiled.set(schema, validator);
  return validator;
}

/**
 * Reads an item that takes requests of its own. Where they fail for a reason that lies in the item, it is skipped and
 * reported.
 * @param item.isOfItem recognizes further errors that concern the item alone.
 * @returns undefined when the item is skipped.
 */
export async function readOrSkip<Item>(
  call: Call,
  item: { kind: string; isOfItem?: (error: unknown) => boolean },
  read: () => Promise<Item>,
): Promise<Item | undefined> {
  try {
    return await read();
  } catch (error) {
    const isOfItem = error instanceof AppError && itemFailures.has(error.code);
    if (!isOfItem && item.isOfItem?.(error) !== true) throw error;
    call.onSkipped?.(skippedItem(item.kind, error));
    return undefined;
  }
}

/** Reads items in parallel. @returns those that are not skipped, in the same order. */
export async function readEach<Item, Read>(
  call: Call,
  kind: string,
  items: readonly Item[],
  read: (item: Item) => Promise<Read>,
): Promise<Read[]> {
  const all = await Promise.all(items.map((item) => readOrSkip(call, { kind }, () => read(item))));
  return all.filter((item) => item !== undefined);
}

/**
 * Reads an item for each key, one after the other.
 * @returns the items by key, without those that are skipped or absent.
 */
export async function readByKey<Read>(
  call: Call,
  kind: string,
  keys: readonly string[],
  read: (key: string) => Promise<Read | null | undefined>,
): Promise<Map<string, Read>> {
  const found = new Map<string, Read>();
  for (const key of keys) {
    const item = await readOrSkip(call, { kind }, () => read(key));
    if (item !== null && item !== undefined) found.set(key, item);
  }
  return found;
}

/** Returns the report of an item that is left out because of an error. */
export function skippedItem(kind: string, error: unknown): SkippedPart {
  const isRefused = error instanceof AppError && error.code !== 'provider_invalid_response';
  return {
    kind,
    reason: isRefused ? 'refused' : 'unreadable',
    path: `/${kind}`,
    explanation: error instanceof AppError ? (error.reason ?? '') : '',
    isStored: false,
    isCounted: false,
  };
}

/** Returns a call that also counts skipped parts: a list with gaps must not remove stored items. */
export function watchSkips(call: Call): { call: Call; hasSkipped: () => boolean } {
  let skipped = 0;
  const onSkipped = (part: SkippedPart): void => {
    skipped += 1;
    call.onSkipped?.(part);
  };
  return { call: { ...call, onSkipped }, hasSkipped: () => skipped > 0 };
}

import type { TSchema } from 'typebox';
import { nearest } from '../../../model/text.ts';
import { alternatives, type Fault, newFault } from '../conditions/fault.ts';
import { repeatedKey, type YamlEntry, type YamlMapping, type YamlNode } from './yaml-tree.ts';

/** A TypeBox schema as the plain JSON Schema that it is, with the keywords that the schema of the file uses. */
export interface Shape {
  type?: string | string[];
  enum?: readonly unknown[];
  properties?: Readonly<Record<string, Shape>>;
  /** The values of a mapping whose keys the author chooses, by the pattern of the keys. */
  patternProperties?: Readonly<Record<string, Shape>>;
  maxProperties?: number;
  required?: readonly string[];
  items?: Shape;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  description?: string;
}

type ShapeWithKeys = Shape & { properties: Readonly<Record<string, Shape>> };

interface Reading {
  faults: Fault[];
  read: (shape: Shape, node: YamlNode, subject: string, faults: Fault[]) => unknown;
}

/** Reads the keys of a mapping and their values. Reports keys that are unknown, repeated, or required but missing. */
export function readEntries(
  shape: ShapeWithKeys,
  node: YamlNode,
  subject: string,
  reading: Reading,
): object | undefined {
  const { faults } = reading;
  const keys = Object.keys(shape.properties);
  if (node.kind !== 'mapping') {
    const found = node.kind === 'sequence' ? 'a list' : node.isEmpty ? 'nothing' : 'text';
    faults.push(newFault(node, `${subject} has ${found}`, { expected: `the keys ${alternatives(keys)}` }));
    return undefined;
  }
  const misplaced = findMisplaced(shape, node);
  if (misplaced !== undefined) {
    faults.push(misplaced);
    const [inner] = Object.values(shape.properties);
    // Faults of the contents are reported together with that of their place.
    if (inner !== undefined && node.entries.every(({ key }) => !keys.includes(key)))
      reading.read(inner, node, keys.join(''), faults);
    return undefined;
  }
  const { matched: entries, mistyped } = matchKeys(node, keys, subject, faults);
  const value: Record<string, unknown> = {};
  for (const [key, entry] of entries) {
    const inner = shape.properties[key];
    // An optional key without a value counts as absent.
    const isNothing =
      entry.value.kind === 'scalar' &&
      entry.value.isEmpty &&
      shape.required?.includes(key) !== true &&
      !(inner !== undefined && isUnquotedSign(inner, entry.value));
    if (inner !== undefined && !isNothing)
      value[key] = reading.read(inner, entry.value, formatName(key, inner), faults);
  }
  for (const key of shape.required ?? []) {
    if (entries.has(key) || mistyped.has(key)) continue;
    const place = { start: node.start, end: node.entries[0]?.keySpan.end ?? node.start };
    const expected = shape.properties[key]?.description;
    faults.push(
      newFault(place, `${subject} has no ${key}`, expected === undefined ? {} : { expected: `${key}: ${expected}` }),
    );
  }
  return value;
}

/** Reads a mapping whose keys the author chooses. Reports keys that do not match their pattern, and too many keys. */
export function readNamed(
  shape: Shape,
  node: YamlNode,
  subject: string,
  { faults, read }: Reading,
): object | undefined {
  const [[pattern, inner] = ['', {}]] = Object.entries(shape.patternProperties ?? {});
  const { description: expected = 'names, each with a value', maxProperties = Number.POSITIVE_INFINITY } = shape;
  if (node.kind !== 'mapping') {
    faults.push(newFault(node, `${subject} has ${node.kind === 'sequence' ? 'a list' : 'no names'}`, { expected }));
    return undefined;
  }
  const tooMuch = node.entries[maxProperties];
  if (tooMuch !== undefined) {
    const message = `${subject} has ${node.entries.length} names`;
    faults.push(newFault(tooMuch.keySpan, message, { expected: `at most ${maxProperties}` }));
  }
  const value: Record<string, unknown> = {};
  for (const { key, keySpan, value: contents } of node.entries.slice(0, maxProperties)) {
    if (!new RegExp(pattern, 'u').test(key)) {
      faults.push(newFault(keySpan, `${key.slice(0, 60)} is not a name for ${subject}`, { expected }));
    } else value[key] = read(inner, contents, key, faults);
  }
  return value;
}

/** Returns whether a value is `|` or `>` without quotes, which begins a block of text in YAML, where a word is due. */
export function isUnquotedSign(shape: Shape, node: YamlNode): boolean {
  return shape.enum !== undefined && node.kind === 'scalar' && node.isEmpty && node.style === 'block';
}

interface MatchedKeys {
  matched: Map<string, YamlEntry>;
  /** Known keys for which the author probably wrote an unknown one. */
  mistyped: Set<string>;
}

/**
 * Finds the key that each entry stands for. A different letter case is accepted with a warning; a similar key is an
 * error, because it may mean something else.
 */
function matchKeys(node: YamlMapping, keys: readonly string[], subject: string, faults: Fault[]): MatchedKeys {
  const matched: MatchedKeys['matched'] = new Map();
  const mistyped: MatchedKeys['mistyped'] = new Set();
  for (const entry of node.entries) {
    const key = keys.find((key) => key === entry.key) ?? keys.find((key) => key === entry.key.toLowerCase());
    if (key === undefined) {
      const suggestion = nearest(entry.key, keys);
      const isNear = suggestion !== undefined && !node.entries.some((other) => other.key === suggestion);
      if (isNear) mistyped.add(suggestion);
      const fault = newFault(entry.keySpan, `${entry.key.slice(0, 60)} is not a key of ${subject}, and has no effect`, {
        severity: isNear ? 'error' : 'warning',
        expected: alternatives(keys),
        suggestion: isNear ? suggestion : undefined,
      });
      faults.push({ ...fault, isUnknownKey: true });
    } else if (matched.has(key)) {
      faults.push(
        newFault(entry.keySpan, `the key ${key} is here twice, and this one has no effect`, { expected: repeatedKey }),
      );
    } else {
      if (key !== entry.key) {
        faults.push(newFault(entry.keySpan, `${entry.key} is not written so`, { severity: 'warning', expected: key }));
      }
      matched.set(key, entry);
    }
  }
  return { matched, mistyped };
}

/** Returns one fault for a part like `- achievement:` whose keys are not indented below it, or stand without it. */
function findMisplaced(shape: ShapeWithKeys, node: YamlMapping): Fault | undefined {
  const [wrapper, ...others] = Object.keys(shape.properties);
  if (wrapper === undefined || others.length > 0) return undefined;
  const inner = Object.keys(shape.properties[wrapper]?.properties ?? {});
  const stray = node.entries.find(({ key }) => key !== wrapper && inner.includes(key));
  if (stray === undefined) return undefined;
  const own = node.entries.find(({ key }) => key === wrapper);
  if (own === undefined) {
    return newFault(stray.keySpan, `${stray.key} stands without ${wrapper}`, {
      expected: `"${wrapper}:" in the line before, and its keys indented below it`,
    });
  }
  return newFault(stray.keySpan, `${stray.key} is not indented deeper than ${wrapper}`, {
    expected: `the keys of ${wrapper} two spaces further in`,
  });
}

function formatName(key: string, shape: Shape): string {
  return shape.items === undefined ? key : `the list ${key}`;
}

/** Returns the node at a path of keys and list indexes, or the last node on the path that exists. */
export function nodeAt(node: YamlNode, ...path: (string | number)[]): YamlNode {
  let found = node;
  for (const step of path) {
    const inner =
      found.kind === 'sequence' && typeof step === 'number'
        ? found.items[step]
        : found.kind === 'mapping'
          ? found.entries.find(({ key }) => key.toLowerCase() === step)?.value
          : undefined;
    if (inner === undefined) return found;
    found = inner;
  }
  return found;
}

export function toShape(schema: TSchema): Shape {
  return schema;
}

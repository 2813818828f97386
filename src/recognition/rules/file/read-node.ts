import type { Static, TObject, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { findControlCharacter, nearest } from '../../../model/text.ts';
import { alternatives, type Fault, newFault, type Span } from '../conditions/fault.ts';
import { isUnquotedSign, nodeAt, readEntries, readNamed, type Shape, toShape } from './read-entries.ts';
import type { YamlNode } from './yaml-tree.ts';

/**
 * Reads a node by a schema, and adds all faults to `faults`.
 * @returns undefined when one of the faults is an error.
 */
export function readNode<Schema extends TSchema>(
  schema: Schema,
  node: YamlNode,
  subject: string,
  faults: Fault[],
): Static<Schema> | undefined {
  const found: Fault[] = [];
  const value = readShape(toShape(schema), node, subject, found);
  faults.push(...found);
  if (found.some(({ severity }) => severity === 'error')) return undefined;
  if (!isShaped(schema, value)) throw new Error(`${subject} was read in another shape than its schema has`);
  return value;
}

/** Checks by the schemas of files, each compiled once: interpreting them took most of the time of reading a board. */
const validators = new WeakMap<TSchema, Validator>();

function isShaped<Schema extends TSchema>(schema: Schema, value: unknown): value is Static<Schema> {
  const validator = validators.get(schema) ?? Compile(schema);
  validators.set(schema, validator);
  return validator.Check(value);
}

/**
 * Reads those keys of a mapping that have no error, so that their meaning is checked although others have errors.
 * Reports nothing: `readNode` of the whole does.
 * @param schema a schema of optional keys.
 */
export function readKeys<Schema extends TObject>(schema: Schema, node: YamlNode): Static<Schema> {
  const value = Object.fromEntries(
    Object.entries(schema.properties).flatMap(([key, inner]) => {
      const place = nodeAt(node, key);
      const read = place === node ? undefined : readNode(inner, place, key, []);
      return read === undefined ? [] : [[key, read]];
    }),
  );
  if (!isShaped(schema, value)) throw new Error('keys were read in another shape than their schema has');
  return value;
}

/**
 * Reads a node by a shape, and adds all faults to `faults`.
 * @param subject the name of the place in messages: `actor`, `the list triggers`.
 */
function readShape(shape: Shape, node: YamlNode, subject: string, faults: Fault[]): unknown {
  if (shape.properties !== undefined) {
    return readEntries({ ...shape, properties: shape.properties }, node, subject, { faults, read: readShape });
  }
  if (shape.patternProperties !== undefined) return readNamed(shape, node, subject, { faults, read: readShape });
  if (shape.items !== undefined) return readItems(shape, shape.items, node, subject, faults);
  if (isUnquotedSign(shape, node)) {
    const details = { expected: 'quotes around the sign', suggestion: '"|"' };
    faults.push(newFault(node, `${subject} has a sign without quotes, which begins a block of text in YAML`, details));
    return undefined;
  }
  if (node.kind !== 'scalar' || node.isEmpty) {
    const found = node.kind === 'scalar' ? 'nothing' : node.kind === 'mapping' ? 'keys' : 'a list';
    return refuse(faults, node, `${subject} has ${found}`, formatExpected(shape));
  }
  if (shape.enum !== undefined) return readWord(shape.enum.map(String), node, subject, faults);
  if (shape.type === 'integer' || shape.type === 'number') return readNumber(shape, node, subject, faults);
  if (shape.type !== 'boolean') return readText(shape, node, subject, faults);
  const flag = readWord(['true', 'false'], node, subject, faults);
  return flag === undefined ? undefined : flag === 'true';
}

/**
 * Reads a list up to its maximum length.
 * @returns its nodes, also for a list that is too long.
 */
export function readList(shape: Shape, node: YamlNode, subject: string, faults: Fault[]): YamlNode[] {
  if (node.kind !== 'sequence') {
    const isEmpty = node.kind === 'scalar' && node.isEmpty;
    refuse(
      faults,
      node,
      `${subject} has ${isEmpty ? 'nothing' : node.kind === 'scalar' ? 'text' : 'keys'}`,
      'a list, each part after "- "',
    );
    return [];
  }
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = shape;
  const tooMuch = node.items[maxItems];
  if (tooMuch !== undefined)
    refuse(faults, tooMuch, `${subject} has ${node.items.length} parts`, `at most ${maxItems}`);
  if (node.items.length < minItems) refuse(faults, node, `${subject} is empty`, 'at least one part after "- "');
  return node.items.slice(0, maxItems);
}

/** Reads those parts of a list that have no error, each with its node. Reports nothing: `readNode` of the whole does. */
export function readParts<Schema extends TSchema>(
  schema: Schema,
  node: YamlNode,
  limit: number,
): { value: Static<Schema>; node: YamlNode }[] {
  if (node.kind !== 'sequence') return [];
  return node.items.slice(0, limit).flatMap((item) => {
    const value = readNode(schema, item, '', []);
    return value === undefined ? [] : [{ value, node: item }];
  });
}

function readItems(shape: Shape, items: Shape, node: YamlNode, subject: string, faults: Fault[]): unknown[] {
  return readList(shape, node, subject, faults).map((item) => readShape(items, item, `a part of ${subject}`, faults));
}

function readWord(
  words: string[],
  node: YamlNode & { kind: 'scalar' },
  subject: string,
  faults: Fault[],
): string | undefined {
  const { text } = node;
  if (words.includes(text)) return text;
  const known = words.find((word) => word === text.trim().toLowerCase());
  if (known === undefined) {
    const suggestion = nearest(text, words);
    faults.push(newFault(node, `${subject} cannot be ${short(text)}`, { expected: alternatives(words), suggestion }));
    return undefined;
  }
  faults.push(newFault(node, `${short(text)} is not written so`, { severity: 'warning', expected: known }));
  return known;
}

function readNumber(
  shape: Shape,
  node: YamlNode & { kind: 'scalar' },
  subject: string,
  faults: Fault[],
): number | undefined {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = shape;
  const form = shape.type === 'integer' ? /^[+-]?\d{1,15}$/ : /^[+-]?\d{1,9}(\.\d{1,6})?$/;
  const number = form.test(node.text) ? Number(node.text) : Number.NaN;
  if (number >= minimum && number <= maximum) return number;
  refuse(faults, node, `${subject} cannot be ${short(node.text)}`, formatExpected(shape));
  return undefined;
}

function readText(
  shape: Shape,
  node: YamlNode & { kind: 'scalar' },
  subject: string,
  faults: Fault[],
): string | undefined {
  const text = node.text.trim();
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = shape;
  const control = findControlCharacter(text);
  if (control !== undefined)
    return refuse(faults, node, `${subject} contains the character ${control}`, 'text of visible characters');
  if (text.length < minLength) return refuse(faults, node, `${subject} is empty`, formatExpected(shape));
  if (text.length > maxLength) {
    return refuse(faults, node, `${subject} has ${text.length} characters`, `at most ${maxLength}`);
  }
  if (pattern === undefined || new RegExp(pattern, 'u').test(text)) return text;
  return refuse(faults, node, `${subject} cannot be ${short(text)}`, formatExpected(shape));
}

function formatExpected({ description, enum: words }: Shape): string {
  return words === undefined ? (description ?? 'text') : alternatives(words.map(String));
}

function refuse(faults: Fault[], span: Span, message: string, expected: string): undefined {
  faults.push(newFault(span, message, { expected }));
}

const maxQuoted = 60;

/** Shortens a text of the file for a message. */
export function short(text: string): string {
  return text.length <= maxQuoted ? text : `${text.slice(0, maxQuoted)}...`;
}

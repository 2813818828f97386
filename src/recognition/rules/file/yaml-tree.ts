import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  type Pair,
  Parser,
  type YAMLMap,
  type YAMLParseError,
  type YAMLSeq,
} from 'yaml';
import { formatCodePoint } from '../../../model/text.ts';
import { type Fault, newFault, type Span } from '../conditions/fault.ts';

/** The size limit of files of achievements and of boards. */
export const maxFileBytes = 256 * 1024;

/** Several times the number of tokens in 256 KiB of achievements; only a file made to waste time has more. */
const maxTokens = 150_000;
const maxBrackets = 64;
/** Characters that a file must not contain, not even in a comment (YAML 1.2, 5.1). */
const notPrintable = /[^\t\n\r\u0020-\u007e\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}\ufeff]/u;

/** A node of a YAML file, with its place in the text. Each alias is replaced by the node that it refers to. */
export type YamlNode = YamlScalar | YamlSequence | YamlMapping;

export interface YamlScalar extends Span {
  kind: 'scalar';
  /** As it is written, without quotes and escapes: `0.0.1`, `007`, `yes`. */
  text: string;
  /** True when the value is missing, `null` or `~`. */
  isEmpty: boolean;
  /** The way in which the text is written, which decides where it begins in the file. */
  style: 'plain' | 'quoted' | 'block';
}

interface YamlSequence extends Span {
  kind: 'sequence';
  items: YamlNode[];
}

export interface YamlMapping extends Span {
  kind: 'mapping';
  entries: YamlEntry[];
}

export interface YamlEntry {
  key: string;
  keySpan: Span;
  value: YamlNode;
}

/** The way out of a key that is given twice. */
export const repeatedKey = 'each key once, with all its contents below it';
const maxDepth = 32;
/** A limit, because merging merged mappings multiplies the keys. */
const maxMergedKeys = 10_000;
/**
 * The most characters and nodes of a file with its aliases written out: twice those of the longest file, because what a file
 * says is stored, sent and checked in this length.
 */
const maxWritten = 2 * maxFileBytes;
const maxParseFaults = 10;
/** The most errors of the parser that are looked at: a broken file has one for almost every letter. */
const maxParseErrors = 100;

interface ReadYaml {
  root: YamlNode | undefined;
  faults: Fault[];
}

/**
 * Reads YAML 1.2 with merge keys.
 * @returns no root when the text is not YAML, or is empty.
 */
function readYaml(text: string): ReadYaml {
  const problem = findYamlProblem(text);
  if (problem !== undefined) return { root: undefined, faults: [problem] };
  const { documents, errors } = parseDocuments(text);
  const [document, second] = documents;
  if (errors.length > 0) return { root: undefined, faults: toFaults(errors, text) };
  const contents = document?.contents ?? null;
  if (contents === null) return { root: undefined, faults: [] };
  const builder = new TreeBuilder();
  const root = builder.build(contents, { start: 0, end: 0 }, 0);
  if (second !== undefined) {
    const span = { start: second.range[0], end: second.range[1] };
    builder.faults.push(newFault(span, 'a second document begins here', { expected: 'one document a file' }));
  }
  return { root, faults: builder.faults };
}

/** Does the same as `parseAllDocuments` of the library, up to the last error that is looked at. */
function parseDocuments(text: string): { documents: Document.Parsed[]; errors: readonly YAMLParseError[] } {
  // Duplicate keys are found by the tree's builder, in linear time.
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, merge: false });
  const documents = [...composer.compose(upToErrors(new Parser().parse(text)))];
  const errors = documents.length === 0 ? composer.streamInfo().errors : documents.flatMap(({ errors }) => errors);
  return { documents, errors };
}

function* upToErrors(tokens: Iterable<CST.Token>): Generator<CST.Token, void, undefined> {
  let errors = 0;
  for (const token of tokens) {
    if (token.type === 'error') errors += 1;
    if (errors > maxParseErrors) return;
    yield token;
  }
}

/**
 * Returns the first fault of each line, up to the first line of a wrong depth: the parser reports also what follows
 * from these.
 */
function toFaults(errors: readonly YAMLParseError[], text: string): Fault[] {
  const lines = new Map<number, Fault>();
  for (const error of errors.slice(0, maxParseErrors)) {
    const fault = toFault(error, text);
    const line = text.lastIndexOf('\n', fault.start - 1);
    if (!lines.has(line)) lines.set(line, fault);
    if (fault.message === deeperBelow[0] || lines.size === maxParseFaults) break;
  }
  return [...lines.values()];
}

/** Turns the nodes of the library into `YamlNode`s, each node of the text once, so that aliases cost nothing. */
class TreeBuilder {
  readonly faults: Fault[] = [];
  readonly #unfinished = new Set<string>();
  #merged = 0;
  /** The characters and nodes until here, with aliases written out. */
  #written = 0;
  readonly #anchors = new Map<string, { node: YamlNode; written: number }>();

  /** @param fallback where to report nodes that have no place of their own. */
  build(node: Node | null, fallback: Span, depth: number): YamlNode {
    const span = toSpan(node, fallback);
    if (depth > maxDepth) {
      this.faults.push(newFault(span, 'too many levels inside each other', { expected: `at most ${maxDepth}` }));
      return nothing(span);
    }
    if (isAlias(node)) return this.#resolve(node.source, span);
    const anchor = node !== null && 'anchor' in node ? node.anchor : undefined;
    if (anchor === undefined) return this.#buildNode(node, span, depth);
    this.#unfinished.add(anchor);
    const before = this.#written;
    const built = this.#buildNode(node, span, depth);
    this.#unfinished.delete(anchor);
    this.#anchors.set(anchor, { node: built, written: this.#written - before });
    return built;
  }

  #buildNode(node: Node | null, span: Span, depth: number): YamlNode {
    this.#written += 1;
    if (isMap(node)) return { kind: 'mapping', entries: this.#buildEntries(node, span, depth), ...span };
    if (isSeq(node)) return { kind: 'sequence', items: this.#buildItems(node, span, depth), ...span };
    if (!isScalar(node)) return nothing(span);
    const isQuoted = node.type === 'QUOTE_SINGLE' || node.type === 'QUOTE_DOUBLE';
    const isBlock = node.type === 'BLOCK_FOLDED' || node.type === 'BLOCK_LITERAL';
    const text = typeof node.value === 'string' ? node.value : (node.source ?? '');
    this.#written += text.length;
    const isEmpty = node.value === null || (text === '' && !isQuoted);
    return { kind: 'scalar', text, isEmpty, style: isQuoted ? 'quoted' : isBlock ? 'block' : 'plain', ...span };
  }

  #buildItems(sequence: YAMLSeq, span: Span, depth: number): YamlNode[] {
    return sequence.items.map((item) => this.build(asNode(item), span, depth + 1));
  }

  #buildEntries(mapping: YAMLMap, span: Span, depth: number): YamlEntry[] {
    const entries = new Map<string, YamlEntry>();
    const merged: YamlNode[] = [];
    for (const pair of mapping.items) {
      const entry = this.#buildEntry(pair, span, depth);
      if (entry === undefined) continue;
      if (entry.key === '<<') merged.push(entry.value);
      else if (entries.has(entry.key)) {
        this.faults.push(
          newFault(entry.keySpan, `the key ${entry.key} is here twice, and this one has no effect`, {
            expected: repeatedKey,
          }),
        );
      } else entries.set(entry.key, entry);
    }
    for (const source of merged.flatMap((node) => (node.kind === 'sequence' ? node.items : [node]))) {
      if (source.kind !== 'mapping') {
        this.faults.push(newFault(source, '<< is followed by something else', { expected: 'an alias of a mapping' }));
        continue;
      }
      this.#merged += source.entries.length;
      if (this.#merged > maxMergedKeys) {
        this.faults.push(
          newFault(span, 'too many keys are merged', { expected: `at most ${maxMergedKeys} in the file` }),
        );
        break;
      }
      for (const entry of source.entries) if (!entries.has(entry.key)) entries.set(entry.key, entry);
    }
    return [...entries.values()];
  }

  #buildEntry({ key, value }: Pair, span: Span, depth: number): YamlEntry | undefined {
    const keyNode = this.build(asNode(key), span, depth + 1);
    if (keyNode.kind !== 'scalar') {
      this.faults.push(newFault(keyNode, 'this key is not a word', { expected: 'a word, then a colon' }));
      return undefined;
    }
    const keySpan = { start: keyNode.start, end: keyNode.end };
    return {
      key: keyNode.text,
      keySpan,
      value: this.build(asNode(value), { start: keySpan.end, end: keySpan.end }, depth + 1),
    };
  }

  #resolve(anchor: string, span: Span): YamlNode {
    const target = this.#unfinished.has(anchor) ? undefined : this.#anchors.get(anchor);
    if (target !== undefined) {
      const wasShort = this.#written <= maxWritten;
      this.#written += target.written;
      if (this.#written <= maxWritten) return target.node;
      const expected = `at most ${maxWritten} characters with aliases written out`;
      if (wasShort) this.faults.push(newFault(span, 'aliases make the file too long', { expected }));
      return nothing(span);
    }
    this.faults.push(
      this.#unfinished.has(anchor)
        ? newFault(span, `*${anchor} stands for a value that contains it`, { expected: 'an anchor that is complete' })
        : newFault(span, `*${anchor} stands for nothing`, {
            expected: `&${anchor} before it, or quotes around a text that begins with *`,
          }),
    );
    return nothing(span);
  }
}

/** Returns a value as a file in JSON would have it. Its parts have no places. */
export function nodeFrom(value: unknown): YamlNode {
  const span = { start: 0, end: 0 };
  if (Array.isArray(value)) return { kind: 'sequence', items: value.map(nodeFrom), ...span };
  if (typeof value !== 'object' || value === null)
    return { kind: 'scalar', text: String(value), isEmpty: value === null, style: 'quoted', ...span };
  const entries = Object.entries(value).map(([key, inner]) => ({ key, keySpan: span, value: nodeFrom(inner) }));
  return { kind: 'mapping', entries, ...span };
}

function asNode(value: unknown): Node | null {
  return isScalar(value) || isMap(value) || isSeq(value) || isAlias(value) ? value : null;
}

function toSpan(node: Node | null, fallback: Span): Span {
  const range = node?.range;
  return range ? { start: range[0], end: range[1] } : fallback;
}

function nothing(span: Span): YamlScalar {
  return { kind: 'scalar', text: '', isEmpty: true, style: 'plain', ...span };
}

const deeperBelow: [message: string, expected: string] = [
  'the next line is indented further than this one, which has a value already',
  'the same number of spaces before both, or nothing behind the colon',
];
const parseFaults: Readonly<Record<string, [message: string, expected: string]>> = {
  TAB_AS_INDENT: ['a tab indents this line', 'spaces'],
  BAD_INDENT: ['this line is not indented like its neighbours', 'the same number of spaces as in the lines beside it'],
  BLOCK_AS_IMPLICIT_KEY: ['a second ": " in one line', 'quotes around a text that has ": " inside'],
  DEEPER_BELOW: deeperBelow,
  MIDDLE_OF_LINE: ['a new part of a list begins in the middle of a line', 'a line of its own for it'],
  MULTILINE_IMPLICIT_KEY: ['this line has no ": "', 'a key, then a colon and a space'],
  MISSING_CHAR: ['something that was opened before is not closed', 'a closing quote, bracket or brace, or a comma'],
  BAD_ALIAS: ['this alias has no name', 'quotes around a text that begins with *'],
  BAD_COLLECTION_TYPE: ['a list and keys are mixed here', 'either lines that begin with "- ", or keys'],
  IMPOSSIBLE: ['this is not YAML', 'a key, then a colon and a space'],
};

function toFault({ code, message, pos }: YAMLParseError, text: string): Fault {
  const kind = toFaultKind({ code, message, line: lineAt(text, pos[0]) });
  const [what, expected] = parseFaults[kind] ?? [undefined, undefined];
  const details = expected === undefined ? {} : { expected };
  return newFault({ start: pos[0], end: pos[1] }, what ?? `this is not YAML: ${message.split('\n')[0]}`, details);
}

/** A part like `- achievement:` behind other text in the same line. */
const partInside = /\S[ \t]+-[ \t]+(?:achievement|action|webhook|trigger|event|board)[ \t]*:/;

/**
 * Corrects misleading codes of the parser: it reports a bracket that is never closed as wrong indentation at the place
 * where the indentation ends it, and a line that is indented too far, or a part of a list that begins in the middle of
 * a line, as a second key.
 */
function toFaultKind({ code, message, line }: { code: string; message: string; line: string }): string {
  if (code === 'BAD_INDENT' && /flow/i.test(message)) return 'MISSING_CHAR';
  if (partInside.test(line)) return 'MIDDLE_OF_LINE';
  const hasOneKey = line.split(/:(?:\s|$)/).length <= 2;
  if (code !== 'BLOCK_AS_IMPLICIT_KEY' || !hasOneKey) return code;
  return /compact mapping/i.test(message) ? 'DEEPER_BELOW' : 'BAD_INDENT';
}

function lineAt(text: string, position: number): string {
  return text
    .slice(text.lastIndexOf('\n', position - 1) + 1)
    .split('\n', 1)
    .join('');
}

/**
 * Returns the fault of a text that must not be given to the YAML parser. Takes little time, in proportion to the text.
 */
function findYamlProblem(text: string): Fault | undefined {
  const control = notPrintable.exec(text);
  if (control !== null) {
    const span = { start: control.index, end: control.index + control[0].length };
    return newFault(span, `the character ${formatCodePoint(control[0])} cannot stand in YAML`, {
      expected: 'text in UTF-8',
    });
  }
  let [tokens, depth, offset] = [0, 0, 0];
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth = Math.max(0, depth - 1);
    const span = { start: offset, end: offset };
    if (depth > maxBrackets)
      return newFault(span, 'too many brackets inside each other', { expected: `at most ${maxBrackets}` });
    if (tokens > maxTokens)
      return newFault(span, 'the file has too many parts', { expected: 'one list of achievements' });
    // The lexer marks documents and scalars with single control characters that are not in the text.
    if (!isMark(token)) offset = Math.min(text.length, offset + token.length);
  }
  return undefined;
}

function isMark(token: string): boolean {
  return token === '\u0002' || token === '\u0018' || token === '\u001f';
}

/** Decodes a file. A file that is too large or no UTF-8 has one fault. */
export function decode(bytes: Uint8Array): { text: string; fault?: Fault } {
  const isTooLarge = bytes.length > maxFileBytes;
  const readBytes = isTooLarge ? bytes.subarray(0, 0) : bytes;
  if (isTooLarge) {
    const fault = newFault({ start: 0, end: 0 }, `the file has ${bytes.length} bytes`, {
      expected: `at most ${maxFileBytes}`,
    });
    return { text: '', fault };
  }
  const text = new TextDecoder('utf-8').decode(readBytes);
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(readBytes);
    return { text };
  } catch {
    const start = Math.max(0, text.indexOf('\ufffd'));
    return {
      text,
      fault: newFault({ start, end: start + 1 }, 'these bytes are not UTF-8', { expected: 'text in UTF-8' }),
    };
  }
}

/** The parts of lists in a file of achievements, by the key that each begins with. */
const partsOfAchievements = ['achievement', 'action', 'webhook'];
/** A key at the top of the file ends the part before it. */
const topKey = /^[^\s#-]/gm;
/** Each attempt leaves out one part, and parses the whole text: a large file has fewer of them. */
const maxAttempts = 20;
const maxParsedLength = 1024 * 1024;

/**
 * Reads YAML in which single parts of a list are no YAML, such as an achievement with wrong indentation: they are left
 * out, and the others are read. Places of faults refer to the whole text.
 */
export function readYamlByParts(text: string, kinds: readonly string[] = partsOfAchievements): ReadYaml {
  /** The beginning of a part of one of the file's lists. */
  const partBegins = new RegExp(`^([ \\t]*)-[ \\t]+(${kinds.join('|')})[ \\t]*:`, 'gm');
  const first = readYaml(text);
  if (first.root !== undefined || first.faults.length === 0) return first;
  const { faults, shown: indented } = withoutMisplaced(text, partBegins);
  let shown = indented;
  let read = faults.length === 0 ? first : readYaml(shown);
  const attempts = Math.min(maxAttempts, Math.floor(maxParsedLength / text.length));
  for (let attempt = 0; attempt < attempts && read.root === undefined; attempt += 1) {
    const [fault] = read.faults;
    const part = fault && partAround(shown, partBegins, fault.start);
    if (fault === undefined || part === undefined || part.isLast) return first;
    faults.push(fault);
    shown = shown.slice(0, part.start) + blank(shown.slice(part.start, part.end)) + shown.slice(part.end);
    read = readYaml(shown);
  }
  return read.root === undefined ? first : { root: read.root, faults: [...faults, ...read.faults] };
}

/**
 * Leaves out the parts that begin further in or out than most parts of the same kind. The parser would report them at
 * a later place, in parts without an error.
 */
function withoutMisplaced(text: string, partBegins: RegExp): { shown: string; faults: Fault[] } {
  const parts = [...text.matchAll(partBegins)].map(({ index, 1: indentation = '', 2: kind = '' }) => ({
    index,
    column: indentation.length,
    kind,
  }));
  const usual = usualColumns(parts);
  const ends = [...parts.map(({ index }) => index), ...[...text.matchAll(topKey)].map(({ index }) => index)];
  ends.sort((one, other) => one - other);
  const faults: Fault[] = [];
  const pieces: string[] = [];
  let position = 0;
  let next = 0;
  for (const { index, column, kind } of parts) {
    const expected = usual.get(kind) ?? column;
    if (column === expected) continue;
    faults.push(misplaced(kind, { index, column, usual: expected }));
    while ((ends[next] ?? text.length) <= index && next < ends.length) next += 1;
    const end = ends[next] ?? text.length;
    pieces.push(text.slice(position, index), blank(text.slice(index, end)));
    position = end;
  }
  return { shown: pieces.join('') + text.slice(position), faults };
}

/** Returns the column at which most parts of each kind begin; of two that are as frequent, the first one. */
function usualColumns(parts: readonly { column: number; kind: string }[]): ReadonlyMap<string, number> {
  const usual = new Map<string, number>();
  for (const [kind, list] of Map.groupBy(parts, (part) => part.kind)) {
    const [most] = [...Map.groupBy(list, ({ column }) => column)].toSorted(
      ([, one], [, other]) => other.length - one.length,
    );
    if (most !== undefined) usual.set(kind, most[0]);
  }
  return usual;
}

function misplaced(kind: string, { index, column, usual }: { index: number; column: number; usual: number }): Fault {
  const place = { start: index + column, end: index + column + 1 };
  return newFault(place, `this ${kind} begins after ${spaces(column)}, and others of the list after ${usual}`, {
    expected: `${spaces(usual)} before "- ${kind}:", and its keys deeper than that`,
  });
}

function spaces(count: number): string {
  return `${count} ${count === 1 ? 'space' : 'spaces'}`;
}

/** Returns the part of a list that holds a place, and whether no other part is left. */
function partAround(
  text: string,
  partBegins: RegExp,
  place: number,
): { start: number; end: number; isLast: boolean } | undefined {
  const starts = [...text.matchAll(partBegins)].map(({ index }) => index);
  const start = starts.findLast((start) => start <= place);
  if (start === undefined) return undefined;
  const next = [...starts, ...[...text.matchAll(topKey)].map(({ index }) => index)].filter(
    (position) => position > start,
  );
  return { start, end: Math.min(text.length, ...next), isLast: starts.length === 1 };
}

/** Replaces all but the ends of lines by spaces, so that places stay the same. */
function blank(text: string): string {
  return text.replace(/[^\r\n]/g, ' ');
}

import { nearest } from '../../../model/text.ts';
import { alternatives, type Fault, newFault, type Span } from './fault.ts';
import {
  type ComparisonOperator,
  type Condition,
  comparisonOperators,
  type Integer,
  type Name,
  type Operand,
  type Ranking,
  type SetForm,
  type Text,
  type Value,
} from './syntax.ts';

/** Ends the parsing of a condition at its first fault of grammar, because further faults would be guesses. */
class SyntaxFault extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** The tokens of a condition, read one after the other. */
class TokenStream {
  readonly #tokens: readonly Token[];
  #position = 0;

  /** @param tokens at least one, the last of kind `end`. */
  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** Returns the next token, or one after it; past the end, the token `end`. */
  peek(ahead = 0): Token {
    const token = this.#tokens[this.#position + ahead] ?? this.#tokens.at(-1);
    if (token === undefined) throw new Error('a condition has no end');
    return token;
  }

  next(): Token {
    const token = this.peek();
    if (token.kind !== 'end') this.#position += 1;
    return token;
  }

  /** The end of the token that was read last. */
  get end(): number {
    return this.#tokens[this.#position - 1]?.end ?? 0;
  }

  isSymbol(symbol: string, ahead = 0): boolean {
    const { kind, text } = this.peek(ahead);
    return kind === 'symbol' && text === symbol;
  }

  isWord(text: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === 'word' && token.text.toLowerCase() === text;
  }

  /** Takes the symbol if it comes next. */
  take(symbol: string): boolean {
    const isNext = this.isSymbol(symbol);
    if (isNext) this.#position += 1;
    return isNext;
  }

  expectSymbol(symbol: string, expected: string = symbol): Token {
    if (!this.isSymbol(symbol)) this.fail(expected);
    return this.next();
  }

  /** Throws a fault at the next token, which is not valid there. */
  fail(expected: string, suggestion?: string): never {
    const token = this.peek();
    if (token.problem !== undefined) throw new SyntaxFault(newFault(token, token.problem.message, token.problem));
    throw this.faultAt(token, `found ${describeToken(token)}`, expected, suggestion);
  }

  faultAt(span: Span, message: string, expected?: string, suggestion?: string): SyntaxFault {
    return new SyntaxFault(newFault(span, message, { expected, suggestion }));
  }
}

/** A token of a condition. `text` is its source; for a quoted string, the text between the quotes. */
interface Token extends Span {
  kind: 'word' | 'integer' | 'quoted' | 'symbol' | 'end' | 'unreadable';
  text: string;
  /** For an unreadable token: the reason, and the text that is valid there. */
  problem?: { message: string; expected: string | undefined; suggestion: string | undefined };
}

const symbols = new Set(['!=', '>=', '<=', '(', ')', '[', ']', '{', '}', ',', '&', '|', '!', '=', '>', '<']);

/** Operators of other languages, with their counterparts in this one. */
const foreignSymbols: Readonly<Record<string, string>> = {
  '===': '=',
  '!==': '!=',
  '==': '=',
  '&&': '&',
  '||': '|',
  '<>': '!=',
  '=>': '>=',
  '=<': '<=',
  '≥': '>=',
  '≤': '<=',
  '≠': '!=',
};
const foreignQuotes = /^[\u2018\u2019\u201a\u201c\u201d\u201e\u00b4\u00ab\u00bb`]/;
/** Invisible characters: soft hyphen, zero-width spaces and joiners, marks of direction. */
const invisible = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069]/;
const whiteSpace = /\s/y;
const quoted = /'[^'\r\n]*'|"[^"\r\n]*"/y;
const restOfLine = /[^\r\n]*/y;
const word = /[^\s'"()[\]{}!=<>&|,≥≤≠\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069]+/y;

const functionNames = ['count', 'age', 'sum', 'rank'] as const;
/** The largest whole number in a condition: PostgreSQL and all hosts can count to it. */
export const maxInteger = 2_147_483_647;

const looksLikeDate = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/;
const looksLikeTime = /^\d{1,2}:\d/;

const closing: Readonly<Record<string, string>> = { '[': ']', '{': '}' };
const forms: Readonly<Record<string, SetForm>> = { '[': 'any', '![': 'none', '{': 'all', '!{': 'not_all' };

/** The maximum length of a condition, in UTF-16 units. */
export const maxConditionLength = 2000;
/** The maximum depth of nested parentheses, those of count() included. */
const maxDepth = 20;

type Parsed = { condition: Condition; fault?: undefined } | { condition?: undefined; fault: Fault };

/** Parses a condition. Returns the first fault when the text does not follow the grammar. */
export function parseCondition(text: string): Parsed {
  if (text.length > maxConditionLength) {
    const span = { start: maxConditionLength, end: text.length };
    return {
      fault: newFault(span, `the condition has ${text.length} characters`, {
        expected: `at most ${maxConditionLength}`,
      }),
    };
  }
  const tokens = new TokenStream(readTokens(text));
  try {
    const condition = parseOr(tokens, 0);
    if (tokens.peek().kind !== 'end') failBetweenTerms(tokens);
    return { condition };
  } catch (error) {
    if (error instanceof SyntaxFault) return { fault: error.fault };
    throw error;
  }
}

function parseOr(tokens: TokenStream, depth: number): Condition {
  return parseJunction(tokens, 'or', '|', () => parseJunction(tokens, 'and', '&', () => parseTerm(tokens, depth)));
}

function parseJunction(tokens: TokenStream, kind: 'and' | 'or', symbol: string, parseNext: () => Condition): Condition {
  const { start } = tokens.peek();
  const first = parseNext();
  const terms = [first];
  while (tokens.take(symbol)) terms.push(parseNext());
  return terms.length === 1 ? first : { kind, terms, start, end: tokens.end };
}

function parseTerm(tokens: TokenStream, depth: number): Condition {
  const token = tokens.peek();
  if (token.kind === 'word') {
    if (tokens.isWord('rank') && tokens.isSymbol('(', 1)) return parseRanking(tokens);
    return parseFieldOrFunction(tokens, depth);
  }
  if (!tokens.isSymbol('(')) {
    tokens.fail(
      token.kind === 'integer' || token.kind === 'quoted'
        ? 'a field or a function first, as in count() >= 5'
        : 'a field, a function like count(), or (',
    );
  }
  const inner = parseParenthesised(tokens, depth);
  if (!tokens.isSymbol(')')) failBetweenTerms(tokens, ')');
  tokens.next();
  return inner;
}

function parseParenthesised(tokens: TokenStream, depth: number): Condition {
  const open = tokens.expectSymbol('(');
  if (depth >= maxDepth) {
    throw tokens.faultAt(open, 'too many parentheses inside each other', `at most ${maxDepth}`);
  }
  return parseOr(tokens, depth + 1);
}

function parseFieldOrFunction(tokens: TokenStream, depth: number): Condition {
  const { start } = tokens.peek();
  const operand = parseOperand(tokens, () => {
    const inner = parseParenthesised(tokens, depth);
    if (!tokens.isSymbol(')')) failBetweenTerms(tokens, ')');
    return inner;
  });
  if (operand.kind === 'field' && tokens.isWord('in')) {
    tokens.next();
    const set = parseSet(tokens);
    return { kind: 'membership', field: operand.name, ...set, start, end: tokens.end };
  }
  const operator = parseComparisonOperator(tokens, operand);
  const value = parseValue(tokens);
  return { kind: 'comparison', operand, operator, value, start, end: tokens.end };
}

const joints: Readonly<Record<string, string>> = { and: '&', or: '|', ',': '&', ';': '&' };

/** Throws a fault, because a complete term is followed neither by an operator nor by an end. */
function failBetweenTerms(tokens: TokenStream, close?: string): never {
  const found = tokens.peek();
  const expected = close === undefined ? '& or | before another term, or the end' : `&, | or ${close}`;
  tokens.fail(expected, found.kind === 'quoted' ? undefined : joints[found.text.toLowerCase()]);
}

function parseComparisonOperator(tokens: TokenStream, operand: Operand): ComparisonOperator {
  const { kind, text } = tokens.peek();
  const operator = comparisonOperators.find((operator) => operator === text);
  if (kind !== 'symbol' || operator === undefined) return failAfterOperand(tokens, operand);
  tokens.next();
  return operator;
}

function failAfterOperand(tokens: TokenStream, operand: Operand): never {
  const { kind, text } = tokens.peek();
  const expected = comparisonOperators.join(' ');
  if (operand.kind !== 'field') return tokens.fail(`one of ${expected}`);
  const name = operand.name.text;
  if (functionNames.some((known) => known === name.toLowerCase()))
    return tokens.fail('( after a function', `${name}()`);
  failAtForeignWord(tokens, name);
  if (kind === 'symbol' && ['[', '{', '!'].includes(text)) return tokens.fail('in before a set', `${name} in ${text}`);
  return tokens.fail(`one of ${expected} or in after ${name}`, isTermEnd(kind, text) ? `${name} = true` : undefined);
}

/** Throws a fault at a word of another language that stands in the place of an operator. */
function failAtForeignWord(tokens: TokenStream, name: string): void {
  if (tokens.isWord('not') && tokens.isWord('in', 1)) {
    tokens.fail('in and a set with ! before it', `${name} in ![...]`);
  }
  if (tokens.isWord('between')) {
    const [from, until] = [tokens.peek(1).text, tokens.peek(3).text];
    const isWhole = tokens.isWord('and', 2) || tokens.isSymbol(',', 2) || tokens.isSymbol('&', 2);
    tokens.fail('two comparisons', isWhole ? `${name} >= ${from} & ${name} <= ${until}` : undefined);
  }
  if (tokens.isWord('contains') || tokens.isWord('includes') || tokens.isWord('has')) {
    tokens.fail('in and a set', `${name} in ['${tokens.peek(1).text}']`);
  }
  if (tokens.isWord('is') || tokens.isWord('equals')) tokens.fail('an operator', '=');
}

function isTermEnd(kind: string, text: string): boolean {
  return kind === 'end' || (kind === 'symbol' && ['&', '|', ')'].includes(text));
}

function parseValue(tokens: TokenStream): Value {
  const token = tokens.peek();
  if (token.kind === 'integer') return parseInteger(tokens, 'a number');
  if (token.kind === 'quoted') return toText(tokens.next());
  if (token.kind !== 'word') {
    tokens.fail(
      tokens.isSymbol('[') || tokens.isSymbol('{')
        ? 'in before a set, as in labels in [...]'
        : 'a number, a date, true, false, a word, or a string in quotes',
    );
  }
  tokens.next();
  const { text, start, end } = token;
  if (looksLikeDate.test(text)) {
    const time = tokens.peek();
    if (time.kind !== 'word' || !looksLikeTime.test(time.text)) return { kind: 'date', text, start, end };
    tokens.next();
    return { kind: 'date', text: `${text} ${time.text}`, start, end: time.end };
  }
  const lower = text.toLowerCase();
  if (lower === 'true' || lower === 'false') return { kind: 'flag', value: lower === 'true', start, end };
  return toText(token);
}

/** Parses the set after `in`. */
function parseSet(tokens: TokenStream): { form: SetForm; items: Text[] } {
  const isNegated = tokens.take('!');
  const open = tokens.peek();
  const close = open.kind === 'symbol' ? closing[open.text] : undefined;
  if (close === undefined) {
    const isBare = open.kind === 'quoted' || open.kind === 'word';
    tokens.fail('a set: [any of these], ![none], {all} or !{not all}', isBare ? `['${open.text}']` : undefined);
  }
  tokens.next();
  const items: Text[] = [];
  do {
    if (!['word', 'integer', 'quoted'].includes(tokens.peek().kind)) tokens.fail('a value, like a label in quotes');
    items.push(toText(tokens.next()));
  } while (tokens.take(','));
  if (!tokens.isSymbol(close)) failInSet(tokens, items.at(-1), close);
  tokens.next();
  return { form: forms[`${isNegated ? '!' : ''}${open.text}`] ?? 'any', items };
}

function failInSet(tokens: TokenStream, last: Text | undefined, close: string): never {
  const words = last?.isQuoted === false ? [last.text] : [];
  for (let ahead = 0; words.length > 0 && ['word', 'integer'].includes(tokens.peek(ahead).kind); ahead += 1) {
    words.push(tokens.peek(ahead).text);
  }
  tokens.fail(`, or ${close}`, words.length > 1 ? `'${words.join(' ')}'` : undefined);
}

/**
 * Parses a field or a function.
 * @param parseInner parses the parentheses of count() from the opening one up to the closing one, which it leaves.
 */
function parseOperand(tokens: TokenStream, parseInner: () => Condition): Operand {
  const token = tokens.next();
  const { start, text } = token;
  if (!tokens.isSymbol('(')) return { kind: 'field', name: toName(token), start, end: token.end };
  switch (text.toLowerCase()) {
    case 'count': {
      const condition = tokens.isSymbol(')', 1) ? openEmpty(tokens) : parseInner();
      tokens.expectSymbol(')');
      return { kind: 'count', condition, start, end: tokens.end };
    }
    case 'age': {
      tokens.next();
      if (tokens.peek().kind !== 'word') tokens.fail('seconds, minutes, hours or days');
      const unit = toName(tokens.next());
      tokens.expectSymbol(')');
      return { kind: 'age', unit, start, end: tokens.end };
    }
    case 'sum': {
      const actions = parseActions(tokens);
      return { kind: 'sum', actions, start, end: tokens.end };
    }
    default: {
      const suggestion = nearest(text, functionNames);
      throw tokens.faultAt(token, `${text} is not a function`, alternatives(functionNames), suggestion);
    }
  }
}

function openEmpty(tokens: TokenStream): null {
  tokens.next();
  return null;
}

/** Parses `rank(n)`, an optional `&`, and the sum that orders the ranking. */
function parseRanking(tokens: TokenStream): Ranking {
  const { start } = tokens.next();
  tokens.expectSymbol('(');
  const rank = parseInteger(tokens, 'a rank, as in rank(1)');
  tokens.expectSymbol(')');
  tokens.take('&');
  if (!tokens.isWord('sum') || !tokens.isSymbol('(', 1))
    tokens.fail('the sum that orders people, as in rank(1) sum(commits)');
  tokens.next();
  const actions = parseActions(tokens);
  const { kind, text } = tokens.peek();
  if (kind === 'symbol' && /^(!=|[=<>]=?)$/.test(text)) {
    tokens.fail('the end of the ranking; to compare the sum too, repeat it: & sum(...) >= 10');
  }
  return { kind: 'ranking', rank, actions, start, end: tokens.end };
}

function parseActions(tokens: TokenStream): Text[] {
  tokens.expectSymbol('(');
  const actions: Text[] = [];
  do {
    if (!['word', 'integer', 'quoted'].includes(tokens.peek().kind)) tokens.fail('the name of a point action');
    actions.push(toText(tokens.next()));
  } while (tokens.take(','));
  if (!tokens.isSymbol(')')) tokens.fail(', or )');
  tokens.next();
  return actions;
}

function parseInteger(tokens: TokenStream, expected: string): Integer {
  const token = tokens.peek();
  if (token.kind !== 'integer') tokens.fail(expected);
  if (token.text.length > 15 || Number(token.text) > maxInteger) {
    throw tokens.faultAt(token, `${token.text.slice(0, 15)} is too large`, `at most ${maxInteger}`);
  }
  tokens.next();
  return { kind: 'integer', value: Number(token.text), start: token.start, end: token.end };
}

function toText({ kind, text, start, end }: Token): Text {
  return { kind: 'text', text, isQuoted: kind === 'quoted', start, end };
}

function toName({ text, start, end }: Token): Name {
  return { text, start, end };
}

/** Splits a condition into tokens, the last of which has the kind `end`. Takes time in proportion to the text. */
function readTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let position = 0;
  while (position < text.length) {
    whiteSpace.lastIndex = position;
    if (whiteSpace.test(text)) {
      position += 1;
      continue;
    }
    const token = readToken(text, position);
    tokens.push(token);
    position = token.end;
  }
  tokens.push({ kind: 'end', text: '', start: text.length, end: text.length });
  return tokens;
}

function readToken(text: string, start: number): Token {
  const quote = text[start];
  if (quote === "'" || quote === '"') return readQuoted(text, start, quote);
  for (const length of [3, 2, 1]) {
    const found = text.slice(start, start + length);
    const meant = foreignSymbols[found];
    if (meant !== undefined) return unreadable(found, start, `${found} is not an operator here`, undefined, meant);
    if (symbols.has(found)) return { kind: 'symbol', text: found, start, end: start + found.length };
  }
  if (foreignQuotes.test(text.slice(start, start + 1))) {
    return unreadable(text.slice(start, start + 1), start, `${quote} does not quote here`, `' or "`, undefined);
  }
  if (invisible.test(text.slice(start, start + 1))) {
    const code = text.charCodeAt(start).toString(16).toUpperCase().padStart(4, '0');
    return unreadable(
      text.slice(start, start + 1),
      start,
      `an invisible character is here (U+${code})`,
      'nothing',
      undefined,
    );
  }
  word.lastIndex = start;
  const found = word.exec(text)?.[0] ?? '';
  return { kind: /^\d+$/.test(found) ? 'integer' : 'word', text: found, start, end: start + found.length };
}

/** Reads a string, which has to end in its line, so that a missing quote does not swallow the rest. */
function readQuoted(text: string, start: number, quote: string): Token {
  quoted.lastIndex = start;
  const found = quoted.exec(text)?.[0];
  if (found !== undefined) {
    return { kind: 'quoted', text: found.slice(1, -1), start, end: start + found.length };
  }
  restOfLine.lastIndex = start;
  const rest = restOfLine.exec(text)?.[0] ?? quote;
  return unreadable(rest, start, 'this string has no end', `a closing ${quote}`, undefined);
}

function unreadable(
  text: string,
  start: number,
  message: string,
  expected: string | undefined,
  suggestion: string | undefined,
): Token {
  return { kind: 'unreadable', text, start, end: start + text.length, problem: { message, expected, suggestion } };
}

function describeToken(token: Token): string {
  if (token.kind === 'end') return 'the end of the condition';
  return token.kind === 'quoted' ? `the string '${token.text}'` : token.text;
}

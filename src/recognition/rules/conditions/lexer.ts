import { type Fault, newFault, type Span } from './fault.ts';

/** Ends the parsing of a condition at its first fault of grammar, because further faults would be guesses. */
export class SyntaxFault extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** The tokens of a condition, read one after the other. */
export class TokenStream {
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
export interface Token extends Span {
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

/** Splits a condition into tokens, the last of which has the kind `end`. Takes time in proportion to the text. */
export function readTokens(text: string): Token[] {
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

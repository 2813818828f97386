import { type Fault, newFault, type Span } from './fault.ts';
import type { Token } from './lexer.ts';

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

function describeToken(token: Token): string {
  if (token.kind === 'end') return 'the end of the condition';
  return token.kind === 'quoted' ? `the string '${token.text}'` : token.text;
}

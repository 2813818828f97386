import { type Fault, newFault } from './fault.ts';
import { readTokens } from './lexer.ts';
import { parseOperand, parseRanking } from './parse-operand.ts';
import { parseComparisonOperator, parseSet, parseValue } from './parse-value.ts';
import type { Condition } from './syntax.ts';
import { SyntaxFault, TokenStream } from './token-stream.ts';

/** The maximum length of a condition, in UTF-16 units. */
export const maxConditionLength = 2000;
/** The maximum depth of nested parentheses, those of count() included. */
export const maxDepth = 20;

export type Parsed = { condition: Condition; fault?: undefined } | { condition?: undefined; fault: Fault };

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

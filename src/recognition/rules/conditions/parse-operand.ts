import { nearest } from '../../../model/text/nearest.ts';
import { alternatives } from './fault.ts';
import type { Token } from './lexer.ts';
import type { Condition, Integer, Name, Operand, Ranking, Text } from './syntax.ts';
import type { TokenStream } from './token-stream.ts';

export const functionNames = ['count', 'age', 'sum', 'rank'] as const;
/** The largest whole number in a condition: PostgreSQL and all hosts can count to it. */
export const maxInteger = 2_147_483_647;

/**
 * Parses a field or a function.
 * @param parseInner parses the parentheses of count() from the opening one up to the closing one, which it leaves.
 */
export function parseOperand(tokens: TokenStream, parseInner: () => Condition): Operand {
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
export function parseRanking(tokens: TokenStream): Ranking {
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

export function parseInteger(tokens: TokenStream, expected: string): Integer {
  const token = tokens.peek();
  if (token.kind !== 'integer') tokens.fail(expected);
  if (token.text.length > 15 || Number(token.text) > maxInteger) {
    throw tokens.faultAt(token, `${token.text.slice(0, 15)} is too large`, `at most ${maxInteger}`);
  }
  tokens.next();
  return { kind: 'integer', value: Number(token.text), start: token.start, end: token.end };
}

export function toText({ kind, text, start, end }: Token): Text {
  return { kind: 'text', text, isQuoted: kind === 'quoted', start, end };
}

function toName({ text, start, end }: Token): Name {
  return { text, start, end };
}

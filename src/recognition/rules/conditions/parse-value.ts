import { functionNames, parseInteger, toText } from './parse-operand.ts';
import {
  type ComparisonOperator,
  comparisonOperators,
  type Operand,
  type SetForm,
  type Text,
  type Value,
} from './syntax.ts';
import type { TokenStream } from './token-stream.ts';

const looksLikeDate = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/;
const looksLikeTime = /^\d{1,2}:\d/;

export function parseComparisonOperator(tokens: TokenStream, operand: Operand): ComparisonOperator {
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

export function parseValue(tokens: TokenStream): Value {
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

const closing: Readonly<Record<string, string>> = { '[': ']', '{': '}' };
const forms: Readonly<Record<string, SetForm>> = { '[': 'any', '![': 'none', '{': 'all', '!{': 'not_all' };

/** Parses the set after `in`. */
export function parseSet(tokens: TokenStream): { form: SetForm; items: Text[] } {
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

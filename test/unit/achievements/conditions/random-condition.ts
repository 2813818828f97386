import fc from 'fast-check';
import {
  type Comparison,
  type Condition,
  comparisonOperators,
  type Operand,
  type Ranking,
  type Text,
  type Value,
} from '../../../../src/recognition/rules/conditions/syntax.ts';

/** Generates conditions that the grammar allows, whether or not they mean anything. Their spans are all empty. */

const keywords = new Set(['true', 'false', 'in']);
const word = fc
  .stringMatching(/^[A-Za-z_äß鍵][A-Za-z0-9_./+:#äß鍵-]{0,12}$/)
  .filter((text) => !keywords.has(text.toLowerCase()));
const name = word.map((text) => ({ text, start: 0, end: 0 }));
const quoted = fc
  .string({ maxLength: 12, unit: 'grapheme' })
  .filter((text) => !/[\r\n]/.test(text) && !(text.includes("'") && text.includes('"')));
const text: fc.Arbitrary<Text> = fc.oneof(
  word.map((text): Text => ({ kind: 'text', text, isQuoted: false, start: 0, end: 0 })),
  quoted.map((text): Text => ({ kind: 'text', text, isQuoted: true, start: 0, end: 0 })),
);
const texts = fc.array(text, { minLength: 1, maxLength: 4 });
const integer = fc.nat({ max: 2_147_483_647 }).map((value) => ({ kind: 'integer' as const, value, start: 0, end: 0 }));
const date = fc
  .tuple(fc.constantFrom('01-19-2024', '2024-01-19', '1-2-3', '31-31-0000'), fc.constantFrom('', ' 08:00', ' 23:59:59'))
  .map(([day, time]) => ({ kind: 'date' as const, text: `${day}${time}`, start: 0, end: 0 }));
const flag = fc.boolean().map((value) => ({ kind: 'flag' as const, value, start: 0, end: 0 }));
const value: fc.Arbitrary<Value> = fc.oneof(integer, date, flag, text);
const operator = fc.constantFrom(...comparisonOperators);

const ranking: fc.Arbitrary<Ranking> = fc
  .tuple(integer, texts)
  .map(([rank, actions]) => ({ kind: 'ranking', rank, actions, start: 0, end: 0 }));
const membership = fc
  .tuple(name, fc.constantFrom('any', 'none', 'all', 'not_all'), texts)
  .map(([field, form, items]): Condition => ({ kind: 'membership', field, form, items, start: 0, end: 0 }));

function comparison(operand: fc.Arbitrary<Operand>): fc.Arbitrary<Comparison> {
  return fc
    .tuple(operand, operator, value)
    .map(([operand, operator, value]) => ({ kind: 'comparison', operand, operator, value, start: 0, end: 0 }));
}

const plainOperand: fc.Arbitrary<Operand> = fc.oneof(
  name.map((name): Operand => ({ kind: 'field', name, start: 0, end: 0 })),
  name.map((unit): Operand => ({ kind: 'age', unit, start: 0, end: 0 })),
  texts.map((actions): Operand => ({ kind: 'sum', actions, start: 0, end: 0 })),
);

export const randomCondition: fc.Arbitrary<Condition> = fc.letrec<{ condition: Condition; term: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4 },
    tie('term'),
    junction('and', tie('condition')),
    junction('or', tie('condition')),
  ),
  term: fc.oneof(
    { maxDepth: 3 },
    comparison(plainOperand),
    membership,
    ranking,
    comparison(
      fc.option(tie('condition')).map((condition): Operand => ({ kind: 'count', condition, start: 0, end: 0 })),
    ),
  ),
})).condition;

function junction(kind: 'and' | 'or', terms: fc.Arbitrary<Condition>): fc.Arbitrary<Condition> {
  return fc.array(terms, { minLength: 2, maxLength: 3 }).map((terms): Condition => ({ kind, terms, start: 0, end: 0 }));
}

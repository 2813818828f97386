import type { Condition, Operand, SetForm, Text, Value } from '../../../../src/recognition/rules/conditions/syntax.ts';

const brackets: Readonly<Record<SetForm, readonly [string, string]>> = {
  any: ['[', ']'],
  none: ['![', ']'],
  all: ['{', '}'],
  not_all: ['!{', '}'],
};

/** Writes a condition so that parsing it again gives the same one. */
export function printCondition(condition: Condition): string {
  if (condition.kind === 'comparison') {
    return `${printOperand(condition.operand)} ${condition.operator} ${printValue(condition.value)}`;
  }
  if (condition.kind === 'membership') {
    const [open, close] = brackets[condition.form];
    return `${condition.field.text} in ${open}${condition.items.map(printText).join(', ')}${close}`;
  }
  if (condition.kind === 'ranking') {
    return `rank(${condition.rank.value}) sum(${condition.actions.map(printText).join(', ')})`;
  }
  if (condition.kind === 'and') return condition.terms.map(printTerm).join(' & ');
  return condition.terms.map((term) => (term.kind === 'or' ? printTerm(term) : printCondition(term))).join(' | ');
}

function printTerm(term: Condition): string {
  return term.kind === 'and' || term.kind === 'or' ? `(${printCondition(term)})` : printCondition(term);
}

function printOperand(operand: Operand): string {
  if (operand.kind === 'field') return operand.name.text;
  if (operand.kind === 'age') return `age(${operand.unit.text})`;
  if (operand.kind === 'sum') return `sum(${operand.actions.map(printText).join(', ')})`;
  return `count(${operand.condition === null ? '' : printCondition(operand.condition)})`;
}

function printValue(value: Value): string {
  return value.kind === 'text' ? printText(value) : value.kind === 'date' ? value.text : String(value.value);
}

/** There are no escapes, so a string never contains the kind of quotes around it. */
function printText({ text, isQuoted }: Text): string {
  if (!isQuoted) return text;
  return text.includes("'") ? `"${text}"` : `'${text}'`;
}

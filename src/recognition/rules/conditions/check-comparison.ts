import { nearest } from '../../../model/text.ts';
import { alternatives, type Fault, newFault, type Span } from './fault.ts';
import { maxInteger } from './parser.ts';
import type { Comparison, Membership, Text, Value } from './syntax.ts';
import { dateForms, type ItemTerm, nearestDate, readDate } from './terms.ts';
import {
  emojiAliases,
  emojis,
  type Field,
  type FieldOf,
  type FieldType,
  fieldTypes,
  isOfType,
  wordsByType,
} from './vocabulary.ts';

type ListField = FieldOf<'labels' | 'emojis' | 'logins' | 'paths'>;

interface CheckedItem {
  value: string;
  fault?: Fault;
}

const login = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]*)(?:\[bot\])?$/u;

interface CheckedTerm {
  term?: ItemTerm;
  faults: Fault[];
}

/** Checks that the operator and the value of a comparison fit the type of its field. */
export function checkFieldComparison(comparison: Comparison, field: Field): CheckedTerm {
  const { operator, start, end } = comparison;
  const span = { start, end };
  if (isOfType(field, 'number')) {
    if (comparison.value.kind !== 'integer') return wrongValue(comparison, field);
    return { term: { kind: 'number', field, operator, value: comparison.value.value, ...span }, faults: [] };
  }
  if (isOfType(field, 'date')) return checkDate(comparison, field, span);
  if (isOfType(field, 'flag')) return checkFlag(comparison, field, span);
  if (field === 'reason') {
    const checked = checkWord(comparison, field, wordsByType.reason);
    return 'found' in checked ? { term: { kind: field, ...checked.found, ...span }, faults: [] } : checked;
  }
  if (field === 'state') {
    const checked = checkWord(comparison, field, wordsByType.state);
    return 'found' in checked ? { term: { kind: field, ...checked.found, ...span }, faults: [] } : checked;
  }
  const sample = comparison.value.kind === 'text' ? comparison.value.text : '...';
  return refuse(comparison, `${field} is a list, which is not compared with ${operator}`, {
    expected: `${field} in [...]`,
    suggestion: `${field} in ['${sample}']`,
  });
}

const valuesByType: Readonly<Record<FieldType, string>> = {
  flag: 'true or false',
  number: `a whole number up to ${maxInteger}`,
  date: dateForms,
  reason: alternatives(wordsByType.reason),
  state: alternatives(wordsByType.state),
  labels: 'a set',
  emojis: 'a set',
  logins: 'a set',
  paths: 'a set',
  points: 'a whole number',
};

function checkFlag(comparison: Comparison, field: FieldOf<'flag'>, span: Span): CheckedTerm {
  const { operator, value } = comparison;
  if (operator !== '=' && operator !== '!=') return wrongOperator(comparison, field);
  if (value.kind !== 'flag') return wrongValue(comparison, field);
  const flag = (operator === '=') === value.value;
  const faults =
    field === 'starred' && !flag
      ? [
          newFault(span, 'this holds for no account: accounts that did not star are not known here', {
            severity: 'warning',
            expected: 'starred = true',
          }),
        ]
      : [];
  return { term: { kind: 'flag', field, value: flag, ...span }, faults };
}

function checkDate(comparison: Comparison, field: FieldOf<'date'>, span: Span): CheckedTerm {
  const { operator, value } = comparison;
  if (value.kind !== 'date' && value.kind !== 'text') return wrongValue(comparison, field);
  const { date, message } = readDate(value.text);
  if (date === undefined) {
    return refuse(value, message, { expected: dateForms, suggestion: nearestDate(value.text) });
  }
  return { term: { kind: 'date', field, operator, value: date, ...span }, faults: [] };
}

function checkWord<Word extends string>(
  { operator, operand, value }: Comparison,
  field: 'reason' | 'state',
  words: readonly Word[],
): { found: { operator: '=' | '!='; value: Word } } | { faults: Fault[] } {
  if (operator !== '=' && operator !== '!=') return wrongOperator({ operand, operator }, field);
  const text = formatValue(value);
  const found = words.find((word) => word.toLowerCase() === text.toLowerCase());
  if (value.kind === 'text' && found !== undefined) return { found: { operator, value: found } };
  return refuse(value, `${text} is not a ${field}`, {
    expected: valuesByType[field],
    suggestion: nearest(text, words),
  });
}

function wrongOperator({ operand, operator }: Pick<Comparison, 'operand' | 'operator'>, field: Field): CheckedTerm {
  const type: FieldType = fieldTypes[field];
  return refuse(operand, `${field} is not compared with ${operator}`, {
    expected: `= or != and ${valuesByType[type]}`,
  });
}

function wrongValue({ value }: Comparison, field: Field): CheckedTerm {
  const type: FieldType = fieldTypes[field];
  const text = formatValue(value);
  const isQuotedFlag = type === 'flag' && value.kind === 'text' && value.isQuoted && /^(?:true|false)$/i.test(text);
  if (isQuotedFlag) {
    const expected = `${text.toLowerCase()} without quotes`;
    return refuse(value, `'${text}' in quotes is a text`, { expected, suggestion: text.toLowerCase() });
  }
  const suggestion =
    type === 'flag' ? nearest(text, ['true', 'false']) : type === 'number' && /^\d+$/.test(text) ? text : undefined;
  return refuse(value, `${field} is compared with ${text}`, { expected: valuesByType[type], suggestion });
}

function formatValue(value: Value): string {
  return value.kind === 'integer' || value.kind === 'flag' ? String(value.value) : value.text;
}

function refuse(
  span: Span,
  message: string,
  details: { expected: string; suggestion?: string | undefined },
): CheckedTerm {
  return { faults: [newFault(span, message, details)] };
}

/** Checks that the values of a set can be in the lists of the field. */
export function checkList({ field: name, form, items, start, end }: Membership, field: Field): CheckedTerm {
  if (!isOfType(field, 'labels', 'emojis', 'logins', 'paths')) {
    const expected =
      field === 'reason' || field === 'state'
        ? `${field} = ${wordsByType[field][1]}`
        : `a comparison like ${field} = ...`;
    return { faults: [newFault(name, `${field} is not a list`, { expected })] };
  }
  const faults: Fault[] = [];
  const values = items.map((item) => {
    const { value, fault } = checkItem(item, field);
    if (fault !== undefined) faults.push(fault);
    return value;
  });
  return { term: { kind: 'list', field, form, values: [...new Set(values)], start, end }, faults };
}

function checkItem(item: Text, field: ListField): CheckedItem {
  if (item.text.trim() === '') {
    return { value: '', fault: newFault(item, 'this value is empty', { expected: 'a word, or words in quotes' }) };
  }
  if (isOfType(field, 'emojis')) return checkEmoji(item);
  if (isOfType(field, 'logins')) return checkLogin(item);
  return isOfType(field, 'paths') ? checkPath(item) : { value: item.text };
}

function checkEmoji(item: Text): CheckedItem {
  const name = item.text.toUpperCase();
  const known: readonly string[] = emojis;
  if (known.includes(name)) return { value: name };
  const alias = emojiAliases[item.text.toLowerCase().replaceAll(':', '')];
  const fault = newFault(item, `${item.text} is not the name of a reaction`, {
    expected: alternatives(emojis),
    suggestion: alias ?? nearest(item.text, emojis),
  });
  return { value: name, fault };
}

function checkLogin(item: Text): CheckedItem {
  if (login.test(item.text)) return { value: item.text };
  const bare = item.text.trim().replace(/^@/, '');
  const fault = newFault(item, `${item.text} is not a login`, {
    expected: 'the name of an account, without @',
    suggestion: login.test(bare) ? bare : undefined,
  });
  return { value: item.text, fault };
}

/** Warns of a path that is possible, but probably not meant: a pattern, a folder, or a path with a leading slash. */
function checkPath(item: Text): CheckedItem {
  const path = item.text;
  const isPattern = /[*?]/.test(path);
  if (!isPattern && !/^\.?\/|\/$/.test(path)) return { value: path };
  const fault = newFault(item, isPattern ? `${path} is compared letter by letter` : `no file has the path ${path}`, {
    severity: 'warning',
    expected: 'a whole path from the top of the repository, as in docs/index.md',
    suggestion: isPattern || path.endsWith('/') ? undefined : path.replace(/^\.?\/+/, ''),
  });
  return { value: path, fault };
}

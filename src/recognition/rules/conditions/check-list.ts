import { nearest } from '../../../model/text/nearest.ts';
import type { CheckedTerm } from './check-comparison.ts';
import { alternatives, type Fault, newFault } from './fault.ts';
import type { Membership, Text } from './syntax.ts';
import { emojiAliases, emojis, type Field, type FieldOf, isOfType, wordsOf } from './vocabulary.ts';

type ListField = FieldOf<'labels' | 'emojis' | 'logins' | 'paths'>;

/** Checks that the values of a set can be in the lists of the field. */
export function checkList({ field: name, form, items, start, end }: Membership, field: Field): CheckedTerm {
  if (!isOfType(field, 'labels', 'emojis', 'logins', 'paths')) {
    const expected =
      field === 'reason' || field === 'state' ? `${field} = ${wordsOf[field][1]}` : `a comparison like ${field} = ...`;
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

interface CheckedItem {
  value: string;
  fault?: Fault;
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

const login = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]*)(?:\[bot\])?$/u;

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

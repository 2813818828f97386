import type { Detail } from '../../../model/contribution.ts';
import type { ComparisonOperator } from '../conditions/syntax.ts';
import {
  type Checked,
  concernsPerson,
  type DateTerm,
  type ItemTerm,
  type ListTerm,
  type NumberTerm,
  type StateTerm,
} from '../conditions/terms.ts';
import type { Action, Actor, Field } from '../conditions/vocabulary.ts';
import type { Achievement, Config, PointRule, Trigger } from '../config.ts';
import type { Kind } from '../kinds.ts';
import { dataOfTrigger } from './required-data.ts';

/** The words for contributions and points, as people read them. */
export const nouns: Readonly<Record<Kind | Action, { one: string; many: string }>> = {
  commit: { one: 'commit', many: 'commits' },
  issue: { one: 'issue', many: 'issues' },
  pull_request: { one: 'pull request', many: 'pull requests' },
  review: { one: 'review', many: 'reviews' },
  discussion: { one: 'discussion', many: 'discussions' },
  issue_comment: { one: 'comment on an issue', many: 'comments on issues' },
  pull_request_comment: { one: 'comment on a pull request', many: 'comments on pull requests' },
  review_comment: { one: 'comment at a line of a pull request', many: 'comments at lines of pull requests' },
  star: { one: 'star', many: 'stars' },
  point: { one: 'point', many: 'points' },
};

/** Says in English what a file of achievements means, so that its author sees a different meaning before others do. */

/** Returns one sentence for each achievement and each point action. */
export function explainFile({ achievements, pointActions }: Config): string[] {
  return [
    ...pointActions.map(({ name, rules }) => `${name}: ${rules.map(explainRule).join('; ')}.`),
    ...achievements.map(explainAchievement),
  ];
}

const onDemandNames: Readonly<Record<Detail, string>> = {
  commit_lines: 'lines of commits',
  commit_files: 'files of commits',
  pull_request_files: 'files of pull requests',
};

/** Returns a sentence for each kind of data that is collected only because the file needs it. */
export function explainDemand({ achievements, pointActions }: Config): string[] {
  const needing = new Map<Detail, string[]>();
  for (const { name, triggers } of achievements) {
    const required = triggers.flat().flatMap((trigger) => dataOfTrigger(trigger, pointActions));
    for (const detail of new Set(required.flatMap(({ onDemand }) => onDemand ?? [])))
      needing.set(detail, [...(needing.get(detail) ?? []), name]);
  }
  return [...needing].map(
    ([detail, names]) =>
      `Changed ${onDemandNames[detail]} are collected only because this file needs them, for ${joinWords(names, 'and')}; nobody earns that before they are read (preview --read reads them).`,
  );
}

function explainAchievement({ name, triggers, evaluateAt }: Achievement): string {
  const groups = triggers.map((group) => {
    const conditions = group.map((trigger) => explainCondition(trigger, trigger.condition, []));
    return conditions.length > 1 ? `(${conditions.join(' or ')})` : conditions.join('');
  });
  const when = evaluateAt === null ? '' : ` at ${evaluateAt.toISOString().slice(0, 16)} UTC, when it is decided once`;
  return `${name}: a person needs ${groups.join(' and ')}${when}.`;
}

/** Describes the points of a rule, such as `5 points for each issue of their own`, without a full stop. */
export function explainRule(rule: PointRule): string {
  const points = `${rule.value} ${rule.value === 1 ? 'point' : 'points'}`;
  if (concernsPerson(rule.condition)) return `${points} once for ${explainCondition(rule, rule.condition, [])}`;
  return `${points} for each ${withFilters(formatNoun(rule, 'one'), [rule.condition], 'which')}`;
}

/** @param filters conditions on single contributions that stand beside the condition. */
function explainCondition(trigger: Trigger, condition: Checked, filters: readonly Checked[]): string {
  if (!concernsPerson(condition)) {
    return `at least one ${withFilters(formatNoun(trigger, 'one'), [...filters, condition], 'which')}`;
  }
  if ('terms' in condition) {
    const items = condition.terms.filter((term) => !concernsPerson(term));
    const persons = condition.terms.filter(concernsPerson);
    return condition.kind === 'or'
      ? `(${condition.terms.map((term) => explainCondition(trigger, term, filters)).join(' or ')})`
      : persons.map((term) => explainCondition(trigger, term, [...filters, ...items])).join(' and ');
  }
  if (condition.kind === 'count') {
    const counted = [...filters, ...(condition.condition === null ? [] : [condition.condition])];
    const number = condition.value === 1 && condition.operator !== '<' ? 'one' : 'many';
    const noun = withFilters(formatNoun(trigger, number), counted, number === 'one' ? 'which' : 'each of which');
    return `${amount(condition)} ${noun}`;
  }
  if (condition.kind === 'sum') {
    const sum = `${amount(condition)} points of ${joinWords(condition.actions, 'and')}`;
    return filters.length === 0 ? sum : `${sum} with ${explainAll(filters)}`;
  }
  if (condition.kind === 'rank') return `rank ${condition.rank} by points of ${joinWords(condition.actions, 'and')}`;
  throw new Error(`${condition.kind} is a condition on one contribution`);
}

const amounts: Readonly<Record<ComparisonOperator, string>> = {
  '=': 'exactly',
  '!=': 'any number but',
  '>': 'more than',
  '>=': 'at least',
  '<': 'fewer than',
  '<=': 'at most',
};

function amount({ operator, value }: { operator: ComparisonOperator; value: number }): string {
  return `${amounts[operator]} ${value}`;
}

const rolesOfActors: Readonly<Record<Exclude<Actor, 'author'>, (action: Action) => string>> = {
  resolved_by: (action) => (action === 'discussion' ? ' that they answered' : ' that they closed'),
  assignees: () => ' assigned to them',
  reviewers: () => ' with them as reviewer',
};

function formatNoun({ actor, action }: Trigger, number: 'one' | 'many'): string {
  const own = action === 'star' ? ' for the repository' : action === 'point' ? '' : ' of their own';
  return `${nouns[action][number]}${actor === 'author' ? own : rolesOfActors[actor](action)}`;
}

function withFilters(noun: string, filters: readonly Checked[], pronoun: string): string {
  const explanation = explainAll(filters);
  return explanation === '' ? noun : `${noun}, ${pronoun} ${explanation}`;
}

function explainAll(conditions: readonly Checked[]): string {
  return conditions
    .map(explainItem)
    .filter((text) => text !== '')
    .join(' and ');
}

/** Says what holds for a contribution, as the rest of a sentence: `is merged`, `has at least 5 comments`. */
function explainItem(condition: Checked): string {
  if ('terms' in condition) {
    return condition.kind === 'and'
      ? explainAll(condition.terms)
      : `(${condition.terms.map(explainItem).join(' or ')})`;
  }
  if (condition.kind === 'count' || condition.kind === 'sum' || condition.kind === 'rank') {
    throw new Error(`${condition.kind} is not about one contribution`);
  }
  return explainTerm(condition);
}

function explainTerm(term: ItemTerm): string {
  switch (term.kind) {
    case 'flag':
      return `is ${term.value ? '' : 'not '}${flags[term.field] ?? term.field}`;
    case 'number':
      return `has ${amount(term)} ${counted(term)}`;
    case 'date':
      return `was ${term.field.replace('_at', '')} ${explainDate(term)}`;
    case 'reason':
      return `was ${term.operator === '=' ? '' : 'not '}closed as ${term.value.toLowerCase().replaceAll('_', ' ')}`;
    case 'state':
      return `is ${term.operator === '=' ? '' : 'not '}${states[term.value]}`;
    case 'list':
      return explainList(term);
    case 'age':
      return `was open for ${amount(term)} ${term.unit}`;
    default:
      return term satisfies never;
  }
}

const states: Readonly<Record<StateTerm['value'], string>> = {
  approved: 'an approval',
  changes_requested: 'a request for changes',
  commented: 'a comment',
  dismissed: 'dismissed',
};

const flags: Partial<Record<Field, string>> = {
  first: 'the first of its author in the repository',
  first_in_organization: 'the first of its author in the organization',
};

const lines: Partial<Record<Field, string>> = {
  additions: 'added lines',
  deletions: 'deleted lines',
  changed_files: 'changed files',
};

function counted({ field }: NumberTerm): string {
  return lines[field] ?? field;
}

const datePrepositions: Readonly<Record<ComparisonOperator, string>> = {
  '=': 'on',
  '!=': 'on another day than',
  '>': 'after',
  '>=': 'on or after',
  '<': 'before',
  '<=': 'on or before',
};

function explainDate({ operator, value: { from, isWholeDay } }: DateTerm): string {
  const iso = from.toISOString();
  return `${datePrepositions[operator]} ${isWholeDay ? iso.slice(0, 10) : `${iso.slice(0, 16).replace('T', ' ')} UTC`}`;
}

const lists: Readonly<Record<ListTerm['form'], { verb: string; word: 'or' | 'and' }>> = {
  any: { verb: 'has', word: 'or' },
  none: { verb: 'has none of', word: 'and' },
  all: { verb: 'has all of', word: 'and' },
  not_all: { verb: 'lacks one or more of', word: 'and' },
};
const listNames: Readonly<Record<ListTerm['field'], string>> = {
  labels: 'the labels',
  emojis: 'the reactions',
  reactors: 'reactions of',
  actor: 'the accounts',
  files: 'changes of the files',
};

function explainList({ form, field, values }: ListTerm): string {
  const { verb, word } = lists[form];
  const quoted = values.map((value) => `'${value}'`);
  if (field === 'actor') return `is ${form === 'none' ? 'not ' : ''}by ${joinWords(quoted, 'or')}`;
  return `${verb} ${listNames[field]} ${joinWords(quoted, word)}`;
}

function joinWords(names: readonly string[], word: 'and' | 'or'): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} ${word} ${last}`;
}

import type { Detail } from '../../../model/contribution.ts';
import type { Checked } from '../../rules/conditions/checked.ts';
import type { Config } from '../../rules/config.ts';

/** Returns the details that the conditions of a file need, out of those that are collected only on demand. */
export function needsOf({ achievements, pointActions }: Pick<Config, 'achievements' | 'pointActions'>): Detail[] {
  const triggers = [
    ...achievements.flatMap((achievement) => achievement.triggers.flat()),
    ...pointActions.flatMap(({ rules }) => rules),
  ];
  const needs = new Set<Detail>();
  for (const { action, condition } of triggers) {
    const fields = fieldsIn(condition);
    if (action === 'commit' && ['additions', 'deletions', 'changed_files'].some((field) => fields.has(field))) {
      needs.add('commit_lines');
    }
    if (action === 'commit' && fields.has('files')) needs.add('commit_files');
    if (action === 'pull_request' && fields.has('files')) needs.add('pull_request_files');
  }
  return [...needs].toSorted();
}

function fieldsIn(condition: Checked): Set<string> {
  if ('terms' in condition) return new Set(condition.terms.flatMap((term) => [...fieldsIn(term)]));
  if (condition.kind === 'count') return condition.condition === null ? new Set() : fieldsIn(condition.condition);
  return new Set('field' in condition ? [condition.field] : []);
}

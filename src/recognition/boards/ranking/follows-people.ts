import type { Checked } from '../../rules/conditions/checked.ts';
import type { Board } from '../board.ts';

/**
 * Returns whether the points of a person follow from the contributions that name this person alone. The points do not
 * where a condition is about the first contribution of another person, or to other repositories of the owner, or about
 * logins of others, which may change.
 */
export function followsPeople({ rules }: Pick<Board, 'rules'>): boolean {
  return rules.every(({ actor, condition }) => dependsOnNamed(condition, actor === 'author'));
}

function dependsOnNamed(condition: Checked, isOfAuthor: boolean): boolean {
  if (condition.kind === 'and' || condition.kind === 'or')
    return condition.terms.every((term) => dependsOnNamed(term, isOfAuthor));
  if (condition.kind === 'count')
    return condition.condition === null || dependsOnNamed(condition.condition, isOfAuthor);
  if (condition.kind === 'flag')
    return condition.field !== 'first_in_organization' && (condition.field !== 'first' || isOfAuthor);
  return condition.kind !== 'list' || condition.field !== 'reactors';
}

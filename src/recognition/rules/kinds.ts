import type { ContributionKind, ItemKind } from '../../model/contribution.ts';
import type { Checked } from './conditions/terms.ts';
import type { Action } from './conditions/vocabulary.ts';
import type { Achievement, PointAction } from './config.ts';

/** A kind of contribution, as it is stored. */
export type Kind = ItemKind | ContributionKind;

/** Kinds of contributions that an action stands for. */
export const kindsOfAction: Readonly<Record<Exclude<Action, 'point'>, readonly Kind[]>> = {
  pull_request: ['pull_request'],
  review: ['review'],
  commit: ['commit'],
  issue: ['issue'],
  issue_comment: ['issue_comment'],
  pull_request_comment: ['pull_request_comment', 'review_comment'],
  discussion: ['discussion'],
  star: ['star'],
};
/** The kinds of the items that comments belong to: conditions on comments read the labels of those items. */
export const kindsAbove: Readonly<Partial<Record<Kind, Kind>>> = {
  issue_comment: 'issue',
  pull_request_comment: 'pull_request',
  review_comment: 'pull_request',
};

/** Returns the kinds of contributions that can make an account earn an achievement. */
export function decidingKinds({ triggers }: Achievement, pointActions: readonly PointAction[]): Set<Kind> {
  const kinds = new Set<Kind>();
  const addAction = (action: Action): void => {
    if (action !== 'point') for (const kind of kindsOfAction[action]) kinds.add(kind);
  };
  for (const { action, condition } of triggers.flat()) {
    addAction(action);
    const pointNames = listPointActions(condition);
    const isAny = action === 'point';
    const rules = pointActions.filter(({ name }) => isAny || pointNames.includes(name)).flatMap((point) => point.rules);
    for (const rule of rules) addAction(rule.action);
  }
  return kinds;
}

/** Returns the kinds of contributions that have to be known completely before an achievement can be evaluated. */
export function neededKinds(deciding: ReadonlySet<Kind>): Set<Kind> {
  return new Set([...deciding].flatMap((kind) => [kind, kindsAbove[kind] ?? kind]));
}

function listPointActions(condition: Checked): string[] {
  if (condition.kind === 'sum' || condition.kind === 'rank') return condition.actions;
  return condition.kind === 'and' || condition.kind === 'or' ? condition.terms.flatMap(listPointActions) : [];
}

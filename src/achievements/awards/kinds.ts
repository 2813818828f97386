import type { ContributionKind, ItemKind } from '../../contributions/contribution.ts';
import type { Checked } from '../conditions/checked.ts';
import type { Action } from '../conditions/vocabulary.ts';
import type { Achievement, PointAction } from '../config.ts';

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
/** Comments are asked for the labels of what they are below. */
const kindsAbove: Readonly<Partial<Record<Kind, Kind>>> = {
  issue_comment: 'issue',
  pull_request_comment: 'pull_request',
  review_comment: 'pull_request',
};

/** Kinds of contributions by which somebody can come to earn an achievement. */
export function decidingKinds({ triggers }: Achievement, pointActions: readonly PointAction[]): Set<Kind> {
  const kinds = new Set<Kind>();
  const addAction = (action: Action): void => {
    if (action !== 'point') for (const kind of kindsOfAction[action]) kinds.add(kind);
  };
  for (const { action, condition } of triggers.flat()) {
    addAction(action);
    const asked = pointsOf(condition);
    const isAny = action === 'point';
    const rules = pointActions.filter(({ name }) => isAny || asked.includes(name)).flatMap((point) => point.rules);
    for (const rule of rules) addAction(rule.action);
  }
  return kinds;
}

/** Kinds of contributions that have to be known completely, so that an achievement can be judged. */
export function neededKinds(deciding: ReadonlySet<Kind>): Set<Kind> {
  return new Set([...deciding].flatMap((kind) => [kind, kindsAbove[kind] ?? kind]));
}

function pointsOf(condition: Checked): string[] {
  if (condition.kind === 'sum' || condition.kind === 'rank') return condition.actions;
  return condition.kind === 'and' || condition.kind === 'or' ? condition.terms.flatMap(pointsOf) : [];
}

import type { ContributionDetails, Detail } from '../../../model/contribution.ts';
import type { Checked } from '../conditions/terms.ts';
import type { Action, Actor, Field } from '../conditions/vocabulary.ts';
import type { PointAction, Trigger } from '../config.ts';
import { type Kind, kindsAbove, kindsOfAction } from '../kinds.ts';

/** Data about the contributions of one kind by which a condition is decided. */
export interface RequiredData {
  kind: Kind;
  /** The detail that has to be known; absent: the contributions themselves. */
  detail?: keyof ContributionDetails;
  /** The same for a detail that is read on demand. */
  onDemand?: Detail;
}

/** The details of contributions that fields and actors are read from. */
export const detailOfField: Readonly<Partial<Record<Field, keyof ContributionDetails>>> = {
  comments: 'comments',
  reactions: 'reactions',
  emojis: 'reactions',
  reactors: 'reactions',
  upvotes: 'upvotes',
  labels: 'labels',
  additions: 'additions',
  deletions: 'deletions',
  changed_files: 'changedFiles',
  commits: 'commits',
  reason: 'reason',
  state: 'state',
};
export const detailOfActor: Readonly<Partial<Record<Actor, keyof ContributionDetails>>> = {
  resolved_by: 'resolvedBy',
  assignees: 'assignees',
  reviewers: 'reviewers',
};

/** Returns the data that decides whether a trigger holds, each part once. */
export function dataOfTrigger(trigger: Trigger, pointActions: readonly PointAction[]): RequiredData[] {
  const { actor, action, condition } = trigger;
  const own = listItems(actor, action);
  const everyPoint = action === 'point' ? pointActions.map(({ name }) => name) : [];
  return distinct([
    ...own,
    ...pointData(everyPoint, pointActions),
    ...dataOfCondition(trigger, condition, pointActions),
  ]);
}

/** Returns the data that decides whether one term of a trigger's condition holds, each part once. */
export function dataOfTerm(trigger: Trigger, term: Checked, pointActions: readonly PointAction[]): RequiredData[] {
  return distinct([...listItems(trigger.actor, trigger.action), ...dataOfCondition(trigger, term, pointActions)]);
}

/** Returns the contributions of an action, with the detail that shows whose they are. */
function listItems(actor: Actor, action: Action): RequiredData[] {
  if (action === 'point') return [];
  // Every stored discussion names the person who resolved it.
  const detail = action === 'discussion' ? undefined : detailOfActor[actor];
  return kindsOfAction[action].flatMap((kind) => [{ kind }, ...(detail === undefined ? [] : [{ kind, detail }])]);
}

function dataOfCondition(trigger: Trigger, condition: Checked, pointActions: readonly PointAction[]): RequiredData[] {
  if ('terms' in condition) {
    return condition.terms.flatMap((term) => dataOfCondition(trigger, term, pointActions));
  }
  if (condition.kind === 'count') {
    return condition.condition === null ? [] : dataOfCondition(trigger, condition.condition, pointActions);
  }
  if (condition.kind === 'sum' || condition.kind === 'rank') return pointData(condition.actions, pointActions);
  if (condition.kind === 'reason' || condition.kind === 'state') return dataOfField(trigger.action, condition.kind);
  return 'field' in condition ? dataOfField(trigger.action, condition.field) : [];
}

/** Returns the data of all rules that give points of some names. */
function pointData(names: readonly string[], pointActions: readonly PointAction[]): RequiredData[] {
  const rules = pointActions.filter(({ name }) => names.includes(name)).flatMap((point) => point.rules);
  return rules.flatMap((rule) =>
    listItems(rule.actor, rule.action).concat(dataOfCondition(rule, rule.condition, pointActions)),
  );
}

function dataOfField(action: Action, field: Field): RequiredData[] {
  if (action === 'point') return [];
  if (field === 'files') {
    return action === 'commit'
      ? [{ kind: 'commit', onDemand: 'commit_files' }]
      : // Hosts report the files of a pull request by its number.
        [
          { kind: 'pull_request', detail: 'number' },
          { kind: 'pull_request', onDemand: 'pull_request_files' },
        ];
  }
  const detail = detailOfField[field];
  if (detail === undefined) return [];
  if (action === 'commit') return [{ kind: 'commit', onDemand: 'commit_lines' }];
  return kindsOfAction[action].flatMap((kind): RequiredData[] => {
    const above = kindsAbove[kind];
    // The labels of a comment are those of the item below which it stands.
    if (detail !== 'labels' || above === undefined) return [{ kind, detail }];
    return [{ kind, detail: 'number' }, { kind: above }, { kind: above, detail }];
  });
}

function distinct(required: readonly RequiredData[]): RequiredData[] {
  return [...new Map(required.map((data) => [`${data.kind} ${data.detail} ${data.onDemand}`, data])).values()];
}

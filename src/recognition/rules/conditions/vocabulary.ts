/** The words of the condition language: actors, actions, fields and their types. */

export const actors = ['author', 'resolved_by', 'assignees', 'reviewers'] as const;
export type Actor = (typeof actors)[number];
/** Other spellings of actors. */
export const actorAliases: Readonly<Record<string, Actor>> = { reviewer: 'reviewers' };

/** A flag is true or false; a list is compared with `in`; a reason or a state is one of the words of `wordsByType`. */
export type FieldType =
  | 'flag'
  | 'number'
  | 'date'
  | 'reason'
  | 'state'
  | 'labels'
  | 'emojis'
  | 'logins'
  | 'paths'
  | 'points';

/** The types of fields. A field has the same type for every action that has it. */
export const fieldTypes = {
  merged: 'flag',
  closed: 'flag',
  answered: 'flag',
  starred: 'flag',
  first: 'flag',
  first_in_organization: 'flag',
  comments: 'number',
  reactions: 'number',
  upvotes: 'number',
  additions: 'number',
  deletions: 'number',
  changed_files: 'number',
  commits: 'number',
  created_at: 'date',
  merged_at: 'date',
  closed_at: 'date',
  reason: 'reason',
  state: 'state',
  labels: 'labels',
  emojis: 'emojis',
  reactors: 'logins',
  actor: 'logins',
  files: 'paths',
  points: 'points',
} as const satisfies Readonly<Record<string, FieldType>>;
export type Field = keyof typeof fieldTypes;
export type FieldOf<Type extends FieldType> = {
  [Name in Field]: (typeof fieldTypes)[Name] extends Type ? Name : never;
}[Field];

const reacted = ['labels', 'emojis', 'reactors'] as const;
const changes = ['additions', 'deletions', 'changed_files'] as const;
const firsts = ['first', 'first_in_organization'] as const;
const comment = ['reactions', 'emojis', 'reactors', 'actor', 'created_at', 'labels'] as const;

/** The fields that the contributions of each action have. */
export const fieldsByAction = {
  pull_request: [
    ...firsts,
    'merged',
    'closed',
    'comments',
    'reactions',
    ...changes,
    'commits',
    ...reacted,
    'files',
    'actor',
    'created_at',
    'merged_at',
    'closed_at',
  ],
  review: [...firsts, 'state', 'comments', 'created_at', 'actor'],
  commit: [...changes, 'files', 'created_at', 'actor'],
  issue: [...firsts, 'closed', 'comments', 'reactions', ...reacted, 'actor', 'reason', 'created_at', 'closed_at'],
  issue_comment: comment,
  pull_request_comment: comment,
  discussion: ['closed', 'answered', 'comments', 'upvotes', 'reactions', 'labels', 'created_at', 'closed_at', 'actor'],
  star: ['starred', 'created_at', 'actor'],
  point: ['points', 'actor'],
} as const satisfies Readonly<Record<string, readonly Field[]>>;
export type Action = keyof typeof fieldsByAction;
export const actions: readonly Action[] = [
  ...(['pull_request', 'review', 'commit', 'issue', 'issue_comment', 'pull_request_comment'] as const),
  ...(['discussion', 'star', 'point'] as const),
];

export const actionsByActor: Readonly<Record<Actor, readonly Action[]>> = {
  author: actions,
  resolved_by: ['issue', 'discussion'],
  assignees: ['pull_request', 'issue'],
  reviewers: ['pull_request'],
};

/** Returns whether people can do an action on items of their own, so that `own` has an effect. */
export function canBeOwn({ actor, action }: { actor: Actor; action: Action }): boolean {
  return actor === 'reviewers' || action === 'review' || action.endsWith('_comment');
}

/** Actions whose contributions have an end, and so an age. */
export const agingActions: readonly Action[] = ['pull_request', 'issue', 'discussion'];
export const ageUnits = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const;
export type AgeUnit = keyof typeof ageUnits;

/** The reasons of an issue's state (GitHub's IssueStateReason). */
export const reasons = ['REOPENED', 'COMPLETED', 'NOT_PLANNED'] as const;
export type Reason = (typeof reasons)[number];

/** The states of reviews, as they are stored. */
export const states = ['approved', 'changes_requested', 'commented', 'dismissed'] as const;
export type State = (typeof states)[number];

/** The values of fields that have one of some words. */
export const wordsByType = { reason: reasons, state: states } as const;

/** The kinds of reactions (GitHub's ReactionContent). */
export const emojis = ['THUMBS_UP', 'THUMBS_DOWN', 'LAUGH', 'HOORAY', 'CONFUSED', 'HEART', 'ROCKET', 'EYES'] as const;
/** Emojis as people and GitHub's REST API write them. */
export const emojiAliases: Readonly<Record<string, (typeof emojis)[number]>> = {
  '+1': 'THUMBS_UP',
  '👍': 'THUMBS_UP',
  '-1': 'THUMBS_DOWN',
  '👎': 'THUMBS_DOWN',
  '😄': 'LAUGH',
  '🎉': 'HOORAY',
  tada: 'HOORAY',
  '😕': 'CONFUSED',
  '❤️': 'HEART',
  '❤': 'HEART',
  '🚀': 'ROCKET',
  '👀': 'EYES',
};

/** Returns whether an action has a field. */
export function hasField(action: Action, name: string): name is Field {
  const fields: readonly string[] = fieldsByAction[action];
  return fields.includes(name);
}

export function isOfType<Type extends FieldType>(field: Field, ...types: readonly Type[]): field is FieldOf<Type> {
  const type: FieldType = fieldTypes[field];
  return types.some((known) => known === type);
}

import fc from 'fast-check';
import type { Action } from '../../../../src/recognition/rules/conditions/vocabulary.ts';

/** A small made-up repository: people, by their place in a list, and their contributions. */
export interface World {
  people: { name: string; type: 'user' | 'bot' | 'organization' }[];
  items: Item[];
}

/** A contribution. Null stands for an unknown value. Times are in ms. */
export interface Item {
  action: Exclude<Action, 'point'>;
  /** True for a comment at a line of the changes of a pull request. */
  isAtLine: boolean;
  author: number | null;
  /** The co-authors of a commit; several addresses may be one person's. */
  others: number[];
  resolvedBy: number | null;
  answeredBy: number | null;
  /** Null when not known, or when there is no accepted answer. */
  answeredAt: number | null;
  assignees: number[];
  reviewers: number[];
  createdAt: number;
  closedAt: number | null;
  mergedAt: number | null;
  comments: number | null;
  upvotes: number | null;
  additions: number | null;
  deletions: number | null;
  changedFiles: number | null;
  commits: number | null;
  reactions: { emoji: string; reactor: number | null }[] | null;
  labels: string[] | null;
  files: string[] | null;
  reason: string | null;
  /** The state of a review. */
  state: string | null;
  /** The labels of the item that a comment belongs to; undefined when that item is not stored. */
  parentLabels: string[] | null | undefined;
}

/** An issue of no one, about which nothing is known. */
export const emptyItem: Item = {
  action: 'issue',
  isAtLine: false,
  author: null,
  others: [],
  resolvedBy: null,
  answeredBy: null,
  answeredAt: null,
  assignees: [],
  reviewers: [],
  createdAt: 0,
  closedAt: null,
  mergedAt: null,
  comments: null,
  upvotes: null,
  additions: null,
  deletions: null,
  changedFiles: null,
  commits: null,
  reactions: null,
  labels: null,
  files: null,
  reason: null,
  state: null,
  parentLabels: undefined,
};

export const names = ['Ada', 'bob', 'Carol-C', 'dave', 'robot[bot]', 'Org'];
export const labels = ['bug', 'Bug', 'good first issue', 'Größe', 'a "b"', 'x,y', 'null'];
export const emojis = ['THUMBS_UP', 'HEART', 'EYES'];
export const files = ['README.md', 'docs/index.md', 'readme.md'];
export const reasons = ['COMPLETED', 'NOT_PLANNED', 'REOPENED'];
export const states = ['approved', 'changes_requested', 'commented', 'dismissed'];
const hourMs = 3_600_000;
/** The start of the days in which everything happens. */
export const beginning = Date.UTC(2024, 0, 1);
export const days = 6;

const moment = fc.nat({ max: days * 8 }).map((steps) => beginning + steps * 3 * hourMs);
const person = fc.nat({ max: names.length - 1 });
const noValue = fc.constant(null);
const perhapsPerson = fc.oneof({ weight: 5, arbitrary: person }, { weight: 1, arbitrary: noValue });
const number = fc.oneof({ weight: 5, arbitrary: fc.nat({ max: 4 }) }, { weight: 1, arbitrary: noValue });
const perhaps = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> =>
  fc.oneof({ weight: 6, arbitrary: value }, { weight: 1, arbitrary: noValue });
const some = <Value>(values: Value[]): fc.Arbitrary<Value[]> => fc.subarray(values);

const item: fc.Arbitrary<Item> = fc
  .record({
    action: fc.constantFrom(
      ...(['pull_request', 'pull_request', 'issue', 'issue', 'review', 'commit', 'issue_comment'] as const),
      ...(['pull_request_comment', 'discussion', 'star'] as const),
    ),
    isAtLine: fc.boolean(),
    author: perhapsPerson,
    others: fc.array(person, { maxLength: 3 }),
    resolvedBy: perhapsPerson,
    answeredBy: perhapsPerson,
    assignees: fc.array(person, { maxLength: 3 }),
    reviewers: fc.array(person, { maxLength: 3 }),
    createdAt: moment,
    openForMs: fc.option(fc.nat({ max: 30 }).map((hours) => hours * hourMs)),
    answeredAfterMs: fc.option(fc.nat({ max: 30 }).map((hours) => hours * hourMs)),
    isMerged: fc.boolean(),
    comments: number,
    upvotes: number,
    additions: number,
    deletions: number,
    changedFiles: number,
    commits: number,
    reactions: perhaps(
      fc.array(fc.record({ emoji: fc.constantFrom(...emojis), reactor: perhapsPerson }), { maxLength: 3 }),
    ),
    labels: perhaps(some(labels)),
    files: perhaps(some(files)),
    reason: perhaps(fc.constantFrom(...reasons)),
    parentLabels: fc.oneof(perhaps(some(labels)), fc.constant(undefined)),
  })
  .map(({ openForMs, answeredAfterMs, isMerged, ...item }) => {
    const hasEnd = ['pull_request', 'issue', 'discussion'].includes(item.action) && openForMs !== null;
    const closedAt = hasEnd ? item.createdAt + openForMs : null;
    const isAnswered = item.action === 'discussion' && item.answeredBy !== null && answeredAfterMs !== null;
    return Object.assign(item, {
      closedAt,
      state: states[(item.createdAt / (3 * hourMs)) % (states.length + 1)] ?? null,
      mergedAt: item.action === 'pull_request' && isMerged ? closedAt : null,
      answeredAt: isAnswered ? item.createdAt + answeredAfterMs : null,
    });
  });

export const randomWorld: fc.Arbitrary<World> = fc.array(item, { maxLength: 60 }).map((items) => ({
  people: names.map((name) => ({
    name,
    type: name === 'Org' ? 'organization' : name.endsWith('[bot]') ? 'bot' : 'user',
  })),
  items,
}));

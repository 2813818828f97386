import type { Action } from '../conditions/vocabulary.ts';
import type { Kind } from '../kinds.ts';

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

import type { Untold } from '../untold.ts';

/**
 * Since 30 June 2026 it shows who starred a repository to its administrators and
 * collaborators alone and refuses the list to Apps; deliveries of `star` go on.
 * https://github.com/djangopackages/djangopackages/issues/1624
 */
const untold: readonly Untold[] = [
  {
    kind: 'star',
    why:
      'GitHub shows who starred a repository to its collaborators alone, so that other tokens and Apps count only the ' +
      'stars that a webhook tells of',
    isPartial: true,
  },
];

const forTokens = 'GitHub tells this only to those who ask with a token';

const anonymousUntold: readonly Untold[] = (
  ['review', 'discussion', 'issue_comment', 'pull_request_comment', 'review_comment', 'star'] as const
).map((kind) => ({ kind, why: forTokens }));

/** Returns what GitHub does not tell, or not always. @param hasCredential whether it is asked with one. */
export function untoldWith(hasCredential: boolean): readonly Untold[] {
  return hasCredential ? untold : anonymousUntold;
}

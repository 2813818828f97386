import type { UnreportedKind } from '../interface/unreported.ts';

/**
 * Since 30 June 2026 GitHub shows the accounts that starred a repository only to its administrators and collaborators,
 * and refuses the list to Apps; deliveries of `star` continue.
 * https://github.com/djangopackages/djangopackages/issues/1624
 */
const unreported: readonly UnreportedKind[] = [
  {
    kind: 'star',
    why:
      'GitHub shows who starred a repository to its collaborators alone, so that other tokens and Apps count only the ' +
      'stars that a webhook reports',
    isPartial: true,
  },
  // Each page of pull requests would cost a point more for each hundred of its reviews.
  {
    kind: 'review',
    details: ['comments'],
    why: 'GitHub counts the comments of a review only at the cost of many more requests, so that they are not read',
  },
];

const forTokens = 'GitHub shows this only to requests with a token';

const anonymousUnreported: readonly UnreportedKind[] = (
  ['review', 'discussion', 'issue_comment', 'pull_request_comment', 'review_comment', 'star'] as const
).map((kind) => ({ kind, why: forTokens }));

/**
 * Returns the kinds of data that GitHub does not report, or not always.
 * @param hasCredential true when requests have a credential.
 */
export function unreportedWith(hasCredential: boolean): readonly UnreportedKind[] {
  return hasCredential ? unreported : anonymousUnreported;
}

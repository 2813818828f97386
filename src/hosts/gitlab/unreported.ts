import type { UnreportedKind } from '../interface/unreported.ts';

const unreported: readonly UnreportedKind[] = [
  { kind: 'discussion', why: 'GitLab has no discussions' },
  { kind: 'issue', details: ['reason'], why: 'GitLab does not report why an issue was closed' },
  { kind: 'review', details: ['comments'], why: 'GitLab does not report which comments belong to a review' },
  {
    kind: 'review',
    details: ['state'],
    why: 'GitLab reports approvals and requests for changes as reviews, and of these only that an approval was withdrawn',
    isPartial: true,
  },
];

const forTokens = 'GitLab shows reviews, comments and stars only to requests with a token';

const anonymousUnreported: readonly UnreportedKind[] = [
  ...unreported,
  ...(['review', 'issue_comment', 'pull_request_comment', 'review_comment', 'star'] as const).map(
    (kind): UnreportedKind => ({ kind, why: forTokens }),
  ),
];

/**
 * Returns the facts that GitLab does not report, or not always.
 * @param hasCredential true when requests have a token.
 */
export function unreportedWith(hasCredential: boolean): readonly UnreportedKind[] {
  return hasCredential ? unreported : anonymousUnreported;
}

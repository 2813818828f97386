import type { Untold } from '../untold.ts';

const untold: readonly Untold[] = [
  { kind: 'discussion', why: 'GitLab has no discussions' },
  { kind: 'issue', details: ['reason'], why: 'GitLab does not tell why an issue was closed' },
];

const forTokens = 'GitLab tells reviews, comments and stars only to those who ask with a token';

const anonymousUntold: readonly Untold[] = [
  ...untold,
  ...(['review', 'issue_comment', 'pull_request_comment', 'review_comment', 'star'] as const).map(
    (kind): Untold => ({ kind, why: forTokens }),
  ),
];

/**
 * Returns the facts that GitLab does not report, or not always.
 * @param hasCredential true when requests have a token.
 */
export function untoldWith(hasCredential: boolean): readonly Untold[] {
  return hasCredential ? untold : anonymousUntold;
}

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

/** Returns what GitLab does not tell, or not always. @param hasCredential whether it is asked with one. */
export function untoldWith(hasCredential: boolean): readonly Untold[] {
  return hasCredential ? untold : anonymousUntold;
}

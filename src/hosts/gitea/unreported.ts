import type { UnreportedKind } from '../interface/unreported.ts';

/** Lists the facts that neither Gitea nor Forgejo reports, with a token or without. https://docs.gitea.com/api/ */
export const unreported: readonly UnreportedKind[] = [
  // `/stargazers` has no times, and there is no webhook event for a star.
  { kind: 'star', why: 'Gitea and Forgejo do not report the times of stars' },
  { kind: 'discussion', why: 'Gitea and Forgejo have no discussions' },
  { kind: 'issue', details: ['reason'], why: 'Gitea and Forgejo do not report why an issue was closed' },
  {
    kind: 'pull_request',
    details: ['commits'],
    why: 'Gitea and Forgejo do not report how many commits a pull request has',
  },
  {
    kind: 'pull_request',
    details: ['additions', 'deletions', 'changedFiles'],
    why: 'Gitea up to 1.22 and older Forgejo do not report how large a pull request is',
    isPartial: true,
  },
  {
    kind: 'review_comment',
    details: ['reactions'],
    why: 'Gitea and Forgejo do not report reactions to comments at lines',
  },
];

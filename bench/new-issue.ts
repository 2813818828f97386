import type { Contribution } from '../src/contributions/contribution.ts';

/** An issue that was opened just now, as it is read for counting. */
export function newIssue(externalId: string, author: string, now: Date): Contribution {
  return {
    kind: 'issue',
    externalId,
    parentExternalId: null,
    author,
    createdAt: now,
    updatedAt: now,
    closedAt: null,
    mergedAt: null,
    answered: false,
    answeredBy: null,
    details: null,
  };
}

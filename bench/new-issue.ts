import type { Contribution } from '../src/model/contribution.ts';

/** Returns an issue that was opened just now, as a scan reads it. */
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

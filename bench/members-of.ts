import { randomUUID } from 'node:crypto';
import type { Members } from '../src/recognition/boards/ranking/member-store.ts';

/** Returns what a board counts whose only repository is completely known. */
export function listMembers(repositoryId: string, now: Date): Members {
  return {
    ownerId: randomUUID(),
    ids: [repositoryId],
    ownerIds: [],
    coverage: { repositories: 1, complete: 1, incomplete: [], isCut: false },
    counted: [],
    asOf: now,
    isBeingRead: false,
    missingUntil: () => [],
  };
}

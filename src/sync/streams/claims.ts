import { claimRepository, releaseRepository } from '../../accounts/repositories/store.ts';
import type { Connection } from '../../database/connections/connection.ts';

/** The repositories that this process has claimed, so that no other job reads them. */
export class Claims {
  /** Ids of those that it is reading. */
  readonly reading = new Set<string>();
  /** Ids of those whose claims it could not release, because the database was away. */
  readonly left = new Set<string>();
}

interface ClaimingContext {
  connection: Connection;
  /** The number of this process among those that work on the database. */
  node: number;
  claims: Claims;
}

/** Runs `work` while no other job may read the repository. Returns `busy` when another job is reading it. */
export async function whileClaimed<Done>(
  context: ClaimingContext,
  repositoryId: string,
  work: () => Promise<Done>,
): Promise<Done | 'busy'> {
  const { connection, node, claims } = context;
  if (claims.reading.has(repositoryId)) return 'busy';
  claims.reading.add(repositoryId);
  try {
    if (!(await claimRepository(connection, repositoryId, node))) return 'busy';
    return await work();
  } finally {
    await release(context, repositoryId);
  }
}

/**
 * Releases the claims that were left. Other nodes find these repositories busy for as long as this one lives, and it may
 * never be the one that gets the job again.
 */
export async function releaseLeftClaims(context: ClaimingContext): Promise<void> {
  const { reading, left } = context.claims;
  for (const id of left) {
    // The job that reads it now releases it at its end.
    if (reading.has(id)) continue;
    reading.add(id);
    await release(context, id);
  }
}

async function release({ connection, node, claims }: ClaimingContext, id: string): Promise<void> {
  claims.left.add(id);
  try {
    await releaseRepository(connection, id, node);
    claims.left.delete(id);
  } finally {
    claims.reading.delete(id);
  }
}

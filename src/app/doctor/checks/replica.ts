import type { Database } from '../../../database/connections/connection.ts';
import { measureReplica } from '../../../database/reads/replica.ts';
import { type Finding, found } from '../finding.ts';

/** The distance to the primary, in bytes of its log (one segment), from which on the replica can rarely be read. */
const farBehind = 16 * 1024 * 1024;

/** Checks that DATABASE_REPLICA_URL leads to a standby of the database. */
export async function checkReplica({ pool, replicaConfig }: Database): Promise<Finding[]> {
  if (replicaConfig === undefined) return [];
  let behind: number | undefined;
  try {
    behind = await measureReplica(pool, replicaConfig);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown reason';
    const message = `The replica does not respond: ${reason}. All responses are read from the primary.`;
    return [replica('hint', 'replica_unreachable', message, 'Start it, or correct DATABASE_REPLICA_URL.')];
  }
  return [examineReplica(behind)];
}

/**
 * Checks the state of the replica.
 * @param behind its distance to the primary, in bytes of the log; undefined: it is not a standby of the database.
 */
export function examineReplica(behind: number | undefined): Finding {
  if (behind === undefined) {
    const message = 'DATABASE_REPLICA_URL does not lead to a standby of the database, so it is not used.';
    return replica(
      'problem',
      'replica_unfit',
      message,
      'Let it name a streaming standby, and the same database there.',
    );
  }
  const message = `The replica responds, ${behind.toLocaleString('en')} bytes behind the primary.`;
  if (behind < farBehind) return replica('fine', 'replica_reachable', message);
  return replica(
    'hint',
    'replica_behind',
    message,
    'Look at pg_stat_replication, and at long statements on the replica.',
  );
}

function replica(severity: Finding['severity'], code: Finding['code'], message: string, remedy?: string): Finding {
  return found('database', { severity, code, message, remedy });
}

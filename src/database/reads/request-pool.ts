import type { ClientConfig } from 'pg';
import type { ConnectionPool } from '../connections/connection.ts';
import { openPool, type PoolLimits, type PoolObserver } from '../connections/pool.ts';
import { isPooled } from '../connections/sessions.ts';
import type { Replica } from '../replica/replica.ts';
import { ReplicaLoan } from '../replica/replica-loan.ts';
import { type LentConnection, Loan } from './loan.ts';
import { DeferredLoan, SharedReads } from './shared-reads.ts';
import { Slots } from './slots.ts';
import { currentScope, leaveReplica, type StatementScope } from './statement-scope.ts';

/**
 * The queues for connections, by the number of connections. Ordinary reads take less than a millisecond, and when a response
 * leaves the cache, all requests for it read the database at the same time.
 */
const waitingPerConnection = { ordinary: 64, expensive: 2 };
const maxWaitMs = 2000;

/**
 * Opens the connections of requests: their statements end with their scope, and work that finds no connection in time
 * fails with `overloaded`. Scopes that may read from the replica do so.
 */
export function openRequestPool(clientConfig: ClientConfig, limits: PoolLimits, replica?: Replica): ConnectionPool {
  const { maxConnections, observer } = limits;
  const slots = new Slots({
    slots: maxConnections,
    maxWaiting: {
      ordinary: maxConnections * waitingPerConnection.ordinary,
      expensive: maxConnections * waitingPerConnection.expensive,
    },
    maxWaitMs,
  });
  // Behind a pooler, statements that follow each other without a transaction may have different sessions.
  const shares = !isPooled({ clientConfig });
  const readsByScope = new WeakMap<StatementScope, SharedReads>();
  return openPool({ ...clientConfig, pipeline: shares }, limits, (pool) => {
    observer?.onOpen({
      get totalCount() {
        return pool.totalCount;
      },
      get idleCount() {
        return pool.idleCount;
      },
      get waitingCount() {
        return slots.waiting;
      },
    });
    const lendWith = async (scope: StatementScope | undefined, freeSlot: () => void): Promise<Loan> =>
      new Loan(await pool.connect(), { scope, freeSlot, clientConfig });
    const lend = (scope: StatementScope | undefined): Promise<Loan> =>
      withSlot({ slots, scope, observer }, (freeSlot) => lendWith(scope, freeSlot));
    const connect = async (): Promise<LentConnection> => {
      const scope = currentScope();
      const reads = scope?.reads;
      if (replica === undefined) leaveReplica();
      else if (scope !== undefined && reads?.fromReplica === true) {
        return withSlot({ slots, scope, observer }, async (freeSlot) => {
          return new ReplicaLoan({ replica, scope, reads, lendPrimary: () => lendWith(scope, freeSlot), freeSlot });
        });
      }
      if (!shares || scope === undefined) return lend(scope);
      const shared = readsByScope.get(scope) ?? new SharedReads(() => lend(scope));
      readsByScope.set(scope, shared);
      return new DeferredLoan(shared, () => lend(scope));
    };
    return { options: pool.options, connect, end: () => pool.end() };
  });
}

interface Waiting {
  slots: Slots;
  scope: StatementScope | undefined;
  observer: PoolObserver | undefined;
}

/**
 * Waits for a slot, and reports the time until `take` has a connection. A failure frees the slot.
 * @throws AppError `overloaded` when none is free in time.
 */
async function withSlot<Lent>(
  { slots, scope, observer }: Waiting,
  take: (freeSlot: () => void) => Promise<Lent>,
): Promise<Lent> {
  const begunAt = performance.now();
  let freeSlot: (() => void) | undefined;
  try {
    freeSlot = await slots.acquire(scope);
    return await take(freeSlot);
  } catch (error) {
    freeSlot?.();
    throw error;
  } finally {
    observer?.onWait((performance.now() - begunAt) / 1000);
  }
}
